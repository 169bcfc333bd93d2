/** The worker's proxy of the flash. Each command contains the partition's name. */
import type { Flash, Partition } from "../../../modules/io/flash.js";
import { COMMANDS } from "./protocol.js";
import type { Wire } from "./wire.js";

export class ProxyFlash implements Flash {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	open(name: string): Partition | undefined {
		const size = this.#wire.call(COMMANDS.flashOpen, 0, name)?.[0];
		return size === undefined ? undefined : new ProxyPartition(this.#wire, name, size);
	}
}

export class ProxyPartition implements Partition {
	readonly size: number;
	readonly #wire: Wire;
	readonly #name: string;

	constructor(wire: Wire, name: string, size: number) {
		this.#wire = wire;
		this.#name = name;
		this.size = size;
	}

	read(offset: number, into: Uint8Array, start = 0, end = into.length): void {
		if (!(start >= 0 && start <= end && end <= into.length)) throw new RangeError("no such part");
		into.set(this.#wire.call(COMMANDS.flashRead, 0, this.#name, offset, end - start)![0], start);
	}

	write(offset: number, bytes: Uint8Array, start = 0, end = bytes.length): void {
		if (!(start >= 0 && start <= end && end <= bytes.length)) throw new RangeError("no such part");
		this.#wire.call(COMMANDS.flashWrite, 0, this.#name, offset, bytes.subarray(start, end));
	}

	erase(offset: number, length: number): void {
		this.#wire.call(COMMANDS.flashErase, 0, this.#name, offset, length);
	}
}

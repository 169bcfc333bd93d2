/** The worker's proxies of firmware slots and inflaters. */
import { P256_POINT_LENGTH } from "../../../modules/io/crypto.js";
import { INFLATE_WINDOW, type Inflater, type Partition, type Update } from "../../../modules/io/flash.js";
import { ProxyPartition } from "./flash.js";
import { COMMANDS, SLOT_PARTITION } from "./protocol.js";
import type { Wire } from "./wire.js";

const KEY_ID_LENGTH = 8;

export class ProxyUpdate implements Update {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	get state(): number {
		return this.#wire.call(COMMANDS.update, 0)![0];
	}

	get securityLevel(): number {
		return this.#wire.call(COMMANDS.update, 0)![1];
	}

	get givenUp(): string {
		return this.#wire.call(COMMANDS.update, 0)![2];
	}

	get slot(): Partition {
		const [size] = this.#wire.call(COMMANDS.flashOpen, 0, SLOT_PARTITION)!;
		return new ProxyPartition(this.#wire, SLOT_PARTITION, size);
	}

	get keys(): readonly Uint8Array[] {
		return cut(this.#wire.call(COMMANDS.updateKeys, 0)![0], P256_POINT_LENGTH);
	}

	get revoked(): readonly Uint8Array[] {
		return cut(this.#wire.call(COMMANDS.updateKeys, 0)![1], KEY_ID_LENGTH);
	}

	inflater(): Inflater {
		return new ProxyInflater(this.#wire);
	}

	activate(length: number): void {
		this.#wire.call(COMMANDS.updateActivate, 0, length);
	}

	confirm(): void {
		this.#wire.call(COMMANDS.updateConfirm, 0);
	}

	rollBack(): void {
		this.#wire.call(COMMANDS.updateRollBack, 0);
	}
}

function cut(bytes: Uint8Array, length: number): Uint8Array[] {
	const pieces: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.slice(at, at + length));
	return pieces;
}

class ProxyInflater implements Inflater {
	readonly ring = new Uint8Array(INFLATE_WINDOW);
	filled = 0;
	isDone = false;
	readonly #wire: Wire;
	readonly #id: number;

	constructor(wire: Wire) {
		this.#wire = wire;
		this.#id = wire.newId();
		wire.call(COMMANDS.inflater, this.#id);
	}

	write(bytes: Uint8Array, start: number, end: number): number {
		if (!(start >= 0 && start <= end && end <= bytes.length)) throw new RangeError("no such part");
		const [taken, isDone, unpacked] = this.#wire.call(COMMANDS.inflate, this.#id, bytes.subarray(start, end))!;
		this.ring.set(unpacked, this.filled);
		this.filled += unpacked.length;
		this.isDone = isDone === 1;
		return taken;
	}

	empty(): void {
		this.#wire.call(COMMANDS.inflaterEmpty, this.#id);
		this.filled = 0;
	}

	reset(): void {
		this.#wire.call(COMMANDS.inflaterReset, this.#id);
		this.filled = 0;
		this.isDone = false;
	}

	close(): void {
		this.#wire.close(this.#id);
	}
}

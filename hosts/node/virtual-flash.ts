/**
 * NOR flash in memory for tests, with simulated power cuts and refused operations. A write to bytes that are not erased
 * throws an Error. It is also recorded in `mistakes`, because the gateway might catch the Error.
 */
import { ERASE_SIZE, type Flash, type Partition, WRITE_SIZE } from "../../modules/io/flash.js";
import { checkRange, PARTITION_SIZES, partOf } from "./partitions.js";
import { SeededRandom } from "./random.js";
import { PowerCut } from "./virtual-storage.js";

const ERASED = 0xff;

export class VirtualFlash implements Flash {
	operations = 0;
	refusals = 0;
	/** Descriptions of calls that would damage real flash. */
	readonly mistakes: string[] = [];
	readonly #partitions = new Map<string, VirtualPartition>();
	readonly #random: SeededRandom;
	#operationsToCut = Number.POSITIVE_INFINITY;
	#bytesToCut = 0;
	#isOff = false;

	constructor(seed = 1, sizes: Readonly<Record<string, number>> = PARTITION_SIZES) {
		this.#random = new SeededRandom(seed);
		for (const [name, size] of Object.entries(sizes))
			this.#partitions.set(name, new VirtualPartition(this, name, size));
	}

	open(name: string): VirtualPartition | undefined {
		return this.#partitions.get(name);
	}

	/**
	 * Cuts the power during the write or erase number `count` (1 is the next one). A write has then written `bytes`
	 * bytes, and the byte after them may be neither old nor new. After an erase the content is arbitrary.
	 */
	cutPowerAt(count: number, bytes = 0): void {
		this.#operationsToCut = count;
		this.#bytesToCut = bytes;
	}

	/** Restores the power. Make a new virtual world afterwards. */
	powerUp(): void {
		this.#isOff = false;
		this.#operationsToCut = Number.POSITIVE_INFINITY;
	}

	get hasPower(): boolean {
		return !this.#isOff;
	}

	checkPower(): void {
		if (this.#isOff) throw new PowerCut("no power");
	}

	/**
	 * Begins an operation. Returns the number of bytes to write before the power cut, or undefined if the power stays on.
	 */
	begin(): number | undefined {
		this.checkPower();
		this.operations++;
		if (this.refusals > 0) {
			this.refusals--;
			throw new Error("the flash refuses");
		}
		if (--this.#operationsToCut > 0) return undefined;
		this.#isOff = true;
		return this.#bytesToCut;
	}

	anyByte(): number {
		return this.#random.below(256);
	}

	recordMistake(mistake: string): never {
		this.mistakes.push(mistake);
		throw new Error(mistake);
	}
}

export class VirtualPartition implements Partition {
	readonly size: number;
	readonly bytes: Uint8Array;
	readonly erases: number[];
	readonly #flash: VirtualFlash;
	readonly #name: string;

	constructor(flash: VirtualFlash, name: string, size: number) {
		this.#flash = flash;
		this.#name = name;
		this.size = size;
		this.bytes = new Uint8Array(size).fill(ERASED);
		this.erases = new Array(size / ERASE_SIZE).fill(0);
	}

	read(offset: number, into: Uint8Array, start?: number, end?: number): void {
		const part = partOf(into, start, end);
		checkRange(this.size, offset, part.length, 1);
		this.#flash.checkPower();
		part.set(this.bytes.subarray(offset, offset + part.length));
	}

	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void {
		const part = partOf(bytes, start, end);
		checkRange(this.size, offset, part.length, WRITE_SIZE);
		this.#flash.checkPower();
		const dirty = this.bytes.subarray(offset, offset + part.length).findIndex((byte) => byte !== ERASED);
		if (dirty >= 0) this.#flash.recordMistake(`${this.#name}: ${offset + dirty} was written before it was erased`);
		const through = this.#flash.begin();
		if (through === undefined) {
			this.bytes.set(part, offset);
			return;
		}
		this.bytes.set(part.subarray(0, through), offset);
		// A write changes bits only from 1 to 0. In this byte the power cut left some of those bits unchanged.
		if (through < part.length) this.bytes[offset + through] = part[through] | this.#flash.anyByte();
		throw new PowerCut("power cut");
	}

	erase(offset: number, length: number): void {
		checkRange(this.size, offset, length, ERASE_SIZE);
		const through = this.#flash.begin();
		for (let piece = offset / ERASE_SIZE; piece < (offset + length) / ERASE_SIZE; piece++) this.erases[piece]++;
		if (through === undefined) {
			this.bytes.fill(ERASED, offset, offset + length);
			return;
		}
		for (let at = offset; at < offset + length; at++) this.bytes[at] = this.#flash.anyByte();
		throw new PowerCut("power cut");
	}
}

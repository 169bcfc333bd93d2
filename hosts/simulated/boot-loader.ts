/**
 * A boot loader with two slots, which behaves like ESP-IDF's boot loader (app_update, "App rollback").
 *
 *   state of a slot  erased   activated   it starts       confirmed   given up    starts unconfirmed
 *   EMPTY            –        NEW         –               –           –           –
 *   NEW              EMPTY    NEW         PENDING         –           –           –
 *   PENDING          –        –           –               VALID       INVALID     ABORTED, the other starts
 *   VALID            EMPTY    NEW         VALID           VALID       INVALID     –
 *   ABORTED          EMPTY    NEW         the other       –           –           –
 *   INVALID          EMPTY    NEW         the other       –           –           –
 *
 * One slot is always VALID, because only the inactive slot can be erased, and only if the running slot is not PENDING.
 * The first firmware of a unit is in slot 0, which is VALID. It is the program itself and has no image.
 *
 * The state is stored under BOOT_KEY. Each change is one write. Layout:
 *
 *   offset  bytes  what
 *   0       1      layout, 1
 *   1       1      the slot that is to start
 *   2       2      state of each slot
 *   4       8      bytes of the image in each slot, u32 little-endian; 0 for the program itself
 */

import type { Crypto } from "../../modules/io/crypto.js";
import {
	FIRMWARE_CONFIRMED,
	FIRMWARE_ON_TRIAL,
	type Inflater,
	type Partition,
	type Update,
} from "../../modules/io/flash.js";
import type { Storage } from "../../modules/io/host.js";
import { type ImageHeader, readImage } from "./image.js";

export const BOOT_KEY = "boot";
const LAYOUT = 1;
const CHOSEN_OFFSET = 1;
const STATES_OFFSET = 2;
const LENGTHS_OFFSET = 4;
const RECORD_LENGTH = 12;

const STATE_EMPTY = 0;
const STATE_NEW = 1;
const STATE_PENDING = 2;
const STATE_VALID = 3;
const STATE_ABORTED = 4;
const STATE_INVALID = 5;

/** Size of a slot, as in hosts/esp32/partitions-4mb.csv. */
export const SLOT_SIZE = 0x1e0000;
export const SLOTS: readonly string[] = Object.freeze(["slot_0", "slot_1"]);

export interface BootDeps {
	readonly storage: Storage;
	/** Partitions of the slots, one for each name of SLOTS. */
	readonly slots: readonly Partition[];
	readonly crypto: Pick<Crypto, "hash">;
	/** Keys and revoked key ids, as in Update. */
	readonly keys: readonly Uint8Array[];
	readonly revoked: readonly Uint8Array[];
	/** Security level of the program itself. */
	readonly securityLevel: number;
	inflater(): Inflater;
	/** Called if the firmware rejects itself. The function must restart the firmware soon, but not inside the call. */
	restart(): void;
}

/** The constructor chooses the slot, so create one object at each start. */
export class BootLoader implements Update {
	readonly slot: Partition;
	/** Header of the running image, or undefined for the program itself. */
	readonly image: ImageHeader | undefined;
	readonly #deps: BootDeps;
	#record: Uint8Array;
	readonly #running: number;

	constructor(deps: BootDeps) {
		this.#deps = deps;
		const kept = deps.storage.get(BOOT_KEY);
		this.#record = kept?.length === RECORD_LENGTH && kept[0] === LAYOUT ? kept : firstRecord();
		const record = this.#record.slice();
		this.image = this.choose(record);
		this.#running = record[CHOSEN_OFFSET];
		if (record.some((byte, i) => byte !== this.#record[i])) this.keep(record);
		this.slot = new OtherSlot(deps.slots[1 - this.#running], this);
	}

	get state(): number {
		return this.stateOf(this.#running) === STATE_PENDING ? FIRMWARE_ON_TRIAL : FIRMWARE_CONFIRMED;
	}

	get givenUp(): string {
		const state = this.stateOf(1 - this.#running);
		if (state === STATE_ABORTED) return "it ended before it was confirmed";
		return state === STATE_INVALID ? "it gave itself up" : "";
	}

	get keys(): readonly Uint8Array[] {
		return this.#deps.keys;
	}

	get revoked(): readonly Uint8Array[] {
		return this.#deps.revoked;
	}

	get securityLevel(): number {
		return this.image?.securityLevel ?? this.#deps.securityLevel;
	}

	inflater(): Inflater {
		return this.#deps.inflater();
	}

	activate(length: number): void {
		this.checkTrial();
		const slot = 1 - this.#running;
		const image = readImage(this.#deps.slots[slot], this.#deps.crypto);
		if (image.length !== length) throw new Error(`the image has ${image.length} bytes, not ${length}`);
		const record = this.with(slot, STATE_NEW, slot);
		new DataView(record.buffer).setUint32(LENGTHS_OFFSET + 4 * slot, length, true);
		this.keep(record);
	}

	confirm(): void {
		const running = this.#running;
		if (this.stateOf(running) === STATE_PENDING) this.keep(this.with(running, STATE_VALID, running));
	}

	rollBack(): void {
		const other = 1 - this.#running;
		if (this.stateOf(other) !== STATE_VALID) throw new Error("there is no firmware before this one");
		this.keep(this.with(this.#running, STATE_INVALID, other));
		this.#deps.restart();
	}

	/** Makes the other slot EMPTY. Throws an Error if it contains the firmware to fall back to. */
	voidOther(): void {
		this.checkTrial();
		const other = 1 - this.#running;
		if (this.stateOf(other) !== STATE_EMPTY) this.keep(this.with(other, STATE_EMPTY, this.#running));
	}

	private checkTrial(): void {
		if (this.state === FIRMWARE_ON_TRIAL) throw new Error("the firmware that runs is on trial");
	}

	private choose(record: Uint8Array): ImageHeader | undefined {
		const view = new DataView(record.buffer);
		for (;;) {
			const chosen = record[CHOSEN_OFFSET] & 1;
			const state = record[STATES_OFFSET + chosen];
			if (isStartable(state)) {
				try {
					const isImage = view.getUint32(LENGTHS_OFFSET + 4 * chosen, true) > 0;
					const image = isImage ? readImage(this.#deps.slots[chosen], this.#deps.crypto) : undefined;
					if (state === STATE_NEW) record[STATES_OFFSET + chosen] = STATE_PENDING;
					return image;
				} catch {
					record[STATES_OFFSET + chosen] = STATE_INVALID;
				}
			} else if (state === STATE_PENDING) record[STATES_OFFSET + chosen] = STATE_ABORTED;
			record[CHOSEN_OFFSET] = 1 - chosen;
			if (!isStartable(record[STATES_OFFSET + 1 - chosen])) throw new Error("no slot holds a firmware that starts");
		}
	}

	private stateOf(slot: number): number {
		return this.#record[STATES_OFFSET + slot];
	}

	/** Returns a changed copy of the record. `chosen` is the slot that will start next. */
	private with(slot: number, state: number, chosen: number): Uint8Array {
		const record = this.#record.slice();
		record[STATES_OFFSET + slot] = state;
		record[CHOSEN_OFFSET] = chosen;
		return record;
	}

	/** Stores the record. If this throws, nothing has changed. */
	private keep(record: Uint8Array): void {
		this.#deps.storage.set(BOOT_KEY, record);
		this.#record = record;
	}
}

/** The inactive slot as a partition. Its first change makes the old content invalid. */
class OtherSlot implements Partition {
	readonly size: number;
	readonly #partition: Partition;
	readonly #loader: BootLoader;

	constructor(partition: Partition, loader: BootLoader) {
		this.size = partition.size;
		this.#partition = partition;
		this.#loader = loader;
	}

	read(offset: number, into: Uint8Array, start?: number, end?: number): void {
		this.#partition.read(offset, into, start, end);
	}

	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void {
		this.#loader.voidOther();
		this.#partition.write(offset, bytes, start, end);
	}

	erase(offset: number, length: number): void {
		this.#loader.voidOther();
		this.#partition.erase(offset, length);
	}
}

function isStartable(state: number): boolean {
	return state === STATE_NEW || state === STATE_VALID;
}

function firstRecord(): Uint8Array {
	const record = new Uint8Array(RECORD_LENGTH);
	record[0] = LAYOUT;
	record[STATES_OFFSET] = STATE_VALID;
	return record;
}

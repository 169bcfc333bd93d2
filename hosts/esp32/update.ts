/** The `update` of the host contract, implemented with the boot loader's slots (update.c). */
import { decodeHex } from "../../modules/bytes/hex.js";
import type { Inflater, Partition, Update } from "../../modules/io/flash.js";
import type { TextCodec } from "../../modules/io/host.js";
import { FLASH } from "../native/flash.js";
import { NativeInflater } from "../native/inflater.js";

class Bindings {
	static state(): number {
		return native("xs_update_state").call(this);
	}
	static givenUp(): string {
		return native("xs_update_given_up").call(this);
	}
	static activate(length: number): void {
		native("xs_update_activate").call(this, length);
	}
	static confirm(): void {
		native("xs_update_confirm").call(this);
	}
	static rollBack(): void {
		native("xs_update_roll_back").call(this);
	}
}

export interface UpdateSettings {
	/** Public keys as hex strings, which XS keeps in flash. Keys as bytes would take memory. */
	readonly keys: readonly string[];
	readonly revoked: readonly string[];
	readonly securityLevel: number;
	readonly text: TextCodec;
	restart(): void;
}

/** Name of the partition that is the inactive slot (UPDATE_SLOT). */
const SLOT = "update";

export class ChipUpdate implements Update {
	readonly #settings: UpdateSettings;

	constructor(settings: UpdateSettings) {
		this.#settings = settings;
	}

	get state(): number {
		return Bindings.state();
	}

	get givenUp(): string {
		return Bindings.givenUp();
	}

	get slot(): Partition {
		return FLASH.open(SLOT)!;
	}

	get keys(): readonly Uint8Array[] {
		return this.decode(this.#settings.keys);
	}

	get revoked(): readonly Uint8Array[] {
		return this.decode(this.#settings.revoked);
	}

	get securityLevel(): number {
		return this.#settings.securityLevel;
	}

	inflater(): Inflater {
		return new NativeInflater();
	}

	activate(length: number): void {
		Bindings.activate(length);
	}

	confirm(): void {
		Bindings.confirm();
	}

	rollBack(): void {
		Bindings.rollBack();
		this.#settings.restart();
	}

	private decode(texts: readonly string[]): readonly Uint8Array[] {
		const { text } = this.#settings;
		return texts.map((hex) => decodeHex(text.encode(hex), 0, hex.length)!);
	}
}

/**
 * Firmware slots and boot loader of the virtual world. For a restart, pass them to the next virtual world, where the
 * boot loader chooses a slot again.
 *
 *   const slots = new VirtualSlots({ keys: [publicKey] });
 *   const world = new VirtualWorld({ slots });     // world.info.firmwareVersion is the running firmware's version
 *   slots.flash.cutPowerAt(3, 100);                // as with any VirtualFlash; call `slots.powerUp()` afterwards
 *   const image = makeSimulatorImage({ version: "1.2.3-test" });     // BootLoader.activate() accepts it
 */

import type { Crypto } from "../../modules/io/crypto.js";
import type { Inflater } from "../../modules/io/flash.js";
import { BootLoader, SLOT_SIZE, SLOTS } from "../simulated/boot-loader.js";
import { PakoInflater } from "./inflater.js";
import { VirtualFlash, type VirtualPartition } from "./virtual-flash.js";
import { VirtualStorage } from "./virtual-storage.js";

export interface VirtualSlotsOptions {
	readonly keys?: readonly Uint8Array[];
	readonly revoked?: readonly Uint8Array[];
	readonly securityLevel?: number;
	readonly size?: number;
	readonly seed?: number;
}

export class VirtualSlots {
	readonly flash: VirtualFlash;
	readonly storage = new VirtualStorage();
	openInflaters = 0;
	/** Number of the next requests for an inflater that fail for lack of memory. */
	inflaterRefusals = 0;
	readonly #options: VirtualSlotsOptions;

	constructor(options: VirtualSlotsOptions = {}) {
		const { size = SLOT_SIZE, seed } = options;
		this.#options = options;
		this.flash = new VirtualFlash(seed, Object.fromEntries(SLOTS.map((name) => [name, size])));
	}

	powerUp(): void {
		this.flash.powerUp();
		this.storage.powerUp();
	}

	/** Starts the boot loader. It calls `restart` when the firmware rejects itself. */
	start(crypto: Crypto, restart: () => void): BootLoader {
		const { keys = [], revoked = [], securityLevel = 0 } = this.#options;
		const slots = SLOTS.map((name) => this.flash.open(name) as VirtualPartition);
		const inflater = () => this.makeInflater();
		return new BootLoader({ storage: this.storage, slots, crypto, keys, revoked, securityLevel, inflater, restart });
	}

	private makeInflater(): Inflater {
		if (this.inflaterRefusals > 0) {
			this.inflaterRefusals--;
			throw new Error("out of memory");
		}
		this.openInflaters++;
		return new CountedInflater(() => {
			this.openInflaters--;
		});
	}
}

class CountedInflater extends PakoInflater {
	#closed: (() => void) | undefined;

	constructor(closed: () => void) {
		super();
		this.#closed = closed;
	}

	override close(): void {
		super.close();
		this.#closed?.();
		this.#closed = undefined;
	}
}

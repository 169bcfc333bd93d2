/** A unit that gets firmware files: two OTA slots, their boot loader, and the installer of the running firmware. */
import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import type { SeededRandom } from "../../hosts/node/random.js";
import { VirtualSlots, type VirtualSlotsOptions } from "../../hosts/node/virtual-update.js";
import { BOOT_KEY, type BootLoader, SLOTS } from "../../hosts/simulated/boot-loader.js";
import { FIRMWARE_CONFIRMED } from "../../modules/io/flash.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import { INSTALL_INSTALLED, INSTALL_REFUSED, Installer } from "../../modules/update/installer.js";
import { codeOf } from "../../modules/update/refusals.js";
import { UNIT } from "./firmware-files.js";

/** Largest size of the pieces into which a file is cut, bytes; one is drawn for each upload. */
const LARGEST_PIECES = [1, 7, 64, 1460, 1460, 4096, 16_384, 1_000_000];

const crypto = new NodeCrypto();

const anyOf = (list: readonly number[], random: SeededRandom) => list[random.below(list.length)];

export class Unit {
	readonly slots: VirtualSlots;
	/** Boot loader of the present start. */
	loader: BootLoader;

	constructor(options: VirtualSlotsOptions) {
		this.slots = new VirtualSlots(options);
		this.loader = this.slots.start(crypto, () => {});
	}

	/** Restarts the firmware. Throws if nothing starts, or a PowerCut. */
	reset(): void {
		this.loader = this.slots.start(crypto, () => {});
	}

	/** Restores the power. */
	restart(): void {
		this.slots.powerUp();
		this.reset();
	}

	get hasPower(): boolean {
		try {
			this.slots.storage.get(BOOT_KEY);
			return this.slots.flash.hasPower;
		} catch {
			return false;
		}
	}

	get version(): string {
		return this.loader.image?.version ?? "the first one";
	}

	get isConfirmed(): boolean {
		return this.loader.state === FIRMWARE_CONFIRMED;
	}

	/**
	 * Sends the file in random pieces of up to `largest` bytes until it is refused. `total`: length known in advance,
	 * or 0. Returns the code of the refusal, or "". Checks each call against the installer's contract.
	 */
	upload(file: Uint8Array, random: SeededRandom, total = 0, largest = anyOf(LARGEST_PIECES, random)): string {
		const world = { info: UNIT, crypto, storage: this.slots.storage, trace: () => {} };
		const installer = new Installer(world, { update: this.loader }, total, false);
		for (let at = 0; at < file.length && installer.state !== INSTALL_REFUSED; ) {
			// Single bytes are slow, and only matter at boundaries of the file.
			const limit = at < FRONT_LENGTH + 64 || file.length - at < 64 ? largest : Math.max(largest, 64);
			const piece = Uint8Array.from(file.subarray(at, at + 1 + random.below(limit)));
			at += piece.length;
			for (let start = 0; start < piece.length; ) {
				const taken = installer.write(piece, start, piece.length);
				assert.ok(taken > 0 && start + taken <= piece.length, `${taken} bytes were taken`);
				start += taken;
			}
			piece.fill(0xee);
		}
		installer.end();
		for (let calls = 0; installer.state !== INSTALL_INSTALLED && installer.state !== INSTALL_REFUSED; calls++) {
			assert.ok(calls < 10_000, `the installer does not finish in state ${installer.state}`);
			installer.advance();
		}
		assert.equal(this.slots.openInflaters, 0);
		return codeOf(installer.refusal);
	}

	/** A copy of the slot that starts next. */
	get chosenSlot(): Buffer {
		const chosen = this.slots.storage.get(BOOT_KEY)?.[1] ?? 0;
		return Buffer.from(this.slots.flash.open(SLOTS[chosen])!.bytes);
	}
}

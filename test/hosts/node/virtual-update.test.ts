import assert from "node:assert/strict";
import { makeSimulatorImage } from "../../../hosts/node/simulator-image.js";
import { VirtualWorld } from "../../../hosts/node/virtual.js";
import { VirtualSlots } from "../../../hosts/node/virtual-update.js";
import { SLOT_SIZE } from "../../../hosts/simulated/boot-loader.js";
import { ERASE_SIZE, FIRMWARE_CONFIRMED, FIRMWARE_ON_TRIAL, type Update } from "../../../modules/io/flash.js";

const KEY = new Uint8Array(65).fill(4);

function startOn(slots: VirtualSlots): { world: VirtualWorld; update: Update; restarts: () => number } {
	const world = new VirtualWorld({ slots });
	let restarts = 0;
	world.onRestart = () => restarts++;
	return { world, update: world.update!, restarts: () => restarts };
}

function put({ slot }: Update, image: Uint8Array): void {
	for (let at = 0; at < image.length; at += ERASE_SIZE) {
		slot.erase(at, ERASE_SIZE);
		slot.write(at, image, at, Math.min(at + ERASE_SIZE, image.length));
	}
}

/** An update to this version, and the world that runs it. */
function updated(slots: VirtualSlots, version: string, securityLevel = 0) {
	const { update } = startOn(slots);
	const image = makeSimulatorImage({ version, securityLevel });
	put(update, image);
	update.activate(image.length);
	return startOn(slots);
}

describe("virtual OTA slots and boot loader", () => {
	it("are missing in a world that accepts no updates", () => {
		assert.equal(new VirtualWorld().update, undefined);
	});

	it("run the program itself as the first firmware, confirmed", () => {
		const { world, update } = startOn(new VirtualSlots({ keys: [KEY], revoked: [KEY.slice(0, 8)], securityLevel: 3 }));
		assert.equal(world.info.firmwareVersion, "0.0.0");
		assert.equal(update.state, FIRMWARE_CONFIRMED);
		assert.equal(update.givenUp, "");
		assert.equal(update.slot.size, SLOT_SIZE);
		assert.deepEqual(update.keys, [KEY]);
		assert.deepEqual(update.revoked, [KEY.slice(0, 8)]);
		assert.equal(update.securityLevel, 3);
		assert.throws(() => update.rollBack(), /no firmware before/);
	});

	it("start an update on trial, and keep it once it is confirmed", () => {
		const slots = new VirtualSlots();
		const { world, update } = updated(slots, "1.0.0", 2);
		assert.equal(world.info.firmwareVersion, "1.0.0");
		assert.equal(update.state, FIRMWARE_ON_TRIAL);
		assert.equal(update.securityLevel, 2);
		update.confirm();
		assert.equal(update.state, FIRMWARE_CONFIRMED);
		const after = startOn(slots);
		assert.equal(after.world.info.firmwareVersion, "1.0.0");
		assert.equal(after.update.state, FIRMWARE_CONFIRMED);
		assert.equal(after.update.givenUp, "");
		assert.equal(updated(slots, "1.1.0").world.info.firmwareVersion, "1.1.0");
	});

	it("give up an update that ends unconfirmed, and report this until the next update is written", () => {
		const slots = new VirtualSlots();
		updated(slots, "1.0.0");
		for (let start = 0; start < 2; start++) {
			const { world, update } = startOn(slots);
			assert.equal(world.info.firmwareVersion, "0.0.0");
			assert.equal(update.state, FIRMWARE_CONFIRMED);
			assert.match(update.givenUp, /before it was confirmed/);
		}
		const { update } = startOn(slots);
		update.slot.erase(0, ERASE_SIZE);
		assert.equal(update.givenUp, "");
		assert.equal(startOn(slots).update.givenUp, "");
	});

	it("return to the previous firmware when the running one requests it, on trial or confirmed, and restart", () => {
		for (const confirmed of [false, true]) {
			const slots = new VirtualSlots();
			const { world, update, restarts } = updated(slots, "1.0.0");
			if (confirmed) update.confirm();
			update.rollBack();
			assert.equal(restarts(), 0);
			world.advance(1);
			assert.equal(restarts(), 1);
			const before = startOn(slots);
			assert.equal(before.world.info.firmwareVersion, "0.0.0");
			assert.match(before.update.givenUp, /gave itself up/);
			assert.throws(() => before.update.rollBack(), /no firmware before/);
		}
	});

	it("protect the previous firmware during a trial", () => {
		const slots = new VirtualSlots();
		const { update } = updated(slots, "1.0.0");
		assert.throws(() => update.slot.erase(0, ERASE_SIZE), /on trial/);
		assert.throws(() => update.slot.write(0, new Uint8Array(16)), /on trial/);
		assert.throws(() => update.activate(100), /on trial/);
		assert.equal(startOn(slots).world.info.firmwareVersion, "0.0.0");
	});

	it("activate nothing if the image is missing, damaged, or of another length", () => {
		const slots = new VirtualSlots();
		const image = makeSimulatorImage({ version: "1.0.0", size: 20_000 });
		const cases: [Uint8Array, number, RegExp][] = [
			[new Uint8Array(0), 100, /not an image/],
			[image.slice(0, 16_384), image.length, /damaged/],
			[image.map((byte, i) => (i === 10_000 ? byte ^ 1 : byte)), image.length, /damaged/],
			[image, image.length - 16, /not 19984/],
		];
		for (const [bytes, length, message] of cases) {
			const { update } = startOn(slots);
			for (let at = 0; at < 5; at++) update.slot.erase(at * ERASE_SIZE, ERASE_SIZE);
			if (bytes.length > 0) put(update, bytes);
			assert.throws(() => update.activate(length), message);
			const { world, update: after } = startOn(slots);
			assert.equal(world.info.firmwareVersion, "0.0.0");
			assert.equal(after.state, FIRMWARE_CONFIRMED);
		}
	});

	it("have room for an image of the whole slot", () => {
		const slots = new VirtualSlots({ size: 8 * ERASE_SIZE });
		const { update } = startOn(slots);
		const image = makeSimulatorImage({ version: "full", size: 8 * ERASE_SIZE });
		put(update, image);
		update.activate(image.length);
		assert.equal(startOn(slots).world.info.firmwareVersion, "full");
	});

	it("start after a power cut at any moment", () => {
		const image = makeSimulatorImage({ version: "1.0.0", size: 3 * ERASE_SIZE });
		const size = 4 * ERASE_SIZE;
		let cuts = 0;
		for (let isCut = true; isCut; cuts++) {
			const slots = new VirtualSlots({ size, seed: cuts });
			const { update } = startOn(slots);
			slots.flash.cutPowerAt(cuts + 1, 100 * cuts);
			try {
				put(update, image);
				update.activate(image.length);
				isCut = false;
			} catch {
				slots.powerUp();
			}
			const { world, update: after } = startOn(slots);
			assert.equal(world.info.firmwareVersion, isCut ? "0.0.0" : "1.0.0");
			assert.equal(after.state, isCut ? FIRMWARE_CONFIRMED : FIRMWARE_ON_TRIAL);
		}
		assert.equal(cuts, 7);
		for (const keepsNew of [false, true]) {
			const slots = new VirtualSlots({ size });
			const { update } = startOn(slots);
			put(update, image);
			slots.storage.cutPowerAt(1, keepsNew);
			assert.throws(() => update.activate(image.length));
			slots.powerUp();
			assert.equal(startOn(slots).world.info.firmwareVersion, keepsNew ? "1.0.0" : "0.0.0");
		}
	});

	it("count the open inflaters, and have no memory for another one if the test says so", () => {
		const slots = new VirtualSlots();
		const { update } = startOn(slots);
		slots.inflaterRefusals = 1;
		assert.throws(() => update.inflater(), /out of memory/);
		const inflater = update.inflater();
		assert.equal(slots.openInflaters, 1);
		inflater.close();
		inflater.close();
		assert.equal(slots.openInflaters, 0);
	});
});

/** The virtual world's flash: its contract and its simulated faults. */
import assert from "node:assert/strict";
import { VirtualWorld } from "../../../hosts/node/virtual.js";
import { VirtualFlash } from "../../../hosts/node/virtual-flash.js";
import { PowerCut } from "../../../hosts/node/virtual-storage.js";
import { ERASE_SIZE } from "../../../modules/io/flash.js";
import { pattern } from "../portable/check.js";
import { flashChecks } from "../portable/flash-checks.js";

function bytesOf(flash: VirtualFlash, offset: number, length: number, name = "log"): Uint8Array {
	const bytes = new Uint8Array(length);
	flash.open(name)!.read(offset, bytes);
	return bytes;
}

describe("virtual flash", () => {
	for (const check of flashChecks) {
		it(check.name, async () => {
			const world = new VirtualWorld();
			await check.run(world, () => {});
			await check.afterRestart?.(new VirtualWorld({ flash: world.flash }), () => {});
			assert.deepEqual(world.flash.mistakes, []);
		});
	}

	it("records a write over bytes that were not erased, and changes nothing", () => {
		const flash = new VirtualFlash();
		const log = flash.open("log")!;
		log.write(16, pattern(32));
		assert.throws(() => log.write(32, pattern(32)), /log: 32 was written before it was erased/);
		assert.equal(flash.mistakes.length, 1);
		assert.deepEqual(bytesOf(flash, 16, 32), pattern(32));
		assert.deepEqual(bytesOf(flash, 48, 16), new Uint8Array(16).fill(0xff));
	});

	for (const bytes of [0, 1, 100, 255, 256]) {
		it(`keeps the first ${bytes} bytes of a write that a power cut interrupts`, () => {
			const flash = new VirtualFlash(bytes);
			const log = flash.open("log")!;
			flash.cutPowerAt(2, bytes);
			log.write(4096, pattern(16));
			assert.throws(() => log.write(0, pattern(256)), PowerCut);
			assert.throws(() => log.read(0, new Uint8Array(1)), PowerCut);
			assert.throws(() => flash.open("history")!.erase(0, ERASE_SIZE), PowerCut);
			flash.powerUp();
			assert.deepEqual(bytesOf(flash, 0, bytes), pattern(bytes));
			assert.deepEqual(bytesOf(flash, bytes + 1, 1000), new Uint8Array(1000).fill(0xff));
			const [torn] = bytesOf(flash, bytes, 1);
			const [expected] = bytes < 256 ? pattern(1, bytes) : [0xff];
			assert.equal(torn & expected, expected, "a bit went back to 1");
			assert.deepEqual(bytesOf(flash, 4096, 16), pattern(16));
		});
	}

	it("leaves garbage in the sector of an interrupted erase, and changes nothing else", () => {
		const flash = new VirtualFlash();
		const history = flash.open("history")!;
		history.write(ERASE_SIZE - 16, pattern(16));
		history.write(2 * ERASE_SIZE, pattern(16));
		flash.cutPowerAt(1);
		assert.throws(() => history.erase(ERASE_SIZE, ERASE_SIZE), PowerCut);
		flash.powerUp();
		assert.ok(bytesOf(flash, ERASE_SIZE, ERASE_SIZE, "history").some((byte) => byte !== 0xff));
		assert.deepEqual(bytesOf(flash, ERASE_SIZE - 16, 16, "history"), pattern(16));
		assert.deepEqual(bytesOf(flash, 2 * ERASE_SIZE, 16, "history"), pattern(16));
		history.erase(ERASE_SIZE, ERASE_SIZE);
		assert.deepEqual(history.erases.slice(0, 3), [0, 2, 0]);
	});

	it("fails as often as the test says", () => {
		const flash = new VirtualFlash();
		const log = flash.open("log")!;
		flash.refusals = 2;
		assert.throws(() => log.write(0, pattern(16)), /refuses/);
		assert.throws(() => log.erase(0, ERASE_SIZE), /refuses/);
		log.write(0, pattern(16));
		assert.equal(flash.operations, 3);
		assert.deepEqual(flash.mistakes, []);
	});
});

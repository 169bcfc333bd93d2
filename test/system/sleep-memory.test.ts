/** Sleep between readings in XS: its slots, and an engine that ends with each sleep. */
import assert from "node:assert/strict";
import type { VirtualOptions } from "../../hosts/node/virtual.js";
import { SLEPT } from "../../hosts/simulated/ending.js";
import { WAKE_NONE, WAKE_TIMER } from "../../modules/io/flash.js";
import type { Power } from "../../modules/io/host.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";

/** Additional slots of an idle gateway on cells, a sixth of them the simulator's host. */
const MORE_AT_REST = 95;
const QUARTER_MS = 900_000;
const WAKES = 6;

const { telegram } = iecVectors().find(({ mode }) => mode === "C")!;
const CELLS: Power = { cells: 3, batteryVoltage: () => 4.2, usbVoltage: () => 0, temperatureC: () => 20 };

describe("Sleep in XS", function () {
	this.timeout(120_000);

	async function slotsOf(options: VirtualOptions): Promise<number> {
		const xs = await XSWorld.start(options);
		await xs.advance(61_000);
		const slots = await xs.slots();
		await xs.stop();
		return slots;
	}

	it("takes few slots at rest", async function () {
		const without = await slotsOf({});
		const more = (await slotsOf({ wakeReason: WAKE_NONE, power: CELLS })) - without;
		this.test!.title += ` (${more} more than ${without})`;
		assert.ok(more <= MORE_AT_REST, `${more} more`);
	});

	it("ends the engine repeatedly, and each restart reads once", async () => {
		let options: VirtualOptions = { utcMs: Date.UTC(2026, 10, 22, 11, 50), wakeReason: WAKE_TIMER, power: CELLS };
		let reads = 0;
		const starts: number[] = [];
		for (let i = 0; i < WAKES; i++) {
			const xs = await XSWorld.start(options);
			const { world } = xs;
			starts.push(world.time.utcMs()! % QUARTER_MS);
			const source = () => {
				reads++;
				return splitTelegram(telegram);
			};
			world.serial.meter.connect(new IECMeter({ source }));
			// The source was called only to learn the telegram.
			reads--;
			await xs.until(() => world.asleep !== undefined, 60_000);
			const { storage, flash, retained } = world;
			const utcMs = world.time.utcMs()! + world.asleep!.ms;
			options = { ...options, utcMs, storage, flash, retained, ending: SLEPT };
			await xs.stop();
		}
		assert.equal(reads, WAKES);
		// The test advances time in steps of some milliseconds, so a start may be a little late.
		for (const lateMs of starts.slice(1)) assert.ok(lateMs < 50, `${lateMs} ms after the quarter`);
	});
});

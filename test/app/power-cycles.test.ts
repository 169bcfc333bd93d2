import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { CYCLES, OUTLIVED_MS, PowerCycles } from "../../modules/app/power-cycles.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryStorage } from "../config/memory-storage.js";
import { expectFaults, guard } from "../faults.js";

describe("app/power-cycles", () => {
	let storage: MemoryStorage;
	let resets: number;
	let lines: string[];

	beforeEach(() => {
		storage = new MemoryStorage();
		resets = 0;
		lines = [];
	});

	/** Starts the unit, because power was switched on or for another reason, and runs it for `ms`. */
	function live(switchedOn: boolean, ms: number): void {
		const time = new VirtualTime();
		const driver = new Driver({ clock: time, timers: time, guard });
		const cycles = new PowerCycles({ driver, storage, trace: (line) => lines.push(line) });
		guard("power cycles", () => cycles.start(switchedOn, { factoryReset: () => resets++ }));
		time.advance(ms);
		cycles.stop();
		time.advance(60_000);
	}
	const cut = (times: number, ms = OUTLIVED_MS - 1) => {
		for (let i = 0; i < times; i++) live(true, ms);
	};

	it("resets once, at the start after five short ones, and logs the count at each start from the second on", () => {
		cut(CYCLES);
		assert.equal(resets, 0);
		assert.deepEqual(
			lines,
			[1, 2, 3, 4].map(
				(n) => `Power was cut ${n} of 5 times soon after a start; the last one resets to factory settings.`,
			),
		);
		live(true, 100);
		assert.equal(resets, 1);
		assert.equal(lines.at(-1), "Power was cut 5 times soon after a start: resetting to factory settings.");
		assert.equal(storage.values.size, 0);
		live(false, 60_000);
		cut(CYCLES);
		assert.equal(resets, 1);
	});

	it("counts from zero again after a longer run, whether power or something else started it", () => {
		for (const switchedOn of [true, false]) {
			for (let times = 1; times <= CYCLES; times++) {
				cut(Math.min(times, CYCLES - 1));
				live(switchedOn, OUTLIVED_MS);
				assert.equal(storage.values.size, 0);
			}
			cut(CYCLES);
			live(false, OUTLIVED_MS);
		}
		assert.equal(resets, 0);
		live(true, 100);
		assert.equal(resets, 0);
	});

	it("keeps its count over restarts without a power cut, and writes nothing for them", () => {
		for (let i = 0; i < 20; i++) live(false, 100);
		assert.equal(storage.values.size, 0);
		for (let i = 0; i < CYCLES; i++) {
			live(true, 100);
			const before = [...storage.values];
			live(false, 9000);
			live(false, 9000);
			assert.deepEqual([...storage.values], before);
		}
		live(false, 100);
		assert.equal(resets, 0);
		live(true, 100);
		assert.equal(resets, 1);
	});

	it("lets the gateway start although flash refuses its writes, and then does not count", () => {
		expectFaults(/^fault: power cycles: Error: power cut/);
		storage.stepsLeft = 0;
		cut(10);
		live(true, 60_000);
		assert.equal(resets, 0);
	});

	it("resets again at the next start if power is cut in the middle of the reset", () => {
		expectFaults(/^fault: power cycles: Error: power cut/);
		cut(CYCLES);
		storage.stepsLeft = 0;
		live(true, 100);
		storage.stepsLeft = Number.POSITIVE_INFINITY;
		assert.equal(resets, 1);
		live(true, 100);
		assert.equal(resets, 2);
		live(true, 100);
		assert.equal(resets, 2);
	});
});

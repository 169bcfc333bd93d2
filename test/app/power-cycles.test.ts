import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { LONG, PERIODS, PowerCycles, SHORT, STABLE_MS } from "../../modules/app/power-cycles.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryStorage } from "../config/memory-storage.js";
import { expectFaults, guard } from "../faults.js";

/** Periods as a person makes them after the instructions of docs/flashing.md, ms. */
const BY_HAND: readonly number[] = [5000, 4500, 6000, 43_000, 5000, 5500, 4000];

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
		time.advance(2 * STABLE_MS);
	}
	const cut = (periods: readonly number[]) => {
		for (const ms of periods) live(true, ms);
	};

	it("resets once, at the start after the pattern, and says at each start what comes next", () => {
		cut(BY_HAND);
		assert.equal(resets, 0);
		const step = (n: number, secs: number, last = "") =>
			`Reset by power cuts: ${n} of 7 done. Cut the power again in ${secs} s${last}.`;
		const last = "; the start after that resets to factory settings";
		assert.deepEqual(lines, [step(1, 5), step(2, 5), step(3, 45), step(4, 5), step(5, 5), step(6, 5, last)]);
		live(true, 100);
		assert.equal(resets, 1);
		assert.equal(lines.at(-1), "Power was cut in the pattern of a reset: resetting to factory settings.");
		assert.equal(storage.values.size, 0);
		live(false, 60_000);
		cut(BY_HAND);
		assert.equal(resets, 1);
	});

	it("takes each length within its limits, and no other", () => {
		const withPeriod = (index: number, ms: number) => {
			storage = new MemoryStorage();
			resets = 0;
			cut(BY_HAND.with(index, ms));
			live(true, 100);
			return resets;
		};
		for (let index = 0; index < PERIODS; index++) {
			const { fromMs, toMs } = index === 3 ? LONG : SHORT;
			for (const ms of [fromMs, fromMs + 1, toMs - 1]) assert.equal(withPeriod(index, ms), 1, `${ms} at ${index}`);
			for (const ms of [fromMs - 1, toMs, toMs + 1]) assert.equal(withPeriod(index, ms), 0, `${ms} at ${index}`);
		}
	});

	it("ignores contacts that bounce, and a first period that is too short", () => {
		cut([2999, 2000]);
		for (const ms of BY_HAND) {
			cut([20, 300, 900]);
			live(true, ms);
		}
		live(true, 100);
		assert.equal(resets, 1);
	});

	it("begins a new pattern only after power has stayed on for ten minutes", () => {
		cut([15_000, ...BY_HAND, ...BY_HAND, 100]);
		assert.equal(resets, 0);
		cut([STABLE_MS - 1, ...BY_HAND, 100]);
		assert.equal(resets, 0);
		live(true, STABLE_MS);
		assert.equal(storage.values.size, 0);
		cut([...BY_HAND, 100]);
		assert.equal(resets, 1);
	});

	it("takes any other start as a sign that no person cuts the power", () => {
		for (let after = 1; after <= PERIODS; after++) {
			storage = new MemoryStorage();
			cut(BY_HAND.slice(0, after));
			live(false, 5000);
			cut([...BY_HAND.slice(after), 100]);
			cut([...BY_HAND, 100]);
			assert.equal(resets, 0, `after ${after}`);
			live(false, STABLE_MS);
			assert.equal(storage.values.size, 0);
		}
	});

	it("writes nothing for a restart, and three values and a deletion at most for a power-on", () => {
		for (let i = 0; i < 20; i++) live(false, 2 * STABLE_MS);
		assert.equal(storage.writes, 0);
		live(true, 2 * STABLE_MS);
		assert.equal(storage.writes, 2);
		cut(BY_HAND.slice(0, 3));
		storage.writes = 0;
		live(true, 2 * STABLE_MS);
		assert.equal(storage.writes, 3);
	});

	describe("a supply that collapses", () => {
		/** A restart by the chip's brownout detector follows each collapse that does not switch the chip off. */
		const collapse = (ms: number, isPowerOn = true) => {
			live(isPowerOn, ms);
			assert.equal(resets, 0, `after ${ms} ms`);
		};

		it("does not reset if it always does so after the same time", () => {
			for (let ms = 100; ms < 90_000; ms = Math.ceil(ms * 1.05)) {
				storage = new MemoryStorage();
				for (let i = 0; i < 100; i++) collapse(ms);
			}
		});

		it("does not reset if it does so when Wi-Fi starts, with jitter, and comes back for a while between", () => {
			const random = new SeededRandom(7);
			for (const stableMs of [15_000, 40_000, 300_000, 3_600_000, 86_400_000]) {
				for (let i = 0; i < 300; i++) {
					for (let n = random.below(12); n > 0; n--) collapse(500 + random.below(8000), !random.oneIn(8));
					collapse(stableMs);
				}
			}
		});

		it("does not reset in a year of evenings on which it flickers at random", () => {
			const random = new SeededRandom(2026);
			for (const meanMs of [1000, 3000, 6000, 12_000, 30_000, 120_000]) {
				for (let day = 0; day < 365; day++) {
					for (let n = 0; n < 40; n++) collapse(-meanMs * Math.log((1 + random.below(1_000_000)) / 1_000_000));
					collapse(86_400_000);
				}
			}
		});
	});

	it("lets the gateway start although flash refuses its writes, and then does not count", () => {
		expectFaults(/^fault: power cycles: Error: power cut/);
		storage.stepsLeft = 0;
		cut(BY_HAND);
		live(true, 60_000);
		assert.equal(resets, 0);
	});

	it("resets again at the next start if power is cut in the middle of the reset", () => {
		expectFaults(/^fault: power cycles: Error: power cut/);
		cut(BY_HAND);
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

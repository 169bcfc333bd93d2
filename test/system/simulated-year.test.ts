/** A year of the built-in meter simulator, read through the API: plausible, consistent, and never decreasing. */
import assert from "node:assert/strict";
import type { JSONObject } from "../api/gateway.js";
import { isReadout } from "../api/meter-checks.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Steps that cover every hour of the day and every day of the week, over 366 days. */
const STEP_MS = 11 * HOUR_MS + 7 * MINUTE_MS + 13_000;
const STEPS = Math.ceil((366 * DAY_MS) / STEP_MS);

/** One readout: numbers by OBIS code, kWh, kW, V, A, Hz. */
type Values = ReadonlyMap<string, number>;

describe("The built-in simulator over a year", () => {
	let gateway: VirtualGateway;

	before(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: Date.UTC(2026, 1, 27, 22, 59, 30) });
		await gateway.write("iec62056/control", { simulator_en: true });
	});
	after(() => gateway.stop());

	async function sample(): Promise<Values> {
		const readout = await gateway.read("iec62056/read");
		isReadout(readout);
		assert.equal(readout.status, 0);
		assert.equal(readout.timestamp, Math.floor((gateway.world.time.utcMs() ?? 0) / 1000));
		const codes = readout.readings.map((reading: JSONObject) => reading.obis);
		assert.equal(new Set(codes).size, codes.length, "each code once");
		return new Map(readout.readings.map((reading: JSONObject) => [reading.obis, reading.value1_number]));
	}

	function numberOf(values: Values, code: string): number {
		const value = values.get(code);
		assert.ok(value !== undefined && Number.isFinite(value), code);
		return value;
	}

	function isNear(actual: number, expected: number, tolerance: number, what: string): void {
		assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} is not ${expected} ± ${tolerance}`);
	}

	/** Asserts relations that hold for every single readout. */
	function agreesWithItself(values: Values): void {
		const of = (code: string) => numberOf(values, code);
		isNear(of("1.8.1") + of("1.8.2"), of("1.8.0"), 0.002, "the tariffs add up to the total");
		isNear(of("1.7.0") - of("2.7.0"), of("16.7.0"), 0.0005, "import minus export is the net power");
		assert.equal(Math.min(of("1.7.0"), of("2.7.0")), 0, "no import and export at the same time");
		assert.ok(Math.abs(of("16.7.0")) < 10, "a household");
		let phasesW = 0;
		for (const [voltage, current] of [
			["32.7.0", "31.7.0"],
			["52.7.0", "51.7.0"],
			["72.7.0", "71.7.0"],
		]) {
			assert.ok(of(voltage) > 207 && of(voltage) < 253, `${voltage} within 10 % of 230 V: ${of(voltage)}`);
			assert.ok(of(current) >= 0 && of(current) < 63, current);
			phasesW += of(voltage) * of(current);
		}
		const powerW = Math.abs(of("16.7.0")) * 1000;
		isNear(phasesW, powerW, 150 + powerW * 0.1, "the phases' apparent power is close to the active power");
		assert.ok(of("14.7.0") > 49.8 && of("14.7.0") < 50.2, "the grid's frequency");
	}

	it("has consistent values at every moment, and counters that never decrease", async function () {
		this.timeout(60_000);
		const first = await sample();
		let before = first;
		const powers = new Set<number>();
		for (let step = 0; step < STEPS; step++) {
			await gateway.pass(STEP_MS);
			// The session has expired.
			await gateway.login();
			const now = await sample();
			agreesWithItself(now);
			for (const code of ["1.8.0", "1.8.1", "1.8.2", "2.8.0"]) {
				assert.ok(numberOf(now, code) >= numberOf(before, code), `${code} at step ${step}`);
			}
			powers.add(numberOf(now, "16.7.0"));
			before = now;
		}
		assert.ok(powers.size > 100, `only ${powers.size} different powers in a year`);
		const importKWh = numberOf(before, "1.8.0") - numberOf(first, "1.8.0");
		const exportKWh = numberOf(before, "2.8.0") - numberOf(first, "2.8.0");
		assert.ok(importKWh > 1000 && importKWh < 10_000, `imports ${importKWh} kWh a year`);
		assert.ok(exportKWh > 500 && exportKWh < 15_000, `exports ${exportKWh} kWh a year`);
	});

	it("has counters that match the power, minute by minute through a day", async function () {
		this.timeout(60_000);
		await gateway.login();
		const first = await sample();
		let energyKWh = 0;
		let importMinutes = 0;
		for (let minute = 0; minute < 24 * 60; minute++) {
			if (minute % 20 === 0) await gateway.login();
			const values = await sample();
			agreesWithItself(values);
			energyKWh += numberOf(values, "16.7.0") / 60;
			if (numberOf(values, "1.7.0") > 0) importMinutes++;
			await gateway.pass(MINUTE_MS);
		}
		const last = await sample();
		const risen = (code: string) => numberOf(last, code) - numberOf(first, code);
		isNear(risen("1.8.0") - risen("2.8.0"), energyKWh, 0.5, "energy is the sum of the power");
		assert.ok(importMinutes > 6 * 60 && importMinutes < 18 * 60, `imports ${importMinutes} minutes of a day`);
	});

	it("changes within a minute", async () => {
		await gateway.login();
		const seen = new Set<string>();
		for (let i = 0; i < 6; i++) {
			seen.add(JSON.stringify([...(await sample())]));
			await gateway.pass(10_000);
		}
		assert.ok(seen.size >= 5);
	});

	it("continues from the same values after a restart", async () => {
		await gateway.login();
		const before = await sample();
		await gateway.restartAndLogin();
		assert.equal((await gateway.read("iec62056/control")).simulator_en, true);
		const after = await sample();
		for (const code of ["1.8.0", "2.8.0"]) assert.ok(numberOf(after, code) >= numberOf(before, code));
		isNear(numberOf(after, "1.8.0"), numberOf(before, "1.8.0"), 0.1, "import");
	});
});

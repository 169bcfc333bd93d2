/** Counters that can't be right, and what is made of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { LANGUAGE_EN } from "../../modules/obis/names.js";
import { PublishedValues } from "../../modules/publish/values.js";
import { COUNTERS_LIMIT, CounterCheck } from "../../modules/readout/counter-check.js";
import type { Readout } from "../../modules/readout/readout.js";
import { type Meter, readoutOf, Unit } from "../history/unit.js";

const names = readFileSync(new URL("../../../modules/resources/obis-names.bin", import.meta.url));
const text = {
	encode: (value: string) => new TextEncoder().encode(value),
	decode: (bytes: Uint8Array, start = 0, end = bytes.length) => new TextDecoder().decode(bytes.subarray(start, end)),
};
const START_S = Date.UTC(2026, 10, 20, 6) / 1000;
const MINUTE_S = 60;

class Bed {
	readonly check = new CounterCheck();
	timeS = START_S;

	/** The checked readout of a meter `stepS` seconds after the one before. */
	read(lines: string, stepS = MINUTE_S, meter: Meter = {}): Readout {
		this.timeS += stepS;
		return this.check.check(readoutOf(`${lines}\r\n`, this.timeS, meter), (this.timeS - START_S) * 1000);
	}

	/** For each value of the import in kWh whether it is believed. */
	believes(values: readonly number[], stepS = MINUTE_S): boolean[] {
		return values.map((value) => (this.read(`1-0:1.8.0(${value}*kWh)`, stepS).unconfirmed ?? []).length === 0);
	}
}

describe("A counter", () => {
	it("is believed if it stays or rises as a household can", () => {
		assert.deepEqual(new Bed().believes([1043, 1043, 1043.5, 1044.9, 1046.5, 1049]), Array(6).fill(true));
		// 100 kWh in an hour and 1 kWh more, and just above.
		assert.deepEqual(new Bed().believes([1043, 1069], 900), [true, true]);
		assert.deepEqual(new Bed().believes([1043, 1069.1], 900), [true, false]);
	});

	it("is not believed if it falls or jumps for one readout, and goes on as before", () => {
		assert.deepEqual(new Bed().believes([1043, 33, 1043, 999_999, 1043.1, 0, 1043.2]), [
			...[true, false, true, false, true, false, true],
		]);
		assert.deepEqual(new Bed().believes([1043, 999_999, 33, 500_000, 1043.1]), [true, false, false, false, true]);
	});

	it("is believed again as soon as a readout agrees with it", () => {
		assert.deepEqual(new Bed().believes([1043, 33, 33.1, 33.2]), [true, false, true, true]);
		assert.deepEqual(new Bed().believes([1043, 5000, 5000, 5001, 1044, 1044.1]), [
			...[true, false, true, true, false, true],
		]);
	});

	it("of a plant that draws more than a house is believed once its rise is confirmed", () => {
		const values = Array.from({ length: 8 }, (_, i) => 1000 + i * 10);
		assert.deepEqual(new Bed().believes(values), [true, false, true, true, true, true, true, true]);
	});

	it("on M-Bus may rise by hours at once, because it is read hourly", () => {
		const bed = new Bed();
		const gas = (value: string) => bed.read(`0-1:24.1.0(003)\r\n0-1:24.2.1(261120060000W)(${value}*m3)`).unconfirmed;
		for (let i = 0; i < 60; i++) gas("100.000");
		assert.equal(gas("104.500"), undefined);
		assert.deepEqual(gas("400.000"), [2]);
	});

	it("is taken at once if the number of the meter has changed, or without one its identification", () => {
		const bed = new Bed();
		const read = (kWh: number, serial: string, id: string) => {
			const lines = `${serial === "" ? "" : `0.0.0(${serial})\r\n`}1.8.0(${kWh}*kWh)`;
			return (bed.read(lines, MINUTE_S, { id }).unconfirmed ?? []).length === 0;
		};
		assert.deepEqual([read(1043, "1", "A"), read(5, "2", "A"), read(900, "2", "B")], [true, true, false]);
		assert.deepEqual([read(5, "", "B"), read(4, "", "C"), read(900, "", "C")], [true, true, false]);
	});

	it("is checked among others, once in a readout, and not in past billing periods, profiles and balances", () => {
		const bed = new Bed();
		const lines = (a: number, b: number) =>
			`1.8.0(${a}*kWh)\r\n1.8.0(1*kWh)\r\n1.8.0*01(${b}*kWh)\r\n16.8.0(${b}*kWh)\r\n1.7.0(${b}*kW)\r\n2.8.0(${a}*kWh)`;
		bed.read(lines(1000, 1000));
		assert.equal(bed.read(lines(1000, 1)).unconfirmed, undefined);
		assert.deepEqual(bed.read(lines(1, 1000)).unconfirmed, [1, 6]);
	});

	it("beyond the limit of counters is not checked", () => {
		const bed = new Bed();
		const many = (value: number) =>
			Array.from({ length: COUNTERS_LIMIT + 1 }, (_, i) => `1.8.${i}(${value}*kWh)`).join("\r\n");
		bed.read(many(1000));
		assert.equal(bed.read(many(1)).unconfirmed?.length, COUNTERS_LIMIT);
	});

	it("is noticed if a readout lacks it, or if it is unconfirmed, until a readout has all or the meter is another one", () => {
		const bed = new Bed();
		const lacks = (lines: string, id = "A") => bed.read(lines, MINUTE_S, { id }).lacksCounter === true;
		const [first, second] = ["1.8.1(1000*kWh)", "1.8.2(2000*kWh)"];
		const steps = [lacks(first), lacks(`${first}\r\n${second}`), lacks(first), lacks(second), lacks("1.7.0(1*kW)")];
		assert.deepEqual(steps, [false, false, true, true, true]);
		assert.deepEqual([lacks(`${first}\r\n1.8.2(9000*kWh)`), lacks(`${first}\r\n${second}`)], [true, false]);
		assert.deepEqual([lacks(first), lacks(first, "B"), lacks(first, "B")], [true, false, false]);
	});

	it("keeps its mark while only the powers are read again", () => {
		const bed = new Bed();
		bed.read("1.8.0(1000*kWh)");
		const marked = bed.read("1.8.0(1*kWh)");
		const again = bed.check.check({ ...marked, liveUtcMs: 1 }, 100_000_000);
		assert.deepEqual([again.unconfirmed, bed.believes([1])], [[1], [true]]);
	});
});

describe("An unconfirmed counter", () => {
	it("is unknown among the published values, and others keep theirs", () => {
		const bed = new Bed();
		bed.read("1-0:1.8.0(1043*kWh)\r\n1-0:2.8.0(7*kWh)");
		const values = (readout: Readout) => {
			const published = new PublishedValues(readout, { names, text, language: LANGUAGE_EN });
			return Array.from({ length: published.count }, (_, index) => {
				published.seek(index);
				return `${published.key} ${published.value}`;
			});
		};
		const spike = bed.read("1-0:1.8.0(999999*kWh)\r\n1-0:2.8.0(7*kWh)");
		assert.deepEqual(values(spike), ["1_0_1_8_0 ", "1_0_2_8_0 7"]);
		assert.deepEqual(values(bed.read("1-0:1.8.0(1043*kWh)\r\n1-0:2.8.0(7*kWh)")), ["1_0_1_8_0 1043", "1_0_2_8_0 7"]);
	});

	/** Import in the history, Wh, and its marks, after readouts every five minutes. */
	function historyOf(lines: readonly string[]): string {
		const unit = new Unit("");
		const bed = new Bed();
		for (const line of lines) unit.record(bed.read(line, 300));
		const periods = unit.periods("days");
		return periods
			.map(({ amounts, marks }) => `${amounts.import} ${marks.replace("partial", "").trim()}`.trim())
			.join();
	}
	const imports = (...values: number[]) => values.map((value) => `1-0:1.8.0(${value}*kWh)`);

	it("does not enter the history, also if it is only one of the tariffs", () => {
		// The quarter hours begin with the readouts 2, 5 and 8.
		assert.equal(historyOf(imports(1000, 1000, 1000, 1001, 1001, 1002, 1002, 1002, 1003)), "3000");
		for (const spike of [0, 999_999]) {
			const values = [1000, 1000, spike, 1001, 1001, spike, 1002, 1002, 1003];
			assert.equal(historyOf(imports(...values)), "3000", String(spike));
			const tariffs = values.map((kWh) => `1-0:1.8.1(${kWh}*kWh)\r\n1-0:1.8.2(500*kWh)`);
			assert.equal(historyOf(tariffs), "3000", `${spike}, tariff`);
		}
	});

	it("that is a sum of tariffs is not booked while a tariff is missing", () => {
		const lines = [0, 0, 0, 1, 1, 1, 2, 2, 3].map((kWh, i) =>
			i > 2 && i < 6 ? "1-0:1.8.2(500*kWh)" : `1-0:1.8.1(${1000 + kWh}*kWh)\r\n1-0:1.8.2(500*kWh)`,
		);
		assert.equal(historyOf(lines), "3000");
	});

	it("enters the history as soon as it is confirmed: a reset without, an exchange with another number at once", () => {
		const values = [1000, 1000, 1000, 1000, 1000, 5, 6, 6, 7];
		assert.equal(historyOf(imports(...values)), "1000 changed");
		const exchanged = values.map((kWh, i) => `0.0.0(${i < 5 ? 1 : 2})\r\n1-0:1.8.0(${kWh}*kWh)`);
		assert.equal(historyOf(exchanged), "2000 changed");
	});
});

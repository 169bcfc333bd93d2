/** Values that the history takes from readouts, of captured meters and others. */
import assert from "node:assert/strict";
import { takeReadout } from "../../modules/history/from-readout.js";
import { KNOWN, MeterState, READINGS } from "../../modules/history/meter-state.js";
import { STATUS_CUT } from "../../modules/readout/readout.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { vectorOf } from "../api/gateway.js";
import { at, type Meter, NAMES, type Readings, readoutOf } from "./unit.js";

function stateOf(lines: string, meter?: Meter): MeterState {
	const state = new MeterState();
	takeReadout(readoutOf(lines, at("2026-11-20"), meter), state);
	return state;
}

function readingsOf(lines: string, meter?: Meter): Readings {
	const { numbers } = stateOf(lines, meter);
	const isKnown = (i: number) => numbers[KNOWN] & (1 << i);
	return Object.fromEntries(NAMES.flatMap((name, i) => (isKnown(i) ? [[name, numbers[READINGS + i]]] : [])));
}

/** Readings in the captures, determined by hand from their .json files; Wh and litres. */
const CAPTURED: Readonly<Record<string, Readings>> = {
	"easymeter-q3da1024-import": { import: 1_013_036, export: 376_012 },
	"emh-ehz-push": { import: 32_942_023 },
	"iskraemeco-am550t-dsmr5": { import: 3190, export: 0, gas: 38, tariff2: 2564 },
	"iskraemeco-mt174-15-billing-periods": { import: 8_048_375, export: 0 },
	"iskraemeco-mt382-1003-dsmr2": { import: 53_137, export: 5, gas: 1160, tariff2: 17_004 },
	"iskraemeco-mt382-dsmr4": { import: 246_913_578, export: 246_913_578, gas: 12_785_123, tariff2: 123_456_789 },
	"kaifa-ma105-dsmr4": { import: 3_016_829, export: 0, gas: 981_443, tariff2: 1_435_706 },
	"kamstrup-162-dsmr2": { import: 92_000, export: 55_000, gas: 54_386, tariff2: 24_000 },
	"kohler-three-phase-12-billing-periods": { import: 0, export: 43_000 },
	"landis-gyr-2wr5-heat": { heat: 29_055_000 },
	"landis-gyr-zmd120-echo": { import: 1_846_000, export: 4_329_600 },
	"landis-gyr-zmf100-m26-padded-left": { import: 61_561_289, export: 10_490, tariff2: 18_609_568 },
	"logarex-lk13-history": { import: 15_882_692, export: 219_488 },
	"metcom-mcs301-maxima": { import: 1_281_660 },
};

describe("The readings that the history takes from a readout", () => {
	it("are in Wh and litres, rounded down, whatever the meter's unit and digits", () => {
		for (const [text, wh] of [
			["001234.567*kWh", 1_234_567],
			["001234.5679*kWh", 1_234_567],
			["1234*kWh", 1_234_000],
			["1234,5*kWh", 1_234_500],
			["12.5*MWh", 12_500_000],
			["0.001*GWh", 1_000_000],
			["77*Wh", 77],
			["77.9*Wh", 77],
			["123.4*KWH", 123_400],
			["000000.0*kWh", 0],
			["9.3*GJ", 2_583_333],
			["2.5*Gcal", 2_907_500],
			["999999.999", 999_999_999],
			["99999999999.9*kWh", 99_999_999_999_900],
		] as const)
			assert.deepEqual(readingsOf(`1.8.0(${text})\r\n`), { import: wh }, text);
		for (const text of ["*kWh", "abc*kWh", "12.3*kW", "12.3*kvarh", "-1.5*kWh", "12.3*imp/kWh", "999999999999*MWh"])
			assert.deepEqual(readingsOf(`1.8.0(${text})\r\n`), {}, text);
		assert.deepEqual(readingsOf("7-0:3.0.0(12.345*m3)\r\n8-0:1.0.0(500*l)\r\n"), { gas: 12_345, water: 500 });
		assert.deepEqual(readingsOf("7-0:3.0.0(12.345*kWh)\r\n"), {});
	});

	it("have the usual unit if the meter sends none by IEC 62056-21, but are unknown by any other protocol", () => {
		for (const [protocol, known] of [
			["IEC62056-21", 1],
			["DLMS", 0],
			["SML", 0],
		] as const) {
			const state = new MeterState();
			takeReadout({ ...readoutOf("1-0:1.8.0(100)\r\n", at("2026-11-20")), protocol }, state);
			assert.deepEqual([state.numbers[KNOWN], state.numbers[READINGS]], [known, known * 100_000], protocol);
		}
	});

	it("are the total, in every notation of its code, and tariff 2, but not tariff 1", () => {
		for (const code of ["1.8.0", "1-0:1.8.0", "1-1:1.8.0", "1-0:1.8.0*255", "1.8"])
			assert.deepEqual(
				readingsOf(`1.8.1(5*kWh)\r\n${code}(7*kWh)\r\n1.8.2(2*kWh)\r\n`),
				{ import: 7000, tariff2: 2000 },
				code,
			);
		for (const code of ["1.8.0*01", "1.8.0&12", "1.6.0", "15.8.0", "3.8.0", "2-0:1.8.0", "1.9.0", "C.8.0"])
			assert.deepEqual(readingsOf(`${code}(7*kWh)\r\n`), {}, code);
	});

	it("are the first of several registers with the same meaning, and the first value in a register", () => {
		assert.deepEqual(readingsOf("1-1:1.8.0(7*kWh)\r\n1-2:1.8.0(9*kWh)\r\n"), { import: 7000 });
		assert.deepEqual(readingsOf("2.8.0(7*kWh)(9*kWh)\r\n"), { export: 7000 });
	});

	it("include tariff 2 of the import once it is above zero (the first of several registers), but not of the export", () => {
		assert.deepEqual(readingsOf("1.8.0(7*kWh)\r\n1.8.2(0*kWh)\r\n"), { import: 7000 });
		assert.deepEqual(readingsOf("1.8.0(7*kWh)\r\n1.8.2(0.001*kWh)\r\n"), { import: 7000, tariff2: 1 });
		assert.deepEqual(readingsOf("1.8.0(7*kWh)\r\n1-1:1.8.2(2*kWh)\r\n1-2:1.8.2(3*kWh)\r\n"), {
			import: 7000,
			tariff2: 2000,
		});
		for (const line of ["1.8.2(2*kW)", "1.8.2*01(2*kWh)", "2.8.2(2*kWh)", "1.8.3(2*kWh)"])
			assert.equal(readingsOf(`1.8.0(7*kWh)\r\n2.8.0(7*kWh)\r\n${line}\r\n`).tariff2, undefined, line);
	});

	it("are the sum of the tariffs if a complete readout has no total", () => {
		const lines = "1-0:1.8.1(000010.500*kWh)\r\n1-0:1.8.2(000020.000*kWh)\r\n1-0:2.8.1(1*kWh)\r\n";
		assert.deepEqual(readingsOf(lines), { import: 30_500, export: 1000, tariff2: 20_000 });
		assert.deepEqual(readingsOf(lines, { status: STATUS_CUT }), {});
		assert.deepEqual(readingsOf(`1-0:1.8.0(5*kWh)\r\n${lines}`, { status: STATUS_CUT }), {
			import: 5000,
			tariff2: 20_000,
		});
	});

	it("are those of an M-Bus meter according to its device type", () => {
		const mbus = (kind: string, reading: string) => readingsOf(`0-2:24.1.0(${kind})\r\n${reading}\r\n`);
		assert.deepEqual(mbus("003", "0-2:24.2.1(261120060000W)(00012.345*m3)"), { gas: 12_345 });
		assert.deepEqual(mbus("003", "0-2:24.2.3(261120060000W)(00012.345*m3)"), { gas: 12_345 });
		assert.deepEqual(mbus("007", "0-2:24.2.1(261120060000W)(00012.345*m3)"), { water: 12_345 });
		assert.deepEqual(mbus("012", "0-2:24.2.1(261120060000W)(00012.345*GJ)"), { heat: 3_429_166 });
		assert.deepEqual(mbus("002", "0-2:24.2.1(261120060000W)(00012.345*kWh)"), {});
		assert.deepEqual(readingsOf("0-2:24.2.1(261120060000W)(00012.345*m3)\r\n"), {});
		assert.deepEqual(readingsOf("0-1:24.1.0(003)\r\n0-2:24.2.1(261120060000W)(00012.345*m3)\r\n"), {});
		assert.deepEqual(readingsOf("0-9:24.1.0(003)\r\n0-9:24.2.1(261120060000W)(00012.345*m3)\r\n"), {});
	});

	it("identify the meter by its number, and otherwise by its identification", () => {
		const one = stateOf("0.0.0(4711)\r\n", { id: "A" });
		for (const lines of [
			"C.1.0(4711)\r\n",
			"0-0:96.1.0(4711)\r\n",
			"0-0:C.1.0(4711)\r\n",
			"0-1:96.1.0(9)\r\n0.0.0(4711)\r\n",
		])
			assert.equal(one.isOther(stateOf(lines, { id: "B" })), false, lines);
		assert.equal(one.isOther(stateOf("0.0.0(4712)\r\n", { id: "A" })), true);
		assert.equal(one.isOther(stateOf("1.8.0(1*kWh)\r\n", { id: "A" })), false);
		assert.equal(one.isOther(stateOf("1.8.0(1*kWh)\r\n", { id: "B" })), true);
		assert.equal(stateOf("", { id: "" }).isOther(one), false);
	});

	for (const [name, expected] of Object.entries(CAPTURED)) {
		it(`are correct for the capture ${name}`, () => {
			const { telegram } = vectorOf(name);
			const block = Buffer.from(splitTelegram(telegram).message).toString("latin1");
			const lines = block.slice(block.indexOf("\x02") + 1).split("\r\n!")[0];
			assert.deepEqual(readingsOf(`${lines}\r\n`), expected);
		});
	}
});

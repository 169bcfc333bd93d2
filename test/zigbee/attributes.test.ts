import assert from "node:assert/strict";
import fc from "fast-check";
import { MAP_ENTRY_SIZE, mapOf, PAIRS, packMapping } from "../../modules/obis/mapping.js";
import { STATUS_CUT } from "../../modules/readout/readout.js";
import { Attributes, FRESH_MS } from "../../modules/zigbee/attributes.js";
import { iecVectors } from "../vectors.js";
import { INFO, readout, TEXT } from "./bridge-bed.js";

const UNKNOWN = [Number.NaN, Number.NaN, -0x800000, 0xffff, 0xffff, -0x8000];

function mapping(entries: Readonly<Record<string, string>>): Uint8Array {
	const all = Object.entries(entries);
	const map = new Uint8Array(1 + all.length * MAP_ENTRY_SIZE);
	map[0] = all.length;
	for (const [i, [obis, pair]] of all.entries())
		assert.ok(packMapping(obis, undefined, PAIRS.indexOf(pair), map, 1 + i * MAP_ENTRY_SIZE));
	return map;
}

function attributes(map = mapOf(new Uint8Array(0)), cells = 0): Attributes {
	return new Attributes({ info: INFO, text: TEXT, cells, map });
}

/** Import, export, power, voltage, current and active power after a readout. */
function valuesAfter(block: string, map?: Uint8Array): number[] {
	const all = attributes(map);
	all.setReadout(readout(block), 1000);
	return [...all.values.slice(1, 7)];
}

describe("zigbee/attributes", () => {
	it("has no values before the first readout", () => {
		assert.deepEqual([...attributes().values.slice(1, 7)], UNKNOWN);
		assert.equal(attributes().hasMeasured, false);
	});

	it("converts values from whichever unit the meter sends", () => {
		const import_ = (value: string) => valuesAfter(`1.8.0(${value})`)[0];
		assert.equal(import_("12345.678*kWh"), 12_345_678);
		assert.equal(import_("12345678*Wh"), 12_345_678);
		assert.equal(import_("12.345678*MWh"), 12_345_678);
		assert.equal(import_("1.5*GWh"), 1_500_000_000);
		assert.ok(Number.isNaN(import_("12*kvarh")));
		assert.ok(Number.isNaN(import_("12*kW")));
		assert.ok(Number.isNaN(import_("12")));
		const power = (value: string) => valuesAfter(`16.7.0(${value})`)[2];
		assert.equal(power("-1.25*kW"), -1250);
		assert.equal(power("0.002*MW"), 2000);
		assert.equal(power("-12*W"), -12);
		assert.equal(power("12*VA"), -0x800000);
		assert.deepEqual(valuesAfter("32.7.0(0.23*kV)\r\n31.7.0(1250*mA)").slice(3, 5), [2300, 125]);
	});

	it("adds up the tariffs of a meter that sends no total, such as every P1 port", () => {
		const tariffs = "1-0:1.8.1(001581.123*kWh)\r\n1-0:1.8.2(001435.706*kWh)\r\n1-0:2.8.1(0*Wh)\r\n1-0:2.8.2(7*Wh)";
		assert.deepEqual(valuesAfter(tariffs).slice(0, 2), [3_016_829, 7]);
		assert.equal(valuesAfter(`1-0:1.8.0(9*kWh)\r\n${tariffs}`)[0], 9000, "a total is used alone");
		assert.equal(valuesAfter(`${tariffs}\r\n1-0:1.8.0(9*kWh)`)[0], 9000, "the order does not matter");
		assert.equal(valuesAfter("1.8.1*01(5*kWh)\r\n1.8.2(1*kWh)\r\n1.8.10(7*kWh)\r\n1.9.1(8*kWh)")[0], 1000);
		const one = mapping({ "1.8.1": "07020000" });
		assert.equal(valuesAfter(tariffs, one)[0], 1_581_123, "a mapped tariff is used alone");
		assert.ok(
			Number.isNaN(valuesAfter(tariffs, mapping({ "1-1:1.8.0": "07020000" }))[0]),
			"the mapped code is of another channel",
		);
		assert.ok(Number.isNaN(valuesAfter(tariffs, mapping({ "16.7.0": "07020400" }))[0]), "no energy is mapped");
		const all = attributes();
		all.setReadout(readout(tariffs, { status: STATUS_CUT }), 1000);
		assert.ok(Number.isNaN(all.values[1]), "some tariffs may be missing");
		all.setReadout(readout(tariffs), 2000);
		all.setReadout(readout(tariffs, { unconfirmed: [1], lacksCounter: true }), 3000);
		assert.equal(all.values[1], 3_016_829, "a tariff is unconfirmed");
	});

	it("has the energy of every captured P1 telegram", () => {
		const known = iecVectors().filter(({ name, check }) => name.includes("dsmr") && check !== "wrong");
		assert.ok(known.length >= 8, `${known.length}`);
		for (const { name, readings } of known) {
			const expectedEnergy = readings.filter(
				({ obis, billing_period }) => /^1\.8\.[12]$/.test(obis) && billing_period === null,
			);
			const block = expectedEnergy.map(({ obis, value1 }) => `1-0:${obis}(${value1}*kWh)`).join("\r\n");
			const sum = expectedEnergy.reduce((all, { value1 }) => all + Math.round(Number(value1) * 1000), 0);
			assert.equal(valuesAfter(block)[0], sum, name);
		}
	});

	it("rounds half away from zero", () => {
		const power = (value: string) => valuesAfter(`16.7.0(${value}*W)`)[2];
		for (const [value, expected] of [
			["0.5", 1],
			["0.49999", 0],
			["-0.5", -1],
			["-0.49", -0],
			["2.5", 3],
			["-2.5", -3],
			["99.999", 100],
		] as const)
			assert.equal((power(value) ?? 0) + 0, expected + 0, value);
		assert.equal(valuesAfter("1.8.0(0.0005*kWh)")[0], 1);
		assert.equal(valuesAfter("32.7.0(230.05*V)")[3], 2301);
		assert.equal(valuesAfter("31.7.0(0.004*A)")[4], 0);
	});

	it("rounds exactly even if a double would not", () => {
		fc.assert(
			fc.property(fc.nat(99_999_999), fc.nat(999_999), (whole, part) => {
				const digits = `${part}`.padStart(6, "0");
				const exact = (BigInt(whole) * 1_000_000n + BigInt(part) + 500n) / 1000n;
				assert.equal(valuesAfter(`1.8.0(${whole}.${digits}*kWh)`)[0], Number(exact));
			}),
			{ numRuns: 200 },
		);
	});

	it("limits values to the range of their type, without the values that mean unknown", () => {
		assert.equal(valuesAfter("1.8.0(999999999999.9*kWh)")[0], 2 ** 48 - 2);
		assert.equal(valuesAfter("1.8.0(-1*kWh)")[0], 0);
		assert.deepEqual(valuesAfter("16.7.0(40*kW)").slice(2, 3), [40_000]);
		assert.equal(valuesAfter("16.7.0(40*kW)")[5], 32_767);
		assert.equal(valuesAfter("16.7.0(-40*kW)")[5], -32_767);
		assert.equal(valuesAfter("16.7.0(-9000*kW)")[2], -0x7fffff);
		assert.equal(valuesAfter("16.7.0(9000*kW)")[2], 0x7fffff);
		assert.equal(valuesAfter("31.7.0(700*A)")[4], 0xfffe);
	});

	it("computes the power from import and export if the meter sends no other", () => {
		assert.equal(valuesAfter("1.7.0(0.1*kW)\r\n2.7.0(1.3505*kW)")[2], -1251);
		assert.equal(valuesAfter("1-0:2.7.0(0*W)\r\n1-0:1.7.0(420*W)")[2], 420);
		assert.equal(valuesAfter("1.7.0(420*W)")[2], -0x800000, "the export is unknown");
		assert.equal(valuesAfter("1.7.0(1*W)\r\n16.7.0(7*W)\r\n2.7.0(3*W)")[2], 7);
		const other = mapping({ "1.7.0": "07020400" });
		assert.equal(valuesAfter("1.7.0(420*W)\r\n2.7.0(100*W)", other)[2], 420);
		const channel = mapping({ "1-1:16.7.0": "07020400" });
		assert.equal(valuesAfter("1-0:1.7.0(420*W)\r\n1-0:2.7.0(100*W)", channel)[2], -0x800000);
		assert.equal(valuesAfter("1-1:1.7.0(420*W)\r\n1-1:2.7.0(100*W)", channel)[2], 320);
	});

	it("uses the first of two readings for the same attribute, and none of past months", () => {
		assert.equal(valuesAfter("1-0:1.8.0(1*kWh)\r\n1-1:1.8.0(2*kWh)")[0], 1000);
		assert.ok(Number.isNaN(valuesAfter("1.8.0*01(1*kWh)")[0]));
	});

	it("assigns readings to attributes as the map says", () => {
		const map = mapping({ "1.8.1": "07020000", "52.7.0": "0B040505" });
		assert.deepEqual(valuesAfter("1.8.0(1*kWh)\r\n1.8.1(2*kWh)\r\n32.7.0(1*V)\r\n52.7.0(2*V)\r\n31.7.0(3*A)", map), [
			2000,
			Number.NaN,
			-0x800000,
			20,
			0,
			-0x8000,
		]);
		const none = mapping({ "1.8.0": "07020000" });
		assert.deepEqual(attributes(none).clusters, [0, 3, 0x0702]);
		assert.deepEqual(valuesAfter("1.8.0(1*kWh)\r\n32.7.0(1*V)", none).slice(3), [Number.NaN, Number.NaN, Number.NaN]);
		const options = { info: INFO, text: TEXT, cells: 0, map: mapOf(new Uint8Array(0)) };
		const all = new Attributes(options);
		all.setReadout(readout("1.8.0(1*kWh)\r\n16.7.0(5*W)\r\n32.7.0(230*V)\r\n31.7.0(1*A)"), 1000);
		options.map = none;
		all.mapChanged();
		assert.deepEqual([...all.values.slice(1, 7)], [NaN, NaN, -0x800000, NaN, NaN, NaN]);
		assert.equal(all.hasMeasured, false);
	});

	it("keeps counters for ever, and momentary values while they are fresh", () => {
		const all = attributes();
		const block = "1.8.0(1*kWh)\r\n16.7.0(5*W)\r\n32.7.0(230*V)\r\n31.7.0(1*A)";
		all.setReadout(readout(block), 1000);
		all.meterFailed(false, 1000 + FRESH_MS);
		assert.deepEqual([...all.values.slice(0, 7)], [1, 1000, NaN, 5, 2300, 100, 5]);
		all.setReadout(readout("1.8.0(2*kWh)\r\n16.7.0(6*W)"), 1000 + FRESH_MS);
		assert.deepEqual([...all.values.slice(0, 7)], [0, 2000, NaN, 6, 2300, 100, 6], "missing once");
		all.meterFailed(false, 1001 + FRESH_MS);
		assert.deepEqual([...all.values.slice(0, 7)], [1, 2000, NaN, 6, 0xffff, 0xffff, 6]);
		all.meterFailed(false, 1001 + 2 * FRESH_MS);
		assert.deepEqual([...all.values.slice(0, 7)], [1, 2000, ...UNKNOWN.slice(1)]);
		all.setReadout(readout(block), 5_000_000);
		assert.deepEqual([...all.values.slice(0, 7)], [0, 1000, NaN, 5, 2300, 100, 5]);
	});

	it("loses all momentary values at once when they are too old", () => {
		const all = attributes();
		all.setReadout(readout("1.8.0(1*kWh)\r\n16.7.0(5*W)\r\n32.7.0(230*V)\r\n31.7.0(1*A)"), 1000);
		all.meterFailed(true, 31_000);
		assert.deepEqual([...all.values.slice(0, 7)], [1, 1000, ...UNKNOWN.slice(1)]);
	});

	it("reports nearly empty cells", () => {
		const all = attributes(undefined, 3);
		all.meterFailed(false, 0);
		all.setBattery(3.1, 9);
		assert.deepEqual([all.values[0], all.values[7], all.values[8]], [3, 31, 18]);
		all.setReadout(readout("1.8.0(1*kWh)"), 0);
		assert.equal(all.values[0], 2);
		all.setBattery(40, 100);
		assert.deepEqual([all.values[0], all.values[7], all.values[8]], [0, 254, 200]);
	});
});

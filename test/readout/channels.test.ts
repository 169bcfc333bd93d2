/** Meters behind an electricity meter, in everything that is made from a readout. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { takeReadout } from "../../modules/history/from-readout.js";
import { KNOWN, MeterState, READINGS } from "../../modules/history/meter-state.js";
import { LANGUAGE_EN } from "../../modules/obis/names.js";
import { PublishedValues } from "../../modules/publish/values.js";
import { meterNumberOf } from "../../modules/readout/meter-number.js";
import { PROTOCOL_IEC62056_21, STATUS_OK } from "../../modules/readout/readout.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { vectorOf } from "../api/gateway.js";
import { NAMES } from "../history/unit.js";
import { packedReadings } from "../meter/packed.js";
import { recordsOfBlock } from "./block.js";

const names = readFileSync(new URL("../../../modules/resources/obis-names.bin", import.meta.url));
const text = {
	encode: (value: string) => new TextEncoder().encode(value),
	decode: (bytes: Uint8Array, start = 0, end = bytes.length) => new TextDecoder().decode(bytes.subarray(start, end)),
};

function vector(name: string): Uint8Array {
	const block = Buffer.from(splitTelegram(vectorOf(name).telegram).message).toString("latin1");
	return recordsOfBlock(block.slice(block.indexOf("\r\n\r\n") + 4).split("\r\n!")[0]);
}

/** Device class and name of each published volume, energy on M-Bus or limit. */
function published(records: Uint8Array): string[] {
	const values = new PublishedValues({ records }, { names, text, language: LANGUAGE_EN });
	return Array.from({ length: values.count }, (_, index) => {
		values.seek(index);
		return values.obis.startsWith("1-0:") ? "" : `${values.deviceClass} ${values.value} ${values.name}`;
	}).filter((line) => line !== "");
}

/** Gas, water and heat in the history. */
function kept(records: Uint8Array, protocol = PROTOCOL_IEC62056_21): Record<string, number> {
	const state = new MeterState();
	takeReadout(
		{ protocol, meterId: new Uint8Array(0), mode: 0, baud: 0, utcMs: 1000, status: STATUS_OK, records },
		state,
	);
	const has = (i: number) => i >= 2 && i <= 4 && state.numbers[KNOWN] & (1 << i);
	return Object.fromEntries(NAMES.flatMap((name, i) => (has(i) ? [[name, state.numbers[READINGS + i]]] : [])));
}

/** Values of the readings of M-Bus meters as numbers, by code. */
function numbers(records: Uint8Array): Record<string, unknown> {
	const readings = packedReadings(records).filter(({ obis }) => /^24\.[23]\./.test(obis));
	return Object.fromEntries(readings.map(({ obis_long, value1_number }) => [obis_long, value1_number]));
}

const channel = (n: number, type: string, time: string, value: string) =>
	`0-${n}:24.1.0(${type})\r\n0-${n}:24.2.1(${time})(${value})\r\n`;

describe("A meter on M-Bus", () => {
	it("is water or gas by its type, not by its code", () => {
		const records = vector("fluvius-flu5-water");
		assert.deepEqual(published(records), [
			"gas 123.456 Gas meter reading (M-Bus channel 1)",
			"water 45.678 Water meter reading (M-Bus channel 2)",
		]);
		assert.deepEqual(kept(records), { gas: 123_456, water: 45_678 });
	});

	it("is heat or a second electricity meter by its type, and nothing in particular without one", () => {
		const block =
			`${channel(1, "012", "260314100000W", "1.5*GJ")}${channel(2, "002", "260314100000W", "7*kWh")}` +
			"0-3:24.2.1(260314100000W)(9*m3)";
		const records = recordsOfBlock(block);
		assert.deepEqual(published(records), [
			"energy 1.5 Heat meter reading (M-Bus channel 1)",
			"energy 7 Meter reading (M-Bus channel 2)",
			"volume 9 Meter reading (M-Bus channel 3)",
		]);
		assert.deepEqual(kept(records), { heat: 416_666 });
	});

	it("has no value anywhere before its first reading, whichever impossible time it has", () => {
		const records = vector("xmx-lgf-gas-not-read-yet");
		assert.deepEqual([published(records), kept(records)], [[], {}]);
		assert.deepEqual(numbers(records), { "0-1:24.2.1": null });
		for (const time of ["632525252525S", "700101010000W", "000101000000W", "000000000000W", "261332000000S"]) {
			const channels = recordsOfBlock(channel(1, "003", time, "00000.000*m3"));
			assert.deepEqual([published(channels), kept(channels)], [[], {}], time);
			assert.deepEqual(numbers(channels), { "0-1:24.2.1": null }, time);
		}
	});

	it("counts if it is alive, and not if another one of its kind has taken its place", () => {
		const records = vector("xmx-lgf-gas-exchanged");
		assert.deepEqual(published(records), ["gas 45.678 Gas meter reading (M-Bus channel 2)"]);
		assert.deepEqual(kept(records), { gas: 45_678 });
		assert.deepEqual(numbers(records), { "0-1:24.2.1": null, "0-2:24.2.1": 45.678 });
		const alive = channel(2, "003", "260314100000W", "45.678*m3");
		for (const [time, gas, count] of [
			["170113170000W", 45_678, 1],
			["260314070000W", 45_678, 1],
			["260314080000W", 1287, 2],
			["260314110000S", 1287, 2],
		] as const) {
			const both = recordsOfBlock(`${channel(1, "003", time, "00001.287*m3")}${alive}`);
			assert.deepEqual([kept(both), published(both).length], [{ gas }, count], time);
			assert.equal(numbers(both)["0-1:24.2.1"], 1.287, "its last value is shown as it is sent");
		}
		const water = recordsOfBlock(`${channel(1, "007", "170113170000W", "1*m3")}${alive}`);
		assert.deepEqual(kept(water), { water: 1000, gas: 45_678 }, "another kind");
	});

	it("needs the unit that its meter sends, in the history as in the published values", () => {
		const records = recordsOfBlock(channel(1, "003", "260314100000W", "00012.345"));
		assert.deepEqual([published(records), kept(records)], [[], {}]);
	});
});

describe("A limit", () => {
	it("is not published as a measurement", () => {
		const block =
			"0-0:17.0.0(99999*W)\r\n1-0:31.4.0(999.99*A)\r\n1-0:0.6.0(230*V)\r\n1-0:12.31.0(207*V)\r\n1-0:12.35.0(253*V)";
		const values = new PublishedValues(
			{ records: recordsOfBlock(`${block}\r\n1-0:31.7.0(1.5*A)\r\n1-0:1.4.0(0.3*kW)`) },
			{ names, text, language: LANGUAGE_EN },
		);
		const published = Array.from({ length: values.count }, (_, index) => {
			values.seek(index);
			return values.obis;
		});
		assert.deepEqual(published, ["1-0:31.7.0", "1-0:1.4.0"]);
	});
});

describe("The number of a meter", () => {
	it("is 96.1.1 in plain characters, not the version of the port before it", () => {
		const numberOf = (records: Uint8Array) => Buffer.from(meterNumberOf(records) ?? []).toString("latin1");
		assert.equal(numberOf(vector("fluvius-flu5-version-before-number")), "1SAG0000000001");
		for (const [block, number] of [
			["0-0:96.1.4(50217)\r\n0-0:96.1.1(12345678)", "12345678"],
			["0-0:96.1.4(50217)\r\nC.1.0(31323334)", "31323334"],
			["0-0:96.1.4(50217)", "50217"],
			["0-0:96.1.1(0102030405060708090A0B0C)", "0102030405060708090A0B0C"],
			["0-0:96.1.10(DE0001)\r\n0-1:96.1.1(1)", ""],
		])
			assert.equal(numberOf(recordsOfBlock(block)), number, block);
	});

	it("stays in the history when the port has a new version, and changes with the meter", () => {
		const stateOf = (version: string, number: string) => {
			const state = new MeterState();
			const records = recordsOfBlock(`0-0:96.1.4(${version})\r\n0-0:96.1.1(${number})\r\n1-0:1.8.0(1*kWh)`);
			const meterId = text.encode("FLU5\\253700000_A");
			takeReadout(
				{ protocol: PROTOCOL_IEC62056_21, meterId, mode: 0, baud: 0, utcMs: 1000, status: STATUS_OK, records },
				state,
			);
			return state;
		};
		const meter = stateOf("50216", "3153414730");
		assert.equal(meter.isOther(stateOf("50217", "3153414730")), false);
		assert.equal(meter.isOther(stateOf("50216", "3153414731")), true);
	});
});

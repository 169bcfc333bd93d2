/** The meter reader as master of an M-Bus, over a modelled line, on virtual time. */
import assert from "node:assert/strict";
import { HEAT, WATER } from "../../modules/history/entry.js";
import { takeReadout } from "../../modules/history/from-readout.js";
import { KNOWN, MeterState, READINGS } from "../../modules/history/meter-state.js";
import { type Readout, STATUS_CUT, STATUS_OK } from "../../modules/readout/readout.js";
import { longHeader } from "../../tools/meter/mbus-meter.js";
import { textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";
import { fixedSlave, mbusBed, slave } from "./bed.js";

const HEADER = longHeader(12_345_678, "LUG", 4);

function recordsIn(readout: Readout | undefined): string[] {
	return recordsOf(readout?.records);
}

describe("the meter reader with M-Bus", function () {
	this.timeout(20_000);
	it("reads a heat meter by the codes and units of EN 13757-1", () => {
		const { bed } = mbusBed();
		const { readout, failure, tookMs } = bed.read();
		assert.equal(failure, undefined);
		assert.deepEqual([readout?.protocol, readout?.baud, readout?.status], ["M-Bus", 2400, STATUS_OK]);
		assert.equal(textOf(readout!.meterId), "LUG10000001");
		assert.ok(tookMs < 5000, `${tookMs}`);
		assert.deepEqual(recordsIn(readout), [
			"0-0:96.1.0*255: 10000001",
			"0-0:96.5.0*255: 00",
			"0c78: 10000001",
			"6-0:1.0.0*255: 37351*kWh",
			"6-0:2.0.0*255: 561.08*m3",
			"6-0:8.0.0*255: 6.2*kW",
			"6-0:9.0.0*255: 0.240*m3/h",
			"6-0:10.0.0*255: 68.01*\u00b0C",
			"6-0:11.0.0*255: 45.54*\u00b0C",
			"6-0:12.0.0*255: 22.47*K",
			"0-0:1.0.0*255: 261120060000",
			"0-0:96.8.0*255: 9850*h",
			"6-0:1.0.0*1: 31204*kWh",
			"0-0:0.9.2*1: 251231",
			"122d: 9.3*kW",
			"0-0:97.97.0*255: 0",
		]);
	});
	it("gives the history heat and water", () => {
		const known = (medium: number) => {
			const { bed } = mbusBed({ slaves: [slave(7, medium)] });
			const state = new MeterState();
			takeReadout(bed.read().readout!, state);
			return state.numbers;
		};
		const heat = known(4);
		assert.deepEqual([heat[KNOWN], heat[READINGS + HEAT]], [1 << HEAT, 37_351_000]);
		const water = known(7);
		assert.deepEqual([water[KNOWN], water[READINGS + WATER]], [1 << WATER, 561_080]);
	});
	it("reads telegrams of several frames, and several slaves under their numbers", () => {
		const { readout: one } = mbusBed({ slaves: [slave(1, 4, true)] }).bed.read();
		assert.equal(one?.status, STATUS_OK);
		assert.deepEqual(recordsIn(one), recordsIn(mbusBed().bed.read().readout));
		const slaves = [slave(3), slave(4, 7), slave(5, 4, true)];
		const { readout } = mbusBed({ slaves }, { address: 3, count: 3 }).bed.read();
		assert.equal(textOf(readout!.meterId), "LUG10000003");
		const records = recordsIn(readout);
		for (const record of ["6-1:1.0.0*255: 37351*kWh", "8-2:1.0.0*255: 561.08*m3", "6-3:1.0.0*1: 31204*kWh"])
			assert.ok(records.includes(record), record);
		assert.ok(records.includes("0-2:96.1.0*255: 10000004") && records.includes("3:122d: 9.3*kW"));
	});
	it("reads at other speeds, and wakes up a meter that sleeps", () => {
		for (const baud of [300, 9600]) assert.equal(mbusBed({ baud }, { baud }).bed.read().readout?.status, STATUS_OK);
		const { readout, tookMs } = mbusBed({ sleeps: true }).bed.read();
		assert.equal(readout?.status, STATUS_OK);
		assert.ok(tookMs > 2200 && tookMs < 8000, `${tookMs}`);
	});
	it("repeats what was not answered or arrived damaged, and ignores an echo", () => {
		for (const faults of [{ silence: 2 }, { wrongCheck: 2 }, { echoes: true }]) {
			const { readout } = mbusBed(faults).bed.read();
			assert.equal(readout?.status, STATUS_OK, Object.keys(faults)[0]);
		}
	});
	it("compares two receptions, and never keeps damage that the checksum does not detect", () => {
		const plain = recordsIn(mbusBed().bed.read().readout);
		// Increments one byte and decrements another, so that the checksum stays correct.
		let sent = 0;
		const damage = (frame: Uint8Array) =>
			sent++ === 0 ? frame.map((byte, i) => (i === 27 ? byte + 1 : i === 28 ? byte - 1 : byte)) : frame;
		const { bed, meter } = mbusBed({ damage });
		const { readout } = bed.read();
		assert.deepEqual([recordsIn(readout), readout?.status, meter.sent], [plain, STATUS_OK, 3]);
	});
	it("has the newest values of a meter that answers repeated requests with its present ones", () => {
		const read = (...sent: (readonly [counter: number, power: number])[]) => {
			let count = 0;
			const telegrams = () => {
				const [counter, power] = sent[Math.min(count++, sent.length - 1)];
				return [[...HEADER, 0x04, 0x06, counter, 0x91, 0, 0, 0x02, 0x2b, power, 0]];
			};
			const { readout } = mbusBed({ slaves: [{ address: 1, telegrams }], ignoresCountBit: true }).bed.read();
			return [readout?.status, ...recordsIn(readout).slice(2)];
		};
		const first = "6-0:1.0.0*255: 37351*kWh";
		assert.deepEqual(read([0xe7, 1], [0xe7, 2], [0xe7, 3], [0xe7, 4]), [STATUS_OK, first, "6-0:8.0.0*255: 4*W"]);
		// A counter that has moved between the last two frames only: the value that two frames have.
		assert.deepEqual(read([0xe7, 1], [0xe7, 2], [0xe7, 3], [0xe8, 4]), [STATUS_OK, first, "6-0:8.0.0*255: 4*W"]);
		const second = "6-0:1.0.0*255: 37352*kWh";
		assert.deepEqual(read([0xe7, 1], [0xe7, 2], [0xe8, 3], [0xe8, 4]), [STATUS_OK, second, "6-0:8.0.0*255: 4*W"]);
		// The same values again could mean that a frame between them was damaged.
		assert.deepEqual(read([0xe7, 1], [0xe7, 2], [0xe7, 1], [0xe7, 2]), [STATUS_CUT, first]);
	});
	it("reads a live electricity meter: power, voltage, current and its counter", () => {
		// After the report wmbusmeters 1118; values and number are our own.
		const telegram = Buffer.from(
			"682d2d6808007200000000a34c1502010000000703436cfd0100000000042b480d000002fdc8ff01ff0802fdd9ff0119058016",
			"hex",
		);
		let sent = 0;
		const telegrams = () => {
			const data = [...telegram.subarray(6, -2)];
			data[data.indexOf(0x2b, 12) + 1] += 7 * sent++;
			return [data];
		};
		const { readout } = mbusBed({ slaves: [{ address: 1, telegrams }], ignoresCountBit: true }).bed.read();
		assert.equal(readout?.status, STATUS_OK);
		const expected = [
			"1-0:1.8.0*255: 33385539*Wh",
			"1-0:1.7.0*255: 3421*W",
			"02fdc8ff01: 230.3*V",
			"02fdd9ff01: 1.305*A",
		];
		assert.deepEqual(recordsIn(readout).slice(2), expected);
	});
	it("says why nothing was read", () => {
		const codeOf = (...args: Parameters<typeof mbusBed>) => mbusBed(...args).bed.read().failure?.code;
		assert.equal(codeOf({}, { address: 9 }), "mbus/silence");
		assert.equal(codeOf({ wrongCheck: 100 }), "mbus/cut");
		assert.equal(codeOf({ slaves: [slave(1), slave(2)] }, { address: 1, count: 3 }), "mbus/silence");
		const ciphered = [...longHeader(1, "KAM", 4).slice(0, -1), 0x05, 1, 2, 3];
		for (const telegram of [[0x73, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0x70, 8], ciphered])
			assert.equal(codeOf({ slaves: [fixedSlave(telegram)] }), "mbus/unreadable");
	});
	it("marks a telegram whose structure is incomplete, and omits faulty and empty records", () => {
		const records = (...data: number[]) => {
			const { readout } = mbusBed({ slaves: [fixedSlave([...HEADER, ...data])] }).bed.read();
			return [readout?.status, ...recordsIn(readout).slice(2)];
		};
		assert.deepEqual(records(0x02, 0x5a, 0x10, 0x01, 0x04, 0x06, 1), [STATUS_CUT, "6-0:10.0.0*255: 27.2*\u00b0C"]);
		assert.deepEqual(records(0x02, 0xda, 0x15, 0x10, 0x01, 0x00, 0x06), [STATUS_OK]);
		assert.deepEqual(records(0x0a, 0x5a, 0x12, 0xf0), [STATUS_OK, "6-0:10.0.0*255: -1.2*\u00b0C"]);
		assert.deepEqual(records(0x0a, 0x5a, 0xdd, 0xbb), [STATUS_OK, "6-0:10.0.0*255: bbdd"]);
		assert.deepEqual(records(0x04, 0x0e, 0x39, 0x30, 0, 0), [STATUS_OK, "6-0:1.0.0*255: 12345*MJ"]);
		assert.deepEqual(records(0x04, 0x0f, 0x39, 0x30, 0, 0), [STATUS_OK, "6-0:1.0.0*255: 123.45*GJ"]);
		assert.deepEqual(records(0x04, 0xfb, 0x01, 0x39, 0x30, 0, 0), [STATUS_OK, "6-0:1.0.0*255: 12345*MWh"]);
		assert.deepEqual(records(0x04, 0x86, 0x7d, 0x39, 0x30, 0, 0), [STATUS_OK, "6-0:1.0.0*255: 12345*MWh"]);
		assert.deepEqual(records(0x02, 0xfb, 0x1a, 0xc7, 0x01), [STATUS_OK, "02fb1a: 45.5*%"]);
		assert.deepEqual(records(0x01, 0xfb, 0x1b, 0x2d), [STATUS_OK, "01fb1b: 45*%"]);
		assert.deepEqual(records(0x01, 0xfd, 0x08, 0x9f), [STATUS_OK, "01fd08: 159"]);
		assert.deepEqual(records(0x04, 0x6d, 0x1e, 0x8d, 0x74, 0x37), [STATUS_OK, "0-0:1.0.0*255: 270720133000S"]);
	});
	it("reads electricity: backward flow, reactive energy and power, and times with their season", () => {
		const records = (medium: number, ...data: number[]) => {
			const header = longHeader(12_345_678, "LUG", medium);
			return recordsIn(mbusBed({ slaves: [fixedSlave([...header, ...data])] }).bed.read().readout).slice(2);
		};
		const value = [0x39, 0x30, 0, 0];
		assert.deepEqual(records(2, 0x04, 0x03, ...value), ["1-0:1.8.0*255: 12345*Wh"]);
		assert.deepEqual(records(2, 0x04, 0x83, 0x3c, ...value), ["1-0:2.8.0*255: 12345*Wh"]);
		assert.deepEqual(records(2, 0x04, 0xab, 0x3c, ...value), ["1-0:2.7.0*255: 12345*W"]);
		assert.deepEqual(records(2, 0x84, 0x10, 0xfb, 0x82, 0x73, ...value), ["1-0:3.8.1*255: 12345*varh"]);
		assert.deepEqual(records(2, 0x04, 0xfb, 0x82, 0xf3, 0x3c, ...value), ["1-0:4.8.0*255: 12345*varh"]);
		assert.deepEqual(records(2, 0x04, 0xfb, 0x02, ...value), ["1-0:3.8.0*255: 12345000*varh"]);
		assert.deepEqual(records(2, 0x04, 0xfb, 0x15, ...value), ["1-0:3.7.0*255: 123450*var"]);
		assert.deepEqual(records(2, 0x04, 0xfb, 0x94, 0x3c, ...value), ["1-0:4.7.0*255: 12345*var"]);
		assert.deepEqual(records(4, 0x04, 0x83, 0x3c, ...value), ["04833c: 12345*Wh"], "no such code for heat");
		assert.deepEqual(records(4, 0x04, 0xfb, 0x14, ...value), ["04fb14: 12345*var"], "nor for reactive power");
		const time = (second: number, minute: number) => records(2, 0x06, 0x6d, second, minute, 0x88, 0xc1, 0x17, 0x1b);
		assert.deepEqual(time(0x5f, 0x0c), ["0-0:1.0.0*255: 140701081231S"]);
		assert.deepEqual(time(0x1f, 0x0c), ["0-0:1.0.0*255: 140701081231W"]);
		assert.deepEqual(time(0x5f, 0x4c), ["0-0:1.0.0*255: 140701081231S"], "the deviation has a sign");
		assert.deepEqual(time(0x5f, 0x8c), [], "the clock is not right");
	});
	it("finds the meter by a probe, awake or asleep, and by one of another protocol", () => {
		for (const sleeps of [false, true]) {
			const { failure, ident } = mbusBed({ sleeps }).bed.probe();
			assert.deepEqual([failure, textOf(ident)], [undefined, "LUG10000001"]);
			if (sleeps) continue;
			for (const protocol of ["iec62056", "dlms", "sml", "tic", "kmp"]) {
				const found = mbusBed({ sleeps }, {}, protocol).bed.probe();
				assert.deepEqual(
					[found.failure?.code, found.failure?.advice],
					["mbus/answers", { protocol: "mbus" }],
					protocol,
				);
				assert.ok(found.tookMs < 30_000, `${protocol}: ${found.tookMs}`);
			}
		}
	});
});

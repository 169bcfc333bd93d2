/** The meter reader with KMP, over a modelled line, on virtual time. */
import assert from "node:assert/strict";
import { HEAT, WATER } from "../../modules/history/entry.js";
import { takeReadout } from "../../modules/history/from-readout.js";
import { KNOWN, MeterState, READINGS } from "../../modules/history/meter-state.js";
import { STATUS_OK } from "../../modules/readout/readout.js";
import { heatReading } from "../../tools/meter/heat.js";
import { KMPMeter, type KMPMeterOptions } from "../../tools/meter/kmp-meter.js";
import { textOf } from "../latin1.js";
import { ReaderBed, type Settings } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";

const START_UTC_MS = Date.UTC(2026, 10, 20, 6);

function kmpBed(
	options: Partial<KMPMeterOptions> = {},
	settings: Partial<Settings> = {},
	world: { echo?: boolean } = {},
): { bed: ReaderBed; meter: KMPMeter } {
	const bed = new ReaderBed({ protocol: "kmp", ...settings }, world);
	const meter = new KMPMeter({ source: (nowMs) => heatReading(START_UTC_MS, nowMs), ...options });
	bed.world.serial.meter.connect(meter);
	return { bed, meter };
}

const RECORDS = [
	"0-0:96.1.0*255: 6855817",
	"0-0:0.2.0*255: F1",
	"6-0:1.0.0: 134.463*GJ",
	"6-0:2.0.0: 561.08*m3",
	"6-0:9.0.0: 240*l/h",
	"6-0:8.0.0: 6.2*kW",
	"6-0:10.0.0: 68.04*\u00b0C",
	"6-0:11.0.0: 45.6*\u00b0C",
	"6-0:12.0.0: 22.4*K",
	"0-0:96.8.0: 9850*h",
	"0-0:0.9.2: 261120",
	"0-0:0.9.1: 060003",
	"0-0:97.97.0: 0",
];

/** The records without the digits that move while the meter is read. */
function steady(records: readonly string[]): string[] {
	return records.map((record) =>
		record.replace(/(\d)\.\d+(\*(?:\u00b0C|K|kW))/, "$1$2").replace(/(: 0600)\d\d$/, "$1"),
	);
}

describe("the meter reader with KMP", function () {
	this.timeout(20_000);
	it("reads serial number, revision and registers by their codes and units, also with an echo", () => {
		for (const echo of [false, true]) {
			const { bed } = kmpBed({}, {}, { echo });
			const { readout, failure, tookMs } = bed.read();
			assert.equal(failure, undefined);
			assert.deepEqual([readout?.protocol, readout?.baud, readout?.status], ["KMP", 1200, STATUS_OK]);
			assert.equal(textOf(readout!.meterId), "6855817");
			assert.deepEqual(steady(recordsOf(readout?.records)), steady(RECORDS));
			assert.ok(tookMs < 5000, `${tookMs}`);
			const state = new MeterState();
			takeReadout(readout!, state);
			assert.equal(state.numbers[KNOWN], 1 << HEAT);
			assert.equal(state.numbers[READINGS + HEAT], Math.floor(134_463_000_000 / 3600 / 1000) * 1000 + 833);
		}
	});
	it("reads a meter without energy as a water meter, also for the history", () => {
		const { readout } = kmpBed({ isWater: true }).bed.read();
		const records = recordsOf(readout?.records);
		assert.deepEqual(records.slice(2, 5), ["8-0:1.0.0: 561.08*m3", "8-0:2.0.0: 240*l/h", "0-0:96.8.0: 9850*h"]);
		const state = new MeterState();
		takeReadout(readout!, state);
		assert.equal(state.numbers[KNOWN], 1 << WATER);
		assert.equal(state.numbers[READINGS + WATER], 561_080);
	});
	it("repeats what was not answered or arrived damaged, and reads a meter that does not tell its type", () => {
		for (const faults of [{ silence: 2 }, { wrongCheck: 2 }, { hasNoType: true }]) {
			const { readout } = kmpBed(faults).bed.read();
			assert.equal(readout?.status, STATUS_OK, Object.keys(faults)[0]);
		}
	});
	it("says why nothing was read", () => {
		const codeOf = (options: Partial<KMPMeterOptions>) => kmpBed(options).bed.read().failure?.code;
		assert.equal(codeOf({ silence: 100 }), "kmp/silence");
		assert.equal(codeOf({ wrongCheck: 100 }), "kmp/check");
		let sent = 0;
		assert.equal(codeOf({ damage: (answer) => (sent++ < 2 ? answer : answer.map((byte) => byte ^ 1)) }), "kmp/cut");
	});
	it("finds the meter by a probe, and by one of another protocol within seconds", () => {
		const { failure, ident } = kmpBed().bed.probe();
		assert.deepEqual([failure, textOf(ident)], [undefined, "6855817"]);
		for (const protocol of ["iec62056", "dlms", "sml", "tic", "mbus"]) {
			const found = kmpBed({}, { protocol }).bed.probe();
			assert.deepEqual([found.failure?.code, found.failure?.advice], ["kmp/answers", { protocol: "kmp" }], protocol);
			assert.ok(found.tookMs < 25_000, `${protocol}: ${found.tookMs}`);
		}
	});
});

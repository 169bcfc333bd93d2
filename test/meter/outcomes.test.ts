/** Outcomes of the reader: the last readout and its times for every order of calls, and the failure events. */
import assert from "node:assert/strict";
import { FAILURE_NO_MODE_E } from "../../modules/cosem/failures.js";
import { FAILURE_PORT } from "../../modules/meter/failures.js";
import { ReadOutcomes } from "../../modules/meter/outcomes.js";
import { failure, METER_ERROR } from "../../modules/readout/failure.js";
import { type Readout, STATUS_OK } from "../../modules/readout/readout.js";

const NOW = Date.UTC(2026, 10, 20, 6);
const readoutAt = (utcMs: number): Readout => ({
	protocol: "IEC62056-21",
	meterId: new Uint8Array(0),
	mode: 0,
	baud: 300,
	utcMs,
	status: STATUS_OK,
	records: new Uint8Array(0),
});

describe("meter/outcomes", () => {
	const timesOf = ({ last, attemptUtcMs }: ReadOutcomes) => [last?.utcMs, attemptUtcMs];

	it("is empty at first, and dates nothing back while it is empty", () => {
		const last = new ReadOutcomes({});
		last.dateBack(NOW, 5000);
		last.dropSimulated();
		assert.deepEqual(timesOf(last), [undefined, 0]);
	});

	it("dates attempt and readout back once, with the monotonic clock", () => {
		const last = new ReadOutcomes({});
		last.began(0, 1000);
		last.keep(readoutAt(0), false, 4000);
		assert.deepEqual(timesOf(last), [0, 0]);
		last.dateBack(NOW, 64_000);
		assert.deepEqual(timesOf(last), [NOW - 60_000, NOW - 63_000]);
		// A clock that was an hour wrong changes nothing.
		last.dateBack(NOW + 3_600_000, 65_000);
		assert.deepEqual(timesOf(last), [NOW - 60_000, NOW - 63_000]);
	});

	it("keeps known times, and dates a readout that began before the clock was set and ended after it", () => {
		const last = new ReadOutcomes({});
		last.began(0, 1000);
		last.dateBack(NOW, 2000);
		last.keep(readoutAt(NOW + 1000), false, 3000);
		last.dateBack(NOW + 7000, 4000);
		assert.deepEqual(timesOf(last), [NOW + 1000, NOW - 1000]);
		last.began(NOW + 9000, 5000);
		last.dateBack(NOW, 6000);
		assert.deepEqual(timesOf(last), [NOW + 1000, NOW + 9000]);
	});

	it("counts failures by code, 16 codes separately and the rest as others", () => {
		const last = new ReadOutcomes({});
		const fail = (code: string) => last.failed(failure(METER_ERROR, code, 0, "It failed."));
		for (let i = 0; i < 20; i++) fail(`test/${i}`);
		fail("test/0");
		fail("test/19");
		last.failed(undefined);
		assert.equal(last.failures.size, 17);
		assert.deepEqual(
			["test/0", "test/15", "test/16", "other"].map((code) => last.failures.get(code)),
			[2, 1, undefined, 5],
		);
	});

	it("distinguishes readouts of a meter from simulated ones", () => {
		const last = new ReadOutcomes({});
		const readout = readoutAt(NOW);
		last.keep(readout, false, 0);
		assert.deepEqual([last.measured, last.measurements], [readout, 1]);
		last.keep(readoutAt(NOW), true, 0);
		assert.deepEqual([last.measured, last.measurements, last.readouts], [undefined, 1, 2]);
	});

	it("drops a simulated readout and keeps one of a meter", () => {
		const last = new ReadOutcomes({});
		last.began(NOW, 0);
		last.keep(readoutAt(NOW), true, 0);
		last.dropSimulated();
		assert.deepEqual(timesOf(last), [undefined, 0]);
		last.began(0, 0);
		last.keep(readoutAt(0), true, 0);
		last.dropSimulated();
		last.dateBack(NOW, 10);
		assert.deepEqual(timesOf(last), [undefined, 0]);
		last.began(NOW, 0);
		last.keep(readoutAt(NOW), true, 0);
		last.keep(readoutAt(NOW + 1), false, 1);
		last.dropSimulated();
		assert.deepEqual(timesOf(last), [NOW + 1, NOW]);
	});

	it("reports the first failure, each different one, and the first good readout after them", () => {
		const reports: string[] = [];
		const outcomes = new ReadOutcomes({ meterChanged: (code) => reports.push(code) });
		outcomes.failed(FAILURE_PORT);
		outcomes.failed(FAILURE_PORT);
		outcomes.failed(FAILURE_NO_MODE_E);
		outcomes.keep(readoutAt(NOW), false, 0);
		outcomes.keep(readoutAt(NOW), false, 1);
		outcomes.failed(undefined);
		assert.equal(outcomes.readouts, 2);
		outcomes.failed(FAILURE_PORT);
		assert.deepEqual(reports, [FAILURE_PORT.code, FAILURE_NO_MODE_E.code, "", FAILURE_PORT.code]);
	});
});

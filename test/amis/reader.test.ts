/** The meter reader and the probe with a simulated AMIS meter, over a modelled line, on virtual time. */
import assert from "node:assert/strict";
import { STATUS_UNCHECKED } from "../../modules/readout/readout.js";
import { AMIS_KEY, AMISMeter, type AMISMeterOptions } from "../../tools/meter/amis-meter.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { textOf } from "../latin1.js";
import { dlmsSettings, ReaderBed } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";
import { READINGS, VALUES } from "./bed.js";

function bed(options: Partial<AMISMeterOptions> = {}, protocol = "amis", encryptionKey: Uint8Array = AMIS_KEY) {
	const readerBed = new ReaderBed({ protocol, dlms: dlmsSettings({ encryptionKey }) });
	const meter = new AMISMeter({ source: () => VALUES, ...options });
	readerBed.world.serial.meter.connect(meter);
	return { readerBed, meter };
}

describe("the meter reader with an AMIS meter", function () {
	this.timeout(20_000);
	it("answers the call, and reads each telegram", () => {
		const { readerBed, meter } = bed({ firstMs: 50_000 });
		const { readout, failure, tookMs } = readerBed.read();
		assert.deepEqual([failure, readout?.protocol, readout?.status], [undefined, "AMIS", STATUS_UNCHECKED]);
		assert.equal(textOf(readout!.meterId), "SAM48151623");
		assert.deepEqual(recordsOf(readout?.records).slice(2), READINGS);
		assert.ok(tookMs < 53_000, `${tookMs}`);
		const before = readerBed.reader.outcomes.readouts;
		readerBed.world.advance(30_000);
		assert.deepEqual([meter.calls, readerBed.reader.outcomes.readouts - before], [1, 30]);
		assert.ok(readerBed.read().tookMs < 1500);
	});
	it("counts a repeated telegram once, and goes on after a cut in the line", () => {
		const { readerBed, meter } = bed({ firstMs: 1000, deaf: 3 });
		readerBed.read();
		readerBed.world.advance(5000);
		assert.equal(readerBed.reader.outcomes.readouts, meter.sent - 1);
		readerBed.world.serial.meter.connect(new AMISMeter({ source: () => VALUES, firstMs: 20_000 }));
		readerBed.world.advance(25_000);
		assert.ok(readerBed.read().tookMs < 1500);
	});
	it("reports that the key is missing or wrong, and uses the right one at once", () => {
		for (const [key, code] of [
			[new Uint8Array(0), "amis/no-key"],
			[AMIS_KEY.map((byte) => byte ^ 1), "amis/key"],
		] as const) {
			const { readerBed, meter } = bed({ firstMs: 1000 }, "amis", key);
			const { failure, readout } = readerBed.read();
			assert.deepEqual([failure?.code, failure?.error, readout], [code, "meter_auth_failed", undefined]);
			readerBed.world.advance(10_000);
			assert.equal(meter.calls, 1, "telegrams that can't be deciphered are acknowledged too");
			assert.equal(readerBed.reader.outcomes.measured, undefined);
			readerBed.settings.dlms = dlmsSettings({ encryptionKey: AMIS_KEY });
			assert.equal(readerBed.read().failure, undefined);
		}
	});
	it("reports silence, and data of another meter", () => {
		const { failure, tookMs } = bed({ firstMs: 1e9 }).readerBed.read();
		assert.deepEqual([failure?.code, Math.round(tookMs)], ["amis/silence", 60_000]);
		const readerBed = new ReaderBed({ protocol: "amis" });
		const bytes = readTelegram(vectorPath("sml", vectorNames("sml")[0]));
		readerBed.world.serial.meter.connect(new PushMeter({ source: () => bytes, baud: 9600, pushMs: 2000 }));
		assert.deepEqual(readerBed.read().failure?.advice, { protocol: "sml" });
		assert.deepEqual(readerBed.probe().failure?.advice, { protocol: "sml" });
	});
});

describe("a probe of an AMIS meter", function () {
	this.timeout(60_000);
	it("succeeds with the right key, a wrong key and no key, and waits for the call", () => {
		for (const key of [AMIS_KEY, AMIS_KEY.map((byte) => byte ^ 1), new Uint8Array(0)]) {
			const { readerBed } = bed({ firstMs: 40_000 }, "amis", key);
			const { failure, ident, tookMs } = readerBed.probe();
			assert.deepEqual([failure, textOf(ident)], [undefined, "SAM48151623"]);
			assert.ok(tookMs < 44_000, `${tookMs}`);
		}
	});
	it("tries other protocols after 50 s of silence", () => {
		const { failure, tookMs } = bed({ firstMs: 1e9 }).readerBed.probe();
		assert.equal(failure?.code, "amis/silence");
		assert.ok(tookMs > 50_000 && tookMs < 60_000, `${tookMs}`);
	});
	for (const protocol of ["iec62056", "dlms", "sml", "tic", "kmp", "mbus"])
		it(`with ${protocol} finds it in the third attempt, whenever it calls`, () => {
			for (const firstMs of [300, 5000, 9000, 14_000, 19_000, 33_000, 47_000, 59_000]) {
				const { readerBed } = bed({ firstMs }, protocol);
				let found = readerBed.probe();
				for (let attempts = 1; attempts < 3 && found.failure?.advice === undefined; attempts++) {
					assert.ok(found.tookMs < 30_000, `${found.tookMs}`);
					readerBed.world.advance(700);
					found = readerBed.probe(65_000);
				}
				assert.deepEqual(
					[found.failure?.code, found.failure?.advice, textOf(found.ident)],
					["amis/answers", { protocol: "amis" }, "SAM48151623"],
					`first call at ${firstMs} ms`,
				);
			}
		});
	it("listens for a call in one of five probes that find nothing, and not after one that finds a meter", () => {
		const readerBed = new ReaderBed();
		const lasts = () => {
			const { failure, tookMs } = readerBed.probe(65_000);
			assert.equal(failure?.code, "iec62056-21/silence");
			return tookMs > 60_000;
		};
		const long = Array.from({ length: 9 }, (_, i) => (lasts() ? i : 0));
		assert.deepEqual(
			long.filter((i) => i > 0),
			[2, 7],
		);
	});
	it("names another meter that sends while it listens for a call", () => {
		const readerBed = new ReaderBed();
		for (let i = 0; i < 2; i++) readerBed.probe();
		const bytes = readTelegram(vectorPath("sml", vectorNames("sml")[0]));
		readerBed.world.serial.meter.connect(
			new PushMeter({ source: () => bytes, baud: 9600, pushMs: 2000 }, readerBed.world.clock.monotonicMs()),
		);
		const { failure, tookMs } = readerBed.probe();
		assert.deepEqual(failure?.advice, { protocol: "sml" });
		assert.ok(tookMs < 10_000, `${tookMs}`);
	});
});

/** The meter reader with SML, over a modelled line, on virtual time. */
import assert from "node:assert/strict";
import { STATUS_CHECK_WRONG, STATUS_OK } from "../../modules/readout/readout.js";
import { Household } from "../../tools/meter/household.js";
import { MeterDisplay } from "../../tools/meter/meter-display.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { type SMLOptions, smlSource } from "../../tools/meter/sml-options.js";
import { SML_MAKES } from "../../tools/meter/sml-telegram.js";
import { ReaderBed } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";

function bedOf(options: SMLOptions, pushMs = 1000): ReaderBed {
	const bed = new ReaderBed({ protocol: "sml" });
	const household = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 });
	const sent = smlSource(options);
	bed.world.serial.meter.connect(
		new PushMeter({ source: (nowMs) => sent(household.reading(nowMs)), baud: 9600, pushMs }),
	);
	return bed;
}

describe("the meter reader with SML", () => {
	it("returns the next telegram, and keeps each unsolicited one", () => {
		for (const pushMs of [1000, 4000]) {
			const bed = bedOf({}, pushMs);
			const { readout, tookMs } = bed.read();
			assert.deepEqual([readout?.protocol, readout?.mode, readout?.status], ["SML", 0, STATUS_OK]);
			assert.equal(recordsOf(readout?.records).length, 3);
			assert.ok(tookMs <= pushMs + 300);
			bed.world.advance(3 * pushMs);
			assert.ok(bed.reader.outcomes.last!.utcMs > readout!.utcMs);
			assert.equal(bed.reader.running, false);
		}
	});
	it("reads whole kWh and no power from each make while its PIN is not entered", () => {
		for (const make of SML_MAKES) {
			// This make has one special value in place of the household's values.
			if (make === "escapes") continue;
			const records = recordsOf(bedOf({ make, display: new MeterDisplay({ pin: "1234" }) }).read().readout?.records);
			const energies = records.filter((record) => /:[12]\.8\.\d/.test(record));
			assert.ok(energies.length > 0, make);
			for (const record of energies) assert.match(record, /: \d+(\.0+)?\*kWh|: \d+000(\.0+)?\*Wh/, make);
			assert.ok(!records.some((record) => /\*(W|V|A|Hz)\b/.test(record)), `${make}: ${records}`);
		}
	});
	it("waits for a good telegram while some are damaged", () => {
		const { readout, failure, tookMs } = bedOf({ wrongCheck: 3 }).read();
		assert.deepEqual([readout?.status, failure], [STATUS_OK, undefined]);
		assert.ok(tookMs > 3000);
	});
	it("returns a telegram with a wrong check if no better one comes, and never keeps it", () => {
		const bed = bedOf({ wrongCheck: 1000 });
		const { readout, failure } = bed.read();
		assert.deepEqual([readout?.status, failure?.code], [STATUS_CHECK_WRONG, "sml/no-telegram"]);
		assert.equal(recordsOf(readout?.records).length, 3);
		assert.equal(bed.reader.outcomes.last, undefined);
		assert.equal(bed.reader.outcomes.failure?.code, "sml/check");
	});
	it("returns nothing of a telegram with a broken structure, and reports this", () => {
		const bed = bedOf({ broken: 1000 });
		bed.world.advance(2500);
		assert.equal(bed.reader.outcomes.failure?.code, "sml/structure");
		const { readout, failure } = bed.read();
		assert.deepEqual([readout, failure?.code], [undefined, "sml/structure"]);
		assert.equal(bed.reader.outcomes.last, undefined);
	});
	it("continues on a line that loses and damages bytes", () => {
		for (const make of ["emh-ehz", "holley-kermit", "escapes"] as const) {
			const bed = bedOf({ make, lose: 2000, damage: 2000, noise: 3 });
			let good = 0;
			for (let i = 0; i < 20; i++) if (bed.read().readout?.status === STATUS_OK) good++;
			assert.equal(good, 20, make);
		}
	});
});

/** A meter that sends by itself and stops: when the reader reports it, and when the meter is back. */
import assert from "node:assert/strict";
import { Household, type HouseholdReading } from "../../tools/meter/household.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { dlmsTelegram } from "../../tools/meter/push-telegrams.js";
import { smlSource } from "../../tools/meter/sml-options.js";
import { TIC_BAUD, ticTelegram } from "../../tools/meter/tic-telegram.js";
import { dlmsSettings, ReaderBed, type Settings } from "./reader-bed.js";

const NOTHING = new Uint8Array(0);
const MINUTE_MS = 60_000;

interface Sender {
	readonly settings: Partial<Settings>;
	readonly baud: number;
	/** Intervals between telegrams, ms. */
	readonly intervals: readonly number[];
	readonly telegram: (reading: HouseholdReading) => Uint8Array;
}

const SENDERS: Readonly<Record<string, Sender>> = {
	P1: {
		settings: { modeD: true, modeDBaud: 115_200 },
		baud: 115_200,
		telegram: p1Telegram,
		intervals: [1000, 10_000],
	},
	SML: {
		settings: { protocol: "sml" },
		baud: 9600,
		telegram: smlSource({}),
		intervals: [1000, 4000],
	},
	TIC: {
		settings: { protocol: "tic" },
		baud: TIC_BAUD.standard,
		telegram: (reading) => ticTelegram(reading, "standard"),
		intervals: [2000],
	},
	"DLMS push": {
		settings: { protocol: "dlms", dlms: dlmsSettings({ pushBaud: 2400 }) },
		baud: 2400,
		telegram: (reading) => dlmsTelegram(reading, { framing: "hdlc" }),
		intervals: [5000],
	},
};

/** A bed with a meter that sends every `pushMs` while `isOn` returns true. */
function bedOf({ settings, baud, telegram }: Sender, pushMs: number, isOn: (nowMs: number) => boolean) {
	const bed = new ReaderBed(settings);
	const household = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 });
	const source = (nowMs: number) => (isOn(nowMs) ? telegram(household.reading(nowMs)) : NOTHING);
	bed.world.serial.meter.connect(new PushMeter({ source, baud, pushMs }));
	return bed;
}

describe("the silence of a meter that sends by itself", function () {
	this.timeout(30_000);
	for (const [name, sender] of Object.entries(SENDERS)) {
		it(`is reported once after a few intervals, and so is the return: ${name}`, () => {
			for (const pushMs of sender.intervals) {
				let isOn = true;
				const bed = bedOf(sender, pushMs, () => isOn);
				bed.world.advance(10 * MINUTE_MS);
				assert.deepEqual(bed.reports, ["ok"]);
				isOn = false;
				bed.world.advance(28_000);
				assert.deepEqual(bed.reports, ["ok"], "too early");
				assert.equal(bed.reader.outcomes.isOld, false);
				bed.world.advance(5000);
				assert.deepEqual(bed.reports, ["ok", "meter/silent old"]);
				assert.equal(bed.reader.outcomes.isOld, true);
				bed.world.advance(60 * MINUTE_MS);
				assert.equal(bed.reports.length, 2);
				isOn = true;
				bed.world.advance(MINUTE_MS);
				assert.deepEqual(bed.reports.slice(2), ["ok"]);
				assert.equal(bed.reader.outcomes.isOld, false);
			}
		});
	}
	it("is not counted while somebody else has the line, nor in the half minute after", () => {
		let isOn = true;
		const bed = bedOf(SENDERS.P1, 1000, () => isOn);
		bed.world.advance(10 * MINUTE_MS);
		let giveBack = () => {};
		bed.reader.lend((_driver, _port, _context, back) => {
			giveBack = back;
			return { stop: () => {} };
		});
		isOn = false;
		bed.world.advance(5 * MINUTE_MS);
		giveBack();
		bed.world.advance(29_000);
		assert.deepEqual(bed.reports, ["ok"]);
		bed.world.advance(3000);
		assert.deepEqual(bed.reports, ["ok", "meter/silent old"]);
	});
});

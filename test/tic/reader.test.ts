/** The meter reader with TIC, over a modelled line, on virtual time, and the values that outputs and history get. */
import assert from "node:assert/strict";
import { EXPORT, IMPORT, TARIFF_2 } from "../../modules/history/entry.js";
import { takeReadout } from "../../modules/history/from-readout.js";
import { KNOWN, MeterState, READINGS, SERIAL } from "../../modules/history/meter-state.js";
import { APPARENT_POWER, Quantities } from "../../modules/readout/quantities.js";
import { type Readout, STATUS_CUT, STATUS_OK } from "../../modules/readout/readout.js";
import { Household } from "../../tools/meter/household.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { TIC_BAUD, type TICMode, ticTelegram } from "../../tools/meter/tic-telegram.js";
import { textCodec } from "../config/memory-storage.js";
import { ReaderBed } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";

const MODES: readonly TICMode[] = ["standard", "historic"];

/** A reader with a TIC meter; `damage` changes each sent frame. */
function bedOf(mode: TICMode, damage = (frame: Uint8Array) => frame, hardwareParity = true): ReaderBed {
	const bed = new ReaderBed({ protocol: "tic" }, { hardwareParity });
	const household = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 });
	const source = (nowMs: number) => damage(ticTelegram(household.reading(nowMs), mode));
	const frameMs = (source(0).length * 10_000) / TIC_BAUD[mode];
	bed.world.serial.meter.connect(new PushMeter({ source, baud: TIC_BAUD[mode], pushMs: Math.ceil(frameMs) + 20 }));
	return bed;
}

/** Damages the data of the group with this label. */
function without(label: string): (frame: Uint8Array) => Uint8Array {
	return (frame) => {
		const text = Buffer.from(frame.map((byte) => byte & 0x7f)).toString("latin1");
		return frame.map((byte, i) => (i === text.indexOf(label) + label.length + 2 ? byte ^ 0x03 : byte));
	};
}

function quantitiesOf({ records }: Readout): Map<string, [kind: number, value: string]> {
	const quantities = new Quantities({ records });
	const found = new Map<string, [number, string]>();
	for (let i = 0; i < quantities.count; i++) {
		quantities.seek(i);
		found.set(quantities.longCode(textCodec), [quantities.kindOf(i), quantities.value(textCodec)]);
	}
	return found;
}

function stateOf(readout: Readout): MeterState {
	const state = new MeterState();
	takeReadout(readout, state);
	return state;
}

describe("the meter reader with TIC", function () {
	this.timeout(20_000);
	for (const mode of MODES) {
		for (const hasParity of [true, false]) {
			it(`returns the next frame, and keeps each: ${mode}, on a port ${hasParity ? "with" : "without"} hardware parity`, () => {
				const bed = bedOf(mode, undefined, hasParity);
				const { readout, tookMs } = bed.read();
				assert.deepEqual(
					[readout?.protocol, readout?.mode, readout?.status, readout?.baud],
					["TIC", 0, STATUS_OK, TIC_BAUD[mode]],
				);
				assert.equal(Buffer.from(readout!.meterId).toString(), "041876543210");
				assert.ok(tookMs < 8000, `${tookMs}`);
				bed.world.advance(4000);
				assert.ok(bed.reader.outcomes.last!.utcMs > readout!.utcMs);
			});
		}
		it(`finds the meter with a probe: ${mode}`, () => {
			const { failure, ident } = bedOf(mode).probe(12_000);
			assert.deepEqual([failure, Buffer.from(ident).toString()], [undefined, "041876543210"]);
		});
	}
	it("reports that no frame was received, and that none was good", () => {
		const silent = new ReaderBed({ protocol: "tic" });
		assert.equal(silent.read().failure?.code, "tic/no-frame");
		const { failure, readout } = bedOf("standard", (frame) => frame.map((byte) => byte ^ 0x80)).read();
		assert.deepEqual([readout, failure?.code], [undefined, "tic/no-frame"]);
	});
	it("gives the outputs apparent power in VA, not as active power, and energy under its OBIS code", () => {
		const standard = quantitiesOf(bedOf("standard").read().readout!);
		assert.equal(standard.get("1-0:9.7.0")?.[0], APPARENT_POWER);
		assert.match(standard.get("1-0:9.7.0")![1], /^[89]\d\d$/);
		assert.match(standard.get("1-0:1.8.0")![1], /^12572\.24\d$/);
		assert.ok(![...standard.keys()].some((code) => /:(1|2|16)\.7\.0/.test(code)));
		assert.equal(quantitiesOf(bedOf("historic").read().readout!).get("1-0:9.7.0")?.[0], APPARENT_POWER);
	});
	it("gives the history import and export, and in the historic form the sum of the tariffs of complete frames only", () => {
		const registers = (mode: TICMode, damage?: (frame: Uint8Array) => Uint8Array) => {
			const readout = bedOf(mode, damage).read().readout!;
			const { numbers } = stateOf(readout);
			return [readout.status, numbers[KNOWN], Math.floor(numbers[READINGS + IMPORT] / 10), numbers[READINGS + EXPORT]];
		};
		const both = (1 << IMPORT) | (1 << EXPORT) | (1 << TARIFF_2);
		assert.deepEqual(registers("standard"), [STATUS_OK, both, 1_257_224, 3_276_118]);
		assert.deepEqual(registers("historic"), [STATUS_OK, (1 << IMPORT) | (1 << TARIFF_2), 1_257_224, 0]);
		assert.deepEqual(registers("standard", without("EASF01")), [STATUS_CUT, both, 1_257_224, 3_276_118]);
		assert.deepEqual(registers("standard", without("EAST")), [STATUS_CUT, 1 << EXPORT, 0, 3_276_118]);
		assert.deepEqual(registers("historic", without("HCHC")), [STATUS_CUT, 0, 0, 0]);
	});
	it("does not report another meter to the history if the serial number is damaged", () => {
		const whole = stateOf(bedOf("standard").read().readout!);
		const damaged = bedOf("standard", without("ADSC")).read().readout!;
		assert.ok(recordsOf(damaged.records).some((record) => record.startsWith("0-0:96.1.10*255: ")));
		assert.ok(whole.numbers[SERIAL] > 0);
		assert.equal(stateOf(damaged).numbers[SERIAL], 0);
	});
});

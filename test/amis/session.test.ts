import assert from "node:assert/strict";
import { createDecipheriv } from "node:crypto";
import { readFileSync } from "node:fs";
import { EVENT_READOUT } from "../../modules/readout/protocol.js";
import { STATUS_UNCHECKED } from "../../modules/readout/readout.js";
import { AMIS_KEY } from "../../tools/meter/amis-meter.js";
import { longFrame } from "../../tools/meter/mbus-meter.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { type Feedable, feeds } from "../feeds.js";
import { Bed, READINGS, telegram } from "./bed.js";

const CALL = Uint8Array.of(0x10, 0x40, 0xf0, 0x30, 0x16);
const HEADER = ["0-0:96.1.0*255: 48151623", "0-0:96.5.0*255: 00"];
const GOOD = { code: undefined, meterId: "SAM48151623", records: [...HEADER, ...READINGS] };
const WRONG_KEY = AMIS_KEY.map((byte, i) => (i === 5 ? byte ^ 1 : byte));

/** A frame with C to the data changed, and a right sum. */
function changed(frame: Uint8Array, change: (body: number[]) => void): Uint8Array {
	const body = [...frame.subarray(4, -2)];
	change(body);
	return longFrame(body);
}

const codesOf = (bed: Bed, ...frames: Uint8Array[]) => bed.receive(...frames).map(({ code }) => code);

describe("telegrams of AMIS meters", () => {
	for (const name of vectorNames("amis")) {
		it(`are read from ${name}, with the values that an independent decryption shows`, () => {
			const { key, meter_id, records } = JSON.parse(readFileSync(vectorPath("amis", name, "json"), "utf8"));
			const bytes = readTelegram(vectorPath("amis", name));
			const bed = new Bed(Buffer.from(key, "hex"));
			assert.deepEqual(bed.receive(bytes), [{ code: undefined, meterId: meter_id, records }]);
			const iv = Buffer.concat([bytes.subarray(11, 13), bytes.subarray(7, 11), bytes.subarray(13, 15)]);
			const access = Buffer.alloc(8, bytes[15]);
			const cipher = createDecipheriv("aes-128-cbc", Buffer.from(key, "hex"), Buffer.concat([iv, access]));
			const clear = cipher.setAutoPadding(false).update(bytes.subarray(19, 99));
			assert.equal(clear.toString("hex", 0, 4), "2f2f066d");
			const numbers = [12, 19, 28, 38, 44, 51, 58, 66, 74].map((at) => clear.readInt32LE(at));
			const values = records.slice(-9).map((record: string) => Number(/: (-?\d+)\*/.exec(record)?.[1]));
			assert.deepEqual(values, numbers);
		});
	}
	it("give all values with their units, and the time with its season", () => {
		const bed = new Bed();
		assert.deepEqual(bed.receive(telegram(1)), [], "one telegram alone is not a readout");
		assert.deepEqual(bed.receive(telegram(2)), [GOOD]);
		const readout = bed.session.readout(EVENT_READOUT, 5);
		assert.deepEqual([readout?.protocol, readout?.baud, readout?.status], ["AMIS", 9600, STATUS_UNCHECKED]);
		const summer = bed.receive(telegram(3, { utcMs: Date.UTC(2028, 6, 1, 22, 30, 59) }));
		assert.equal(summer[0].records[2], "0-0:1.0.0*255: 280702003059S");
	});
	it("give no second readout when the meter repeats one because it missed the acknowledgement", () => {
		const bed = new Bed();
		bed.receive(telegram(1), telegram(2));
		assert.deepEqual(bed.receive(telegram(2)), []);
		assert.equal(bed.acknowledged, 3);
		assert.deepEqual(bed.receive(telegram(3)), [GOOD]);
	});
	it("need a second one with the same header, also after another meter", () => {
		const bed = new Bed();
		bed.receive(telegram(1), telegram(2));
		const other = changed(telegram(3), (body) => body[5]++);
		assert.deepEqual(bed.receive(other, telegram(4)), []);
		assert.deepEqual(bed.receive(telegram(5)), [GOOD]);
	});
	it("are reported as lacking the key or not matching it from the second telegram on", () => {
		for (const [key, code] of [
			[new Uint8Array(0), "amis/no-key"],
			[WRONG_KEY, "amis/key"],
		] as const) {
			const bed = new Bed(key);
			assert.deepEqual(codesOf(bed, telegram(1)), []);
			assert.deepEqual(codesOf(bed, telegram(2), telegram(3)), [code, code]);
			assert.equal(bed.session.failure?.error, "meter_auth_failed");
			assert.equal(bed.session.readout(2, 0), undefined);
			assert.equal(bed.acknowledged, 3);
		}
	});
	it("are refused if their structure is unknown", () => {
		const structures = [
			(frame: Uint8Array) => changed(frame, (body) => body.splice(-16)),
			(frame: Uint8Array) => changed(frame, (body) => body.splice(13, 2, 0, 0)),
			(frame: Uint8Array) => changed(frame, (body) => body.splice(2, 1, 0x72)),
			(frame: Uint8Array) => changed(frame, (body) => body.splice(3)),
		];
		for (const change of structures) {
			const bed = new Bed();
			assert.deepEqual(codesOf(bed, change(telegram(1)), change(telegram(2))), ["amis/structure"]);
			assert.deepEqual(codesOf(bed, telegram(3), telegram(4)), [undefined]);
		}
	});
	it("give no value after damage that the checksum does not detect", () => {
		const frame = telegram(3);
		for (let at = 0; at < frame.length - 6; at++) {
			for (const bits of [1, 0x80, 0x5a]) {
				const bed = new Bed();
				bed.receive(telegram(1), telegram(2));
				const damaged = changed(frame, (body) => {
					body[at] ^= bits;
				});
				assert.deepEqual(bed.receive(damaged), [], `byte ${at}, ${bits}`);
			}
		}
	});
});

describe("acknowledgements to AMIS meters", () => {
	const sent = (...pieces: Uint8Array[]) => {
		const bed = new Bed();
		bed.receive(...pieces);
		return bed.acknowledged;
	};
	it("follow each call and each telegram with a correct checksum, even one with an unknown structure", () => {
		assert.equal(sent(CALL), 1);
		assert.equal(sent(telegram(1)), 1);
		assert.equal(sent(changed(telegram(1), (body) => body.splice(3))), 1);
		assert.equal(sent(longFrame([0x53, 0xf0, 0x5b])), 1);
	});
	it("do not follow anything else", () => {
		for (const [at, byte] of [
			[0, 0x11],
			[1, 0x5b],
			[2, 0xfe],
			[3, 0x31],
			[4, 0x17],
		])
			assert.equal(sent(CALL.map((one, i) => (i === at ? byte : one))), 0, `${at}`);
		assert.equal(sent(Uint8Array.of(0x10, 0x40, 0x01, 0x41, 0x16)), 0, "another slave");
		assert.equal(sent(Uint8Array.of(0xe5)), 0, "an echo");
		assert.equal(sent(changed(telegram(1), (body) => body.splice(0, 1, 0x08))), 0, "an answer");
		assert.equal(sent(telegram(1).map((byte, i) => (i === 99 ? byte ^ 1 : byte))), 0, "a wrong sum");
		assert.equal(sent(telegram(1).subarray(0, -1)), 0, "not whole");
	});
	it("are sent once for many calls that arrive in one piece", () => {
		assert.equal(sent(new Uint8Array(Buffer.concat(Array(20).fill(CALL)))), 1);
	});
});

describe("the end of listening to an AMIS meter", () => {
	const end = (...pieces: Uint8Array[]) => {
		const bed = new Bed();
		bed.receive(...pieces);
		bed.session.abort(0);
		const events = bed.poll().length;
		bed.session.abort(0);
		assert.deepEqual([events, bed.poll(), bed.receive(telegram(1), CALL)], [1, [], []]);
		return bed.session.failure?.code;
	};
	it("reports how much of a telegram was received or deciphered", () => {
		assert.equal(end(), "amis/silence");
		assert.equal(end(Uint8Array.of(1, 2, 3)), "amis/no-frame");
		assert.equal(end(CALL), "amis/no-frame");
		assert.equal(end(CALL, telegram(1, {}, WRONG_KEY), telegram(2, {}, WRONG_KEY)), "amis/key");
		assert.equal(end(CALL, telegram(1), telegram(2)), undefined);
	});
});

const FED = telegram(2);
feeds("a telegram of an AMIS meter", {
	open: (): Feedable => {
		const bed = new Bed();
		let meanings: string[] = [];
		bed.receive(telegram(1));
		return {
			take: (bytes, start, end) => {
				meanings.push(...bed.take(bytes, start, end, 0).map(({ records }) => records.join(" ")));
			},
			settle: () => {
				const all = meanings;
				meanings = [];
				bed.silence();
				// If the same telegram followed, it would be taken for a repetition.
				bed.receive(telegram(3));
				return all;
			},
		};
	},
	frame: FED,
	meaning: GOOD.records.join(" "),
	bits: 8,
	checked: true,
	streams: false,
	garbage: [Uint8Array.of(0x00, 0xff), Uint8Array.of(0xe5), CALL, Uint8Array.of(0x16), Uint8Array.of(0x68, 0x00)],
});

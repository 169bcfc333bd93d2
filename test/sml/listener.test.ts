import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { SeededRandom } from "../../hosts/node/random.js";
import { crc16 } from "../../modules/bytes/crc16.js";
import { EVENT_END, EVENT_POOR, EVENT_READOUT } from "../../modules/readout/protocol.js";
import { TELEGRAM_LIMIT } from "../../modules/sml/listener.js";
import { SML_MAKES, type SMLMake } from "../../tools/meter/sml-telegram.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { type Feedable, feeds, REFUSED } from "../feeds.js";
import { Bed, type ReportedEvent, telegramOf } from "./bed.js";

const PLAIN = telegramOf("plain");
/** All events of a telegram, as one text. */
const meaningOf = ({ meterId, records }: ReportedEvent) => [meterId, ...records].join(" ");
const only = (bytes: Uint8Array): ReportedEvent => {
	const events = new Bed().receive(bytes);
	assert.equal(events.length, 1);
	return events[0];
};
const valueIn = ({ records }: ReportedEvent, code: string) =>
	records.find((one) => one.startsWith(`${code}*255: `))?.slice(code.length + 6);
const power = (make: SMLMake, watts: number, code = "1-0:16.7.0") => valueIn(only(telegramOf(make, watts)), code);
const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const BEGIN = Buffer.from("1b1b1b1b01010101", "hex");

/** A telegram around these bytes, with a correct check. */
function transported(file: string): Uint8Array {
	const bytes = Buffer.from(file.replaceAll(" ", ""), "hex");
	const pad = (4 - (bytes.length % 4)) % 4;
	const all = join(BEGIN, bytes, Buffer.alloc(pad), Buffer.of(0x1b, 0x1b, 0x1b, 0x1b, 0x1a, pad));
	const sum = crc16(all, 0, all.length);
	return join(all, Buffer.of(sum & 0xff, sum >> 8));
}

/** A message around this body, with a correct check. */
function message(body: string): string {
	const bytes = Buffer.from(`7605000000016200 6200${body}`.replaceAll(" ", ""), "hex");
	const sum = crc16(bytes, 0, bytes.length);
	return `${bytes.toString("hex")}63${Buffer.of(sum & 0xff, sum >> 8).toString("hex")}00`;
}

/** A GetList response with these values, hex. */
function response(values: string, count = 1): string {
	const head = count < 16 ? (0x70 | count).toString(16) : `f${(count >> 4).toString(16)}0${(count & 15).toString(16)}`;
	return message(`72 63 0701 77 01 0b 0a01534d470000012345 01 01 ${head} ${values} 01 01`);
}
const value = (encoded: string, scaler = "01", unit = "621e") =>
	`77 07 0100010800ff 01 01 ${unit} ${scaler} ${encoded} 01`;
const shown = (encoded: string, scaler?: string, unit?: string) =>
	only(transported(response(value(encoded, scaler, unit)))).records;

for (const make of ["plain", "escapes"] as const) {
	const frame = telegramOf(make);
	feeds(`a telegram of SML, ${make}`, {
		open: (): Feedable => {
			const bed = new Bed();
			let events: ReportedEvent[] = [];
			return {
				take: (bytes, start, end) => {
					bed.listener.receive(bytes, start, end, 0);
					events.push(...bed.take());
				},
				settle: () => {
					events.push(...bed.advance(2000));
					const meanings = events.map((one) => (one.event === EVENT_READOUT ? meaningOf(one) : REFUSED));
					events = [];
					return meanings;
				},
			};
		},
		frame,
		meaning: meaningOf(only(frame)),
		bits: 8,
		checked: true,
		streams: true,
		garbage: [
			Buffer.from("1b1b1b", "hex"),
			Buffer.from("1b1b1b1b1b", "hex"),
			Buffer.from("1b1b1b1b0101", "hex"),
			Buffer.from("1b1b1b1b1a", "hex"),
			Buffer.from("ff00761b01", "hex"),
			BEGIN,
		],
	});
}

describe("the SML listener with captures", () => {
	for (const name of vectorNames("sml")) {
		it(`gives the expected readouts of ${name}, in pieces of any size`, () => {
			const { readouts } = JSON.parse(readFileSync(vectorPath("sml", name, "json"), "utf8"));
			const bytes = readTelegram(vectorPath("sml", name));
			for (const piece of [1, 7, 64, 200]) {
				const events = new Bed().receive(bytes, 0, piece);
				const found = events.map(({ event, meterId, records }) => ({
					check: event === EVENT_READOUT ? "right" : "wrong",
					meter_id: meterId,
					records,
				}));
				// A telegram that is damaged before its first value yields nothing.
				const expected = readouts.filter(
					({ check, records }: { check: string; records: string[] }) => check === "right" || records.length > 0,
				);
				assert.deepEqual(found, expected);
			}
		});
	}
});

describe("values of SML", () => {
	it("are exact for whole numbers of one to eight bytes, with and without a sign", () => {
		const cases: [string, string][] = [
			["52ff", "-1"],
			["5280", "-128"],
			["62ff", "255"],
			["53ff7f", "-129"],
			["638000", "32768"],
			["54800000", "-8388608"],
			["64ffffff", "16777215"],
			["5580000000", "-2147483648"],
			["65ffffffff", "4294967295"],
			["56ff00000000", "-4294967296"],
			["66ffffffffff", "1099511627775"],
			["57ffffffffffff", "-1"],
			["67010000000000", "1099511627776"],
			["5880000000000000", "-36028797018963968"],
			["590fffffffffffffff", "1152921504606846975"],
			["598000000000000000", "-9223372036854775808"],
			["69ffffffffffffffff", "18446744073709551615"],
		];
		for (const [encoded, text] of cases) assert.deepEqual(shown(encoded), [`1-0:1.8.0*255: ${text}*Wh`], encoded);
	});
	it("are shifted by the scaler, without a float", () => {
		assert.deepEqual(shown("69ffffffffffffffff", "52fb"), ["1-0:1.8.0*255: 184467440737095.51615*Wh"]);
		assert.deepEqual(shown("52ff", "52fd"), ["1-0:1.8.0*255: -0.001*Wh"]);
		assert.deepEqual(shown("6205", "5203"), ["1-0:1.8.0*255: 5000*Wh"]);
		assert.deepEqual(shown("6205", "53fffe"), ["1-0:1.8.0*255: 0.05*Wh"]);
	});
	it("are text, hex, or 0 and 1 if they are not numbers, and are omitted if they are missing", () => {
		assert.deepEqual(shown("04454d48"), ["1-0:1.8.0*255: EMH"]);
		assert.deepEqual(shown("0301ff"), ["1-0:1.8.0*255: 01FF"]);
		assert.deepEqual(shown("4200"), ["1-0:1.8.0*255: 0"]);
		assert.deepEqual(shown("42ff"), ["1-0:1.8.0*255: 1"]);
		assert.deepEqual(new Bed().receive(transported(response(value("01")))), []);
	});
	it("have no unit if it is 255 or missing", () => {
		assert.deepEqual(shown("6205", "01", "62ff"), ["1-0:1.8.0*255: 5"]);
		assert.deepEqual(shown("6205", "01", "01"), ["1-0:1.8.0*255: 5"]);
	});
	it("may come with times in any form, lists in place of a value, and lengths of several bytes", () => {
		const entry = (time: string, encoded = "6205") => `77 07 0100010800ff 01 ${time} 621e 01 ${encoded} 01`;
		for (const time of [
			"01",
			"72 6201 6500000001",
			"6500000001",
			"72 6203 73 6500000001 53003c 530000",
			"72 6201 640001ff",
		])
			assert.deepEqual(only(transported(response(entry(time)))).records, ["1-0:1.8.0*255: 5*Wh"], time);
		const both = entry("01", "72 6201 72 6201 6500000001") + entry("01", "80820102");
		assert.deepEqual(only(transported(response(both, 2))).code, "sml/structure");
		assert.deepEqual(only(transported(response(entry("01", "72 6201 6201") + entry("01"), 2))).records.length, 1);
		const long = entry("01", "80 0a 4142434445464748");
		assert.deepEqual(only(transported(response(long))).records, ["1-0:1.8.0*255: ABCDEFGH"]);
	});
	it("are omitted if they are too long, and the readout is then marked as cut", () => {
		const bytes = transported(
			response(`77 07 0100010800ff 01 01 01 01 8804 ${"ff".repeat(130)} 01${value("6205")}`, 2),
		);
		const bed = new Bed();
		assert.deepEqual(
			bed.receive(bytes).map(({ records }) => records),
			[["1-0:1.8.0*255: 5*Wh"]],
		);
		assert.equal(bed.listener.isCut, true);
		bed.receive(PLAIN);
		assert.equal(bed.listener.isCut, false);
	});
	it("are read from a list of more than 15, whose count takes two bytes", () => {
		assert.equal(only(transported(response(value("6205").repeat(40), 40))).records.length, 40);
	});
	it("are skipped if their code does not have six bytes", () => {
		assert.deepEqual(only(transported(response(`77 03 0108 01 01 01 01 6205 01${value("6206")}`, 2))).records, [
			"1-0:1.8.0*255: 6*Wh",
		]);
	});
});

describe("the SML listener with several makes", () => {
	it("reads all makes, in pieces of any size", () => {
		for (const make of SML_MAKES) {
			const frame = telegramOf(make);
			for (const piece of [1, 2, 3, 5, 64, 100]) assert.deepEqual(new Bed().receive(frame, 0, piece), [only(frame)]);
		}
	});
	it("uses the status to distinguish a two-byte power of DZG without a sign from a negative power", () => {
		assert.deepEqual([power("dzg-dvs", 356.24), power("dzg-dvs", -299.12)], ["356.24*W", "-299.12*W"]);
		assert.deepEqual([power("dzg-dvs", 700), power("dzg-dvs", 327.67)], ["700.00*W", "327.67*W"]);
		// The same value from another maker is taken as signed.
		const other = Buffer.from(telegramOf("dzg-dvs", 356.24)).toString("hex").replaceAll("445a47", "58595a");
		const [event] = new Bed().receive(Buffer.from(other, "hex"));
		assert.deepEqual([event.event, valueIn(event, "1-0:16.7.0")], [EVENT_POOR, "-299.12*W"]);
	});
	it("reads a power of DZG of more than three bytes as signed, whatever the status says", () => {
		const counter = "77 07 0100010800ff 65001c0104 01 621e 52ff 5500000005 01";
		for (const [encoded, expectedValue] of [
			["53ff38", "653.36*W"],
			["54ffff38", "167770.16*W"],
			["55ffffff38", "-2.00*W"],
		] as const) {
			const list = response(`${counter} ${`77 07 0100100700ff 01 01 621b 52fe ${encoded} 01`}`, 2);
			const dzg = list.replaceAll(" ", "").replace("534d47", "445a47");
			// The check was made for the other maker's name, so it is wrong.
			const [event] = new Bed().receive(transported(dzg));
			assert.equal(valueIn(event, "1-0:16.7.0"), expectedValue, encoded);
		}
	});
	it("takes the sign of EMH ED300L's 15.7.0 from the status, but not that of Iskra MT175's 16.7.0", () => {
		assert.equal(power("emh-ed300l", -299.1, "1-0:15.7.0"), "-299.1*W");
		assert.equal(power("emh-ed300l", 299.1, "1-0:15.7.0"), "299.1*W");
		assert.deepEqual([power("iskra-mt175", -299), power("iskra-mt175", 299)], ["-299*W", "299*W"]);
	});
	it("reads whole kWh and no power while the PIN is not entered", () => {
		const event = only(telegramOf("no-pin"));
		assert.deepEqual([valueIn(event, "1-0:1.8.0"), valueIn(event, "1-0:16.7.0")], ["12572000*Wh", undefined]);
	});
	it("reads each make at any power", () => {
		for (const make of SML_MAKES) {
			for (const watts of [-70_000, -655.36, -1, 0, 0.5, 127, 128, 255, 256, 327.68, 655.35, 32_768, 70_000]) {
				const event = only(telegramOf(make, watts));
				assert.equal(event.event, EVENT_READOUT, `${make} ${watts}`);
				const read = valueIn(event, "1-0:16.7.0") ?? valueIn(event, "1-0:15.7.0");
				if (make !== "no-pin")
					assert.ok(Math.abs(Number.parseFloat(read!) - watts) <= 0.5, `${make} ${watts}: ${read}`);
			}
		}
	});
	it("returns the printed number as meter id, or hex", () => {
		assert.equal(only(telegramOf("holley-zdba")).meterId, "1HLY0200074565");
		assert.equal(only(telegramOf("emh-ed300l")).meterId, "06454D480100012345AB");
		assert.equal(only(telegramOf("escapes")).meterId, "0A01534D47001B1B1B1B");
		const nobody = message(`72 63 0701 77 01 01 01 01 71 ${value("6205")}01 01`);
		assert.deepEqual([only(transported(nobody)).meterId, only(transported(nobody)).event], ["", EVENT_READOUT]);
	});
});

describe("an invalid SML telegram", () => {
	it("is reported as poor, with its values, if the check of the transport or of a message is wrong", () => {
		for (const make of SML_MAKES) {
			for (const faults of [{ hasWrongCheck: true }, { hasWrongMessageCheck: true }]) {
				const event = only(telegramOf(make, 5, faults));
				assert.deepEqual([event.event, event.code, event.meterId], [EVENT_POOR, "sml/check", ""]);
				assert.ok(event.records.length > 1);
			}
		}
	});
	it("is rejected without values if its structure is invalid although its checks are right", () => {
		for (const make of SML_MAKES) {
			const event = only(telegramOf(make, 5, { isBroken: true }));
			assert.deepEqual([event.event, event.code, event.records], [EVENT_POOR, "sml/structure", []], make);
		}
		const nested = message(`72 63 0701 77 01 01 01 01 71 77 07 0100010800ff 01 ${"71".repeat(8)}${"01".repeat(12)}`);
		const close = message("72 63 0201 71 01");
		const broken = [
			"77 01",
			"75",
			"62 01",
			"00 00 00 00 01",
			nested,
			`${close}76`,
			message("72 63 0701 76 01 01 01 01 70 01 01"),
			message("72 63 0701 77 01 01 01 01 01 01 01"),
			message("62 01"),
			response("6205"),
			response("76 07 0100010800ff 01 01 01 01 6205"),
			response(value("51")),
			response(value("60")),
			response(value("5a000000000000000000")),
			response(value("4301ff")),
			response(value("1205")),
			response(value("80808080 80 05 00")),
			response("77 72 0101 01 01 01 01 6205 01"),
			response(value("00")),
		];
		const codes = broken.map((file) => new Bed().receive(transported(file)).map(({ code }) => code));
		assert.deepEqual(
			codes,
			broken.map(() => ["sml/structure"]),
		);
	});
	it("is not reported if it has no values", () => {
		assert.deepEqual(new Bed().receive(transported(message("72 63 0201 71 01"))), []);
		assert.deepEqual(new Bed().receive(transported("")), []);
		assert.deepEqual(new Bed().receive(transported(message("72 63 ff01 74 01 01 72 6201 70 01"))), []);
	});
	it("ends after 2000 ms of silence", () => {
		const bed = new Bed();
		bed.receive(PLAIN.subarray(0, 100), 0);
		assert.equal(bed.listener.deadlineMs, 2000);
		bed.advance(2000);
		assert.equal(bed.listener.deadlineMs, Number.POSITIVE_INFINITY);
		assert.deepEqual(bed.receive(PLAIN.subarray(100), 2001), []);
		assert.equal(bed.receive(PLAIN, 2002).length, 1);
	});
	it("ends at the maximum length", () => {
		const bed = new Bed();
		const endless = join(BEGIN, Buffer.from("7605000000016200620072", "hex"), Buffer.alloc(TELEGRAM_LIMIT, 0x8f));
		assert.deepEqual(bed.receive(endless, 0, 64), []);
		assert.equal(bed.listener.deadlineMs, Number.POSITIVE_INFINITY);
		assert.equal(bed.receive(PLAIN).length, 1);
	});
	it("does not affect the next telegram if any byte is lost, doubled or added", () => {
		const first = telegramOf("dzg-dvs", 100);
		for (let at = 0; at < first.length; at++) {
			const lost = join(first.subarray(0, at), first.subarray(at + 1));
			const doubled = join(first.subarray(0, at), first.subarray(at, at + 1), first.subarray(at));
			const extra = join(first.subarray(0, at), Buffer.of(0x1b), first.subarray(at));
			for (const damaged of [lost, doubled, extra]) {
				const events = new Bed().receive(join(damaged, PLAIN), 0, 64).filter(({ event }) => event === EVENT_READOUT);
				assert.equal(events.at(-1)?.meterId, "1SMG0000074565", `${at}`);
				for (const one of events.slice(0, -1)) assert.deepEqual(one, only(first), `${at}`);
			}
		}
	});
	it("does not affect the next telegram if that begins in place of the check", () => {
		const first = telegramOf("dzg-dvs", 100);
		for (const missing of [1, 2]) {
			const events = new Bed().receive(join(first.subarray(0, -missing), PLAIN));
			assert.equal(events.at(-1)?.meterId, "1SMG0000074565", `${missing} missing`);
		}
	});
	it("does not affect a good telegram before it in the same piece, and is reported once if there are many in a piece", () => {
		const bed = new Bed();
		const events = bed.receive(join(PLAIN, telegramOf("dzg-dvs", 5, { hasWrongCheck: true })));
		assert.deepEqual(events, [only(PLAIN)]);
		const many = new Bed().receive(join(...Array.from({ length: 40 }, () => transported("77 01"))));
		assert.deepEqual(
			many.map(({ code }) => code),
			["sml/structure"],
		);
	});
});

describe("the SML listener in each state", () => {
	const states: Record<string, () => Bed> = {
		"before a telegram": () => new Bed(),
		"in a telegram": () => {
			const bed = new Bed();
			bed.receive(PLAIN.subarray(0, 90));
			return bed;
		},
		"in the end of a telegram": () => {
			const bed = new Bed();
			bed.receive(PLAIN.subarray(0, -2));
			return bed;
		},
		"after a telegram": () => {
			const bed = new Bed();
			bed.receive(PLAIN);
			return bed;
		},
		"after a broken telegram": () => {
			const bed = new Bed();
			bed.receive(telegramOf("plain", 5, { isBroken: true }));
			return bed;
		},
		over: () => {
			const bed = new Bed();
			bed.listener.abort(0);
			bed.take();
			return bed;
		},
	};
	for (const [name, enter] of Object.entries(states)) {
		it(`handles every call: ${name}`, () => {
			const isOver = name === "over";
			const early = enter();
			assert.deepEqual(early.advance(-1), []);
			const late = enter();
			late.advance(1e9);
			assert.equal(late.receive(PLAIN, 1e9).length, isOver ? 0 : 1);
			const empty = enter();
			empty.listener.receive(PLAIN, 5, 5, 0);
			assert.deepEqual(empty.take(), []);
			const ended = enter();
			ended.listener.abort(0);
			ended.listener.abort(0);
			assert.deepEqual(
				ended.take().map(({ event }) => event),
				isOver ? [] : [EVENT_END],
			);
			assert.equal(ended.listener.deadlineMs, Number.POSITIVE_INFINITY);
			assert.deepEqual(ended.receive(PLAIN), []);
		});
	}
	it("ends without a failure after a telegram, otherwise with the reason", () => {
		const codeOf = (state: string) => {
			const bed = states[state]();
			bed.listener.abort(0);
			return bed.listener.failure?.code;
		};
		assert.deepEqual(
			[codeOf("before a telegram"), codeOf("in a telegram"), codeOf("after a telegram")],
			["sml/silence", "sml/no-start", undefined],
		);
	});
	it("never throws on a damaged telegram, accepts none with a wrong check, and reads the next one", () => {
		const random = new SeededRandom(20);
		const known = SML_MAKES.map((make) => telegramOf(make));
		const good = new Set(known.map((bytes) => meaningOf(only(bytes))));
		for (let round = 0; round < 1500; round++) {
			let bytes = Buffer.from(known[random.below(known.length)]);
			for (let i = random.below(4); i >= 0; i--) {
				const at = random.below(bytes.length);
				const what = random.below(4);
				if (what === 0) bytes[at] ^= 1 << random.below(8);
				else if (what === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(9))]);
				else if (what === 2)
					bytes = Buffer.concat([bytes.subarray(0, at), random.bytes(random.below(9)), bytes.subarray(at)]);
				else bytes = Buffer.concat([bytes, known[random.below(known.length)].subarray(0, at)]);
				if (bytes.length === 0) bytes = Buffer.of(0);
			}
			// Half of the telegrams have a correct check in spite of the damage, so only the structure reveals it.
			const isSealed = random.oneIn(2) && bytes.length > 20;
			if (isSealed) {
				const sum = crc16(bytes, 0, bytes.length - 2);
				bytes[bytes.length - 2] = sum & 0xff;
				bytes[bytes.length - 1] = sum >> 8;
			}
			const bed = new Bed();
			for (const event of bed.receive(bytes, 0, 1 + random.below(70))) {
				if (event.event === EVENT_READOUT && !isSealed) assert.ok(good.has(meaningOf(event)), `round ${round}`);
			}
			bed.advance(2000);
			assert.equal(bed.receive(PLAIN, 2000).at(-1)?.event, EVENT_READOUT, `round ${round}`);
		}
	});
});

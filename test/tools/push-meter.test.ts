import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { crc16 } from "../../modules/bytes/crc16.js";
import { CHECK_RIGHT } from "../../modules/iec62056-21/block.js";
import { MeterListener } from "../../modules/iec62056-21/listener.js";
import { FORMAT_8E1 } from "../../modules/io/host.js";
import {
	KIND_ASCII,
	KIND_HDLC,
	KIND_MBUS,
	KIND_NONE,
	KIND_SML,
	KIND_WRAPPER,
	TelegramScanner,
} from "../../modules/meter/telegram-scanner.js";
import { EVENT_READOUT } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { Household } from "../../tools/meter/household.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { PUSH_HELP, parsePushOptions, wantsPush } from "../../tools/meter/push-options.js";
import { dlmsTelegram, type PushFraming } from "../../tools/meter/push-telegrams.js";
import { smlTelegram } from "../../tools/meter/sml-telegram.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { UsageError } from "../../tools/meter/words.js";
import { recordsOf } from "../meter/records.js";

const household = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 });
const reading = household.reading(0);
const parse = (line: string) => parsePushOptions(line.split(" "));
/** Server id of the simulated meter. */
const SERVER_ID = Buffer.from("0a01534d470000012345", "hex");
const BEGIN = "1b1b1b1b01010101";

/** Returns the number of SML files in a sequence; their checks must be right. */
function filesIn(bytes: Uint8Array): number {
	const parts = Buffer.from(bytes).toString("hex").split(BEGIN).slice(1);
	for (const part of parts) {
		const file = Buffer.from(BEGIN + part, "hex");
		assert.equal(file.length % 4, 0);
		assert.match(file.subarray(-8).toString("hex"), /^1b1b1b1b1a0[0-3]/);
		assert.equal(file.readUInt16LE(file.length - 2), crc16(file, 0, file.length - 2));
	}
	return parts.length;
}

describe("The simulated meter with unsolicited data", () => {
	for (const name of vectorNames("sml")) {
		const expected = JSON.parse(readFileSync(vectorPath("sml", name, "json"), "utf8"));
		const isWhole = expected.readouts.length === expected.telegrams;
		if (!isWhole || expected.readouts.some(({ check }: { check: string }) => check === "wrong")) continue;
		it(`frames SML files as ${name} does`, () => {
			assert.equal(filesIn(readTelegram(vectorPath("sml", name))), expected.telegrams);
		});
	}
	it("sends an SML file with right checks and the current values", () => {
		const telegram = Buffer.from(smlTelegram(reading));
		assert.equal(filesIn(telegram), 1);
		assert.ok(telegram.includes(Buffer.from("070100010800ff", "hex")));
		// The first message's check covers its beginning up to the type of the check.
		const end = telegram.indexOf(Buffer.from([0x63]), telegram.indexOf(SERVER_ID) + SERVER_ID.length);
		assert.equal(telegram.readUInt16LE(end + 1), crc16(telegram, 8, end));
	});
	it("sends telegrams that the gateway recognises", () => {
		const kinds = (bytes: Uint8Array) => {
			const scanner = new TelegramScanner();
			return [...bytes].map((byte) => scanner.scan(byte)).filter((kind) => kind !== KIND_NONE);
		};
		// SML is recognised by its beginning and by its end.
		assert.deepEqual(kinds(smlTelegram(reading)), [KIND_SML, KIND_SML]);
		const framings: [PushFraming, number][] = [
			["hdlc", KIND_HDLC],
			["mbus", KIND_MBUS],
			["wrapper", KIND_WRAPPER],
		];
		for (const [framing, kind] of framings)
			assert.deepEqual(kinds(dlmsTelegram(reading, { framing })), [kind], framing);
	});
	it("sends a P1 telegram that the gateway recognises, and whose CRC it accepts", () => {
		const telegram = p1Telegram(reading);
		const writer = new RecordWriter();
		const listener = new MeterListener(writer);
		listener.receive(telegram, 0, telegram.length, 0);
		assert.equal(listener.poll().code, EVENT_READOUT);
		assert.equal(listener.check, CHECK_RIGHT);
		const records = recordsOf(writer.kept);
		assert.equal(records.length, Buffer.from(telegram).toString().split("\r\n").length - 4);
		assert.match(records.at(-1)!, /^0-1:24\.2\.1: 0179\d\.\d{3}\*m3, 261120060000W$/);
		const scanner = new TelegramScanner();
		const kinds = [...telegram].map((byte) => scanner.scan(byte)).filter((kind) => kind !== KIND_NONE);
		assert.deepEqual([kinds, scanner.hasParity], [[KIND_ASCII], false]);
	});
	it("has options, some of which are for one kind only", () => {
		assert.equal(wantsPush(["--protocol", "sml"]), true);
		assert.equal(wantsPush(["--protocol=dlms-push"]), true);
		assert.equal(wantsPush(["--protocol", "p1"]), true);
		assert.equal(wantsPush(["--protocol", "dlms", "--ident", "sml"]), false);
		assert.equal(parse("--protocol sml --help"), undefined);
		assert.equal(wantsPush(["--protocol", "amis"]), true);
		for (const name of ["port", "telegram", "framing", "baud", "push-seconds", "call-seconds", "baud-pace"])
			assert.ok(PUSH_HELP.includes(`--${name}`), name);
		const common = { counter: 1, pushMs: 2000, pace: false, quiet: false };
		assert.deepEqual(parse("--protocol sml"), {
			protocol: "sml",
			sml: {},
			form: { framing: "hdlc" },
			baud: 9600,
			...common,
		});
		assert.deepEqual(parse("--protocol dlms-push --framing mbus --push-seconds 5 --baud-pace --quiet"), {
			protocol: "dlms-push",
			form: { framing: "mbus" },
			counter: 1,
			baud: 2400,
			pushMs: 5000,
			pace: true,
			quiet: true,
		});
		assert.equal(parse("--protocol dlms-push --framing mbus --even-parity")?.format, FORMAT_8E1);
		const { key, ...amis } = parse(`--protocol amis --guek ${"0f".repeat(16)} --call-seconds 5`) ?? {};
		assert.deepEqual(key, Buffer.alloc(16, 0x0f));
		assert.deepEqual(amis, {
			...common,
			protocol: "amis",
			form: { framing: "hdlc" },
			callMs: 5000,
			baud: 9600,
			format: FORMAT_8E1,
			pushMs: 1000,
		});
		assert.deepEqual(
			["", " --tic-mode historic", " --baud 4800"].map((more) => parse(`--protocol tic${more}`)?.baud),
			[9600, 1200, 4800],
		);
		assert.equal(parse("--protocol dlms-push --framing mbus --baud 115200")?.baud, 115_200);
		const ciphered = parse("--protocol dlms-push --security encrypt --dedicated --segment 60 --replay 3 --wrong-tag 2");
		assert.equal(ciphered?.form.protection?.control, 0x20);
		assert.equal(ciphered?.form.protection?.isDedicated, true);
		assert.deepEqual([ciphered?.form.size, ciphered?.replay, ciphered?.wrongTag], [60, 3, 2]);
		assert.equal(parse("--protocol dlms-push --without-codes")?.form.isNameless, true);
		const { display } = parse("--protocol sml --pin 0815 --pin-flashes 1 --needs-inf")?.sml ?? {};
		assert.equal(display?.isOpen(0), false);
		const p1 = parse("--protocol p1");
		assert.deepEqual([p1?.protocol, p1?.baud, p1?.pushMs], ["p1", 115_200, 1000]);
		assert.equal(parse("--protocol p1 --baud 9600")?.baud, 9600);
	});
	for (const line of [
		"--protocol sml --framing hdlc",
		"--protocol sml --tic-mode historic",
		"--protocol tic --tic-mode old",
		"--protocol sml --even-parity",
		"--protocol sml --without-codes",
		"--protocol tic --make plain",
		"--protocol sml --security both",
		"--protocol dlms-push --security auth",
		"--protocol dlms-push --framing tcp",
		"--protocol sml --baud 28800",
		"--protocol p1 --framing hdlc",
		"--protocol sml --push-seconds 0",
		"--protocol sml --port /dev/ttyS0 --baud-pace",
		"--protocol sml --echo",
		"--protocol sml --make itron",
		"--protocol sml --wrong-crc x",
		"--protocol sml --pin 123",
		"--protocol sml --pin 123456789",
		"--protocol sml --pin 12a4",
		"--protocol sml --pin 1234 --pin-flashes 3",
		"--protocol sml --pin-flashes 1",
		"--protocol sml --needs-inf",
		"--protocol p1 --pin 1234",
		"--protocol dlms-push --make plain",
	]) {
		it(`rejects ${line}`, () => assert.throws(() => parse(line), UsageError));
	}
});

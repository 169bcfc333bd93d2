import assert from "node:assert/strict";
import { crc16 } from "../../modules/bytes/crc16.js";
import { stepCRC16ARC } from "../../modules/bytes/crc16-arc.js";
import { addParity, ParityFilter } from "../../modules/bytes/parity.js";
import { CHECK_ABSENT, CHECK_RIGHT, CHECK_WRONG } from "../../modules/iec62056-21/block.js";
import { EVENT_LOST_TELEGRAM, MeterListener } from "../../modules/iec62056-21/listener.js";
import { EVENT_POOR, EVENT_READOUT } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { type Feedable, feeds, REFUSED } from "../feeds.js";
import { bytesOf, textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";
import { Driver } from "./driver.js";

const TELEGRAM = "/EBZ5DD3\r\n\r\n1.8.0(000123.4*kWh)\r\n2.8.0(000005.6*kWh)\r\n!\r\n";
const RECORDS = ["1.8.0: 000123.4*kWh", "2.8.0: 000005.6*kWh"];
const DSMR = withCRC("/KFM5KAIFA\r\n\r\n1-0:1.8.1(000123.456*kWh)\r\n1-0:2.8.1(000005.600*kWh)\r\n!");

function withCRC(text: string): string {
	const crc = stepCRC16ARC(0, bytesOf(text), 0, text.length);
	return `${text}${crc.toString(16).toUpperCase().padStart(4, "0")}\r\n`;
}

class Listening extends Driver {
	readonly writer: RecordWriter;
	declare readonly machine: MeterListener;

	constructor() {
		const writer = new RecordWriter();
		super(new MeterListener(writer));
		this.writer = writer;
	}

	/** The codes of the events so far. */
	events(): number[] {
		return this.take().map((line) => Number(line.split(" event ")[1]));
	}

	get records(): string[] {
		return recordsOf(this.writer.kept);
	}
}

describe("a pushed telegram", () => {
	it("is accepted as soon as its line end arrives", () => {
		const listening = new Listening().receive(TELEGRAM);
		assert.deepEqual(listening.events(), [EVENT_READOUT]);
		assert.equal(textOf(listening.machine.meterId), "EBZ5DD3");
		assert.equal(listening.machine.check, CHECK_ABSENT);
		assert.deepEqual(listening.records, RECORDS);
		assert.equal(listening.machine.deadlineMs, Number.POSITIVE_INFINITY);
	});
	it("is accepted 300 ms after its ! if it has no line end", () => {
		const listening = new Listening().receive(TELEGRAM.slice(0, -2));
		assert.deepEqual(listening.to(299).events(), []);
		assert.deepEqual(listening.to(300).events(), [EVENT_READOUT]);
	});
	it("is given up after 2000 ms without a character", () => {
		const listening = new Listening().receive(TELEGRAM.slice(0, 30));
		listening.to(1999).receive("x");
		assert.deepEqual(listening.to(3998).events(), []);
		assert.deepEqual(listening.to(3999).events(), [EVENT_LOST_TELEGRAM]);
		assert.deepEqual(listening.receive(TELEGRAM).events(), [EVENT_READOUT]);
		assert.deepEqual(listening.records, RECORDS);
	});
	it("is not joined to the beginning of an identification that arrived before a silence", () => {
		const listening = new Listening().receive("/LGZ5").to(2000).receive(`\n${TELEGRAM}`);
		assert.deepEqual(listening.events(), [EVENT_READOUT]);
		assert.equal(textOf(listening.machine.meterId), "EBZ5DD3");
	});
	it("may lack its empty line, and may follow noise or an incomplete telegram", () => {
		for (const before of ["", "\x00", "\xff\x7f", "6*kWh)\r\n!\r\n", "/\r\n", "/LGZ(1)\r\n", TELEGRAM.slice(0, 40)]) {
			const listening = new Listening().receive(before + TELEGRAM.replace("\r\n\r\n", "\r\n"));
			assert.equal(listening.events().at(-1), EVENT_READOUT, JSON.stringify(before));
			assert.deepEqual(listening.records, RECORDS, JSON.stringify(before));
		}
	});
	it("may follow another telegram without a gap, even if that one has no line end", () => {
		const listening = new Listening().receive(TELEGRAM + TELEGRAM);
		assert.deepEqual(listening.events(), [EVENT_READOUT, EVENT_READOUT]);
		assert.deepEqual(
			listening
				.receive(TELEGRAM.slice(0, -2) + TELEGRAM)
				.events()
				.at(-1),
			EVENT_READOUT,
		);
		assert.deepEqual(listening.records, RECORDS);
	});
	it("may have slashes in its data", () => {
		const listening = new Listening().receive("/EBZ5X\r\n0.9.2(21/04/10)\r\n/SX330\r\n/LGZ(5)\r\n1.8.0(1)\r\n!\r\n");
		assert.deepEqual(listening.events(), [EVENT_READOUT]);
		assert.deepEqual(listening.records, ["0.9.2: 21/04/10", "/LGZ: 5", "1.8.0: 1"]);
	});
	it("is bad if it has a damaged character or a broken line; its readings are then not marked as good", () => {
		for (const telegram of [TELEGRAM.replace("3.4", "3\xae4"), TELEGRAM.replace("h)\r\n2", "h\r\n2")]) {
			const listening = new Listening().receive(telegram);
			assert.deepEqual(listening.events(), [EVENT_POOR]);
			assert.equal(listening.writer.keptIsGood, false);
			assert.deepEqual(listening.records.length, 1);
			assert.deepEqual(listening.receive(TELEGRAM).events(), [EVENT_READOUT]);
			assert.equal(listening.writer.keptIsGood, true);
		}
	});
	it("is lost if it has no data set", () => {
		assert.deepEqual(new Listening().receive("/EBZ5X\r\n\r\n!\r\n").events(), [EVENT_LOST_TELEGRAM]);
	});
	it("has its characters counted, and the damaged ones among them", () => {
		const { machine } = new Listening().receive(`\xff${TELEGRAM}\x80`);
		assert.deepEqual([machine.received, machine.damaged], [TELEGRAM.length + 2, 2]);
	});
});

describe("the CRC of a telegram", () => {
	it("is CRC-16/ARC as in DSMR, not the CRC of HDLC", () => {
		assert.equal(stepCRC16ARC(0, bytesOf("123456789"), 0, 9), 0xbb3d);
		assert.notEqual(crc16(bytesOf("123456789"), 0, 9), 0xbb3d);
	});
	it("covers all characters from / to !", () => {
		for (const before of ["", "\x00/", "/KFM5\r", TELEGRAM]) {
			const listening = new Listening().receive(before + DSMR);
			assert.equal(listening.events().at(-1), EVENT_READOUT, JSON.stringify(before));
			assert.equal(listening.machine.check, CHECK_RIGHT);
		}
	});
	it("is accepted in lower case too", () => {
		const listening = new Listening().receive(DSMR.toLowerCase().replace("/kfm5kaifa", "/KFM5KAIFA"));
		assert.equal(listening.machine.check, CHECK_WRONG);
		const digits = DSMR.lastIndexOf("!") + 1;
		const lower = new Listening().receive(DSMR.slice(0, digits) + DSMR.slice(digits).toLowerCase());
		assert.equal(lower.machine.check, CHECK_RIGHT);
	});
	it("makes a telegram bad if it is wrong or has lost a digit", () => {
		const digits = DSMR.lastIndexOf("!") + 1;
		const value = DSMR.replace("123", "124");
		for (const telegram of [
			value,
			`${DSMR.slice(0, digits)}0000\r\n`,
			`${value.slice(0, digits + 3)}\r\n`,
			`${value.slice(0, digits)}\xc1${value.slice(digits + 1)}`,
		]) {
			const listening = new Listening().receive(telegram);
			assert.deepEqual(listening.events(), [EVENT_POOR], JSON.stringify(telegram));
			assert.equal(listening.machine.check, CHECK_WRONG);
		}
	});
	it("is accepted without leading zeros, as some meters print it", () => {
		// A real meter prints `!B9F`. This finds telegrams with one, two and three zeros at the start of the CRC.
		const found = new Map<number, string>();
		for (let i = 0; found.size < 3; i++) {
			const telegram = withCRC(`/KFM5KAIFA\r\n\r\n1-0:1.8.1(${String(i).padStart(9, "0")}*kWh)\r\n!`);
			const [zeros] = /0*/.exec(telegram.slice(-6)) ?? [""];
			if (zeros.length > 0) found.set(zeros.length, telegram);
		}
		for (const [zeros, telegram] of found) {
			const printed = telegram.slice(0, -6) + telegram.slice(-6 + zeros);
			for (const pieces of [[printed], [...printed]]) {
				const listening = new Listening();
				for (const piece of pieces) listening.receive(piece);
				assert.deepEqual(listening.events(), [EVENT_READOUT], printed);
				assert.equal(listening.machine.check, CHECK_RIGHT);
			}
			const wrong = new Listening().receive(printed.replace("kWh", "kVh"));
			assert.deepEqual([wrong.events(), wrong.machine.check], [[EVENT_POOR], CHECK_WRONG]);
		}
	});
	it("has at most four digits; with more, the telegram is bad", () => {
		const digits = DSMR.lastIndexOf("!") + 1;
		const listening = new Listening().receive(`${DSMR.slice(0, digits)}0${DSMR.slice(digits)}`);
		assert.deepEqual([listening.events(), listening.machine.check], [[EVENT_POOR], CHECK_WRONG]);
	});
	it("covers all eight bits of a character, so that a telegram with a right CRC may contain characters from 0x80 on", () => {
		const text = "/KFM5KAIFA\r\n\r\n1-0:1.8.1(1*kWh)\r\n0-0:96.13.0(Z\xe4hler)\r\n2.8.0(2*kWh)\r\n!";
		const listening = new Listening().receive(withCRC(text));
		assert.deepEqual([listening.events(), listening.machine.check], [[EVENT_READOUT], CHECK_RIGHT]);
		// The line with that character gives no reading, because readings are ASCII.
		assert.deepEqual(listening.records, ["1-0:1.8.1: 1*kWh", "2.8.0: 2*kWh"]);
		for (const damaged of [withCRC(text).replace("\xe4", "\xe5"), withCRC(text).replace("1*kWh", "3*kWh")]) {
			const other = new Listening().receive(damaged);
			assert.deepEqual([other.events(), other.machine.check], [[EVENT_POOR], CHECK_WRONG]);
		}
		const unchecked = new Listening().receive(`${text}\r\n`);
		assert.deepEqual(unchecked.events(), [EVENT_POOR]);
	});
	it("makes a telegram good if it is right, even if a line violates the grammar", () => {
		const listening = new Listening().receive(withCRC("/KFM5KAIFA\r\n\r\n1.8.1(1)\r\n2.8.1(1\r\n!"));
		assert.deepEqual(listening.events(), [EVENT_READOUT]);
		assert.deepEqual(listening.records, ["1.8.1: 1"]);
	});
});

/** A listener; if `filtered`, behind the parity filter of a port without parity. */
function listener(filtered: boolean): Feedable {
	const parity = new ParityFilter();
	const listening = new Listening();
	let kept: string[] = [];
	return {
		take: (bytes, start, end) => {
			if (filtered) parity.filter(bytes, start, end);
			// The characters are fed one by one, so that each telegram's result is seen.
			for (let i = start; i < end; i++) note(listening.receive(bytes.slice(i, i + 1)));
		},
		settle: () => {
			note(listening.to(listening.nowMs + 5000));
			const meanings = kept;
			kept = [];
			return meanings;
		},
	};

	function note(after: Listening): void {
		for (const event of after.events()) {
			const isGood = event === EVENT_READOUT;
			kept.push(isGood ? `${textOf(after.machine.meterId)}: ${after.records.join("; ")}` : REFUSED);
		}
	}
}

const PUSHED_WITH_PARITY = bytesOf(TELEGRAM);
addParity(PUSHED_WITH_PARITY, 0, PUSHED_WITH_PARITY.length);
const MEANING = `EBZ5DD3: ${RECORDS.join("; ")}`;
const GARBAGE = [bytesOf("\x00"), bytesOf("23.4*kWh)\r\n!\r\n"), bytesOf("/?!\r\n")];

feeds("a pushed telegram of 7E1 characters on a port without parity", {
	open: () => listener(true),
	frame: PUSHED_WITH_PARITY,
	meaning: MEANING,
	bits: 8,
	checked: true,
	streams: true,
	spare: 2,
	garbage: [bytesOf("\x00\xff\x7f"), PUSHED_WITH_PARITY.slice(40)],
});

describe("a telegram with a slash in its identification", () => {
	// This form is from ndokter/dsmr_parser issue 91.
	const HOLLEY = withCRC("/HLY5/D545-METER\r\n\r\n1-3:0.2.8(50)\r\n1-0:1.8.0(00003668.743*kWh)\r\n!");
	const HOLLEY_RECORDS = ["1-3:0.2.8: 50", "1-0:1.8.0: 00003668.743*kWh"];

	it("is accepted with a right CRC", () => {
		const listening = new Listening().receive(HOLLEY);
		assert.deepEqual(listening.events(), [EVENT_READOUT]);
		assert.equal(textOf(listening.machine.meterId), "HLY5/D545-METER");
		assert.equal(listening.machine.check, CHECK_RIGHT);
		assert.deepEqual(listening.records, HOLLEY_RECORDS);
	});
	it("is accepted after a telegram that broke off anywhere in its identification, or in a value", () => {
		const begins = [1, 2, 4, 5, 6, 7, 8, 12, 16].map((length) => HOLLEY.slice(0, length));
		for (const begin of [...begins, `${HOLLEY.slice(0, 20)}0-0:96.13.0(FFFF`]) {
			const listening = new Listening().receive(begin + HOLLEY);
			assert.equal(listening.events().at(-1), EVENT_READOUT, begin);
			assert.deepEqual(listening.records, HOLLEY_RECORDS, begin);
		}
	});
	it("is bad with any other CRC, such as that of HDLC", () => {
		const text = HOLLEY.slice(0, -6);
		const listening = new Listening().receive(`${text}${crc16(bytesOf(text), 0, text.length).toString(16)}\r\n`);
		assert.deepEqual(listening.events(), [EVENT_POOR]);
	});
});

feeds("a pushed telegram with CRC, without parity", {
	open: () => listener(false),
	frame: bytesOf(DSMR),
	meaning: "KFM5KAIFA: 1-0:1.8.1: 000123.456*kWh; 1-0:2.8.1: 000005.600*kWh",
	bits: 8,
	checked: true,
	streams: true,
	// Some meters have no CRC.
	spare: 6,
	garbage: GARBAGE,
});

feeds("a pushed telegram without parity and CRC", {
	open: () => listener(false),
	frame: bytesOf(TELEGRAM),
	meaning: MEANING,
	bits: 7,
	checked: false,
	streams: true,
	spare: 2,
	garbage: GARBAGE,
});

import assert from "node:assert/strict";
import { addParity, ParityFilter } from "../../modules/bytes/parity.js";
import { CHECK_ABSENT, CHECK_RIGHT, CHECK_WRONG } from "../../modules/iec62056-21/block.js";
import * as failures from "../../modules/iec62056-21/failures.js";
import * as session from "../../modules/iec62056-21/session.js";
import type { Failure } from "../../modules/readout/failure.js";
import { EVENT_END, EVENT_POOR } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { frame } from "../../tools/meter/telegram.js";
import { type Feedable, feeds, REFUSED } from "../feeds.js";
import { bytesOf, textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";
import { Driver } from "./driver.js";

const SIGN_ON = "/?!\r\n";
/** Duration of a five-character sign-on at 300 Bd, ms. */
const SIGN_ON_MS = (5 * 10 * 1000) / 300;
const ACKNOWLEDGE_MS = (6 * 10 * 1000) / 300;
const BREAK = "\x01B0\x03q";
const BLOCK = textOf(frame(bytesOf("1.8.0(000123.4*kWh)\r\n2.8.0(000005.6*kWh)\r\n!\r\n")));
const RECORDS = ["1.8.0: 000123.4*kWh", "2.8.0: 000005.6*kWh"];
const WRONG = `${BLOCK.slice(0, -1)}~`;

function speed(baud: number): session.SpeedChoice {
	return { speedFor: () => baud };
}

class SessionDriver extends Driver {
	readonly writer: RecordWriter;
	declare readonly machine: session.MeterSession;

	constructor(options: Partial<session.SessionOptions> = {}) {
		const writer = new RecordWriter();
		const defaults = { address: new Uint8Array(0), battery: false, speed: speed(9600), identOnly: false, quietMs: 0 };
		super(new session.MeterSession({ records: writer, ...defaults, ...options }, 0));
		this.writer = writer;
	}

	/** Opens a session that signs on at once, and receives this identification at `ms`. */
	static identified(ident: string, ms = 400, options: Partial<session.SessionOptions> = {}): SessionDriver {
		const driver = new SessionDriver(options);
		driver.to(ms).receive(`${ident}\r\n`).take();
		return driver;
	}

	/** Opens a session in mode C at 300 Bd that has sent its acknowledgement, and expects the block from `nowMs` on. */
	static acknowledged(): SessionDriver {
		const driver = SessionDriver.identified("/LGZ0TEST", 400);
		driver.to(605).take();
		return driver;
	}

	get records(): string[] {
		return recordsOf(this.writer.kept);
	}

	ended(how: number | Failure): void {
		assert.equal(this.machine.failure ?? this.machine.outcome, how);
		assert.equal(this.machine.deadlineMs, Number.POSITIVE_INFINITY);
	}
}

describe("a session", () => {
	it("signs on, acknowledges at 300 Bd, changes speed, receives the block, and returns to 300 Bd", () => {
		const driver = new SessionDriver();
		driver.to(300).receive("/LGZ5TEST\r\n").to(505);
		assert.deepEqual(driver.to(800).receive(BLOCK).take(), [
			`0 sent ${SIGN_ON}`,
			`300 event ${session.EVENT_IDENT}`,
			"505 sent \x06050\r\n",
			"505 line 9600",
			"800 line 300",
			`800 event ${EVENT_END}`,
		]);
		driver.ended(session.OUTCOME_BLOCK);
		assert.equal(driver.machine.check, CHECK_RIGHT);
		assert.equal(driver.machine.baud, 9600);
		assert.deepEqual(driver.records, RECORDS);
	});
	it("acknowledges the lower of the meter's speed and the limit", () => {
		for (const [z, ceiling, number] of [
			["5", 9600, 5],
			["5", 4800, 4],
			["5", 9599, 4],
			["3", 19200, 3],
			["6", 19200, 6],
			["0", 9600, 0],
			["6", 300, 0],
		] as const) {
			const driver = SessionDriver.identified(`/LGZ${z}TEST`, 400, { speed: speed(ceiling) }).to(700);
			assert.equal(driver.take()[0], `605 sent \x060${number}0\r\n`);
		}
	});
	it("sends no acknowledgement in modes A and B, and listens at the meter's speed", () => {
		for (const [ident, baud] of [
			["/LGZ!TEST", 300],
			["/LGZATEST", 600],
			["/LGZETEST", 9600],
		] as const) {
			const driver = new SessionDriver();
			driver.to(400).receive(`${ident}\r\n`);
			driver.to(900).receive(BLOCK);
			const [, , line, ...rest] = driver.take();
			assert.equal(line, `400 line ${baud}`);
			assert.deepEqual(rest, ["900 line 300", `900 event ${EVENT_END}`]);
			driver.ended(session.OUTCOME_BLOCK);
			assert.deepEqual(driver.records, RECORDS);
		}
	});
	it("accepts a block without an acknowledgement in mode C, at the speed of the sign-on", () => {
		const driver = SessionDriver.identified("/LGZ5TEST");
		assert.deepEqual(driver.to(500).receive(BLOCK).take(), ["500 line 300", `500 event ${EVENT_END}`]);
		assert.deepEqual(driver.records, RECORDS);
		assert.equal(driver.machine.baud, 300);
	});
	it("ignores noise after the identification, and acknowledges after a pause", () => {
		const driver = SessionDriver.identified("/LGZ5TEST");
		driver.to(600).receive("~");
		assert.deepEqual(driver.to(804).take(), []);
		assert.deepEqual(driver.to(805).take(), ["805 sent \x06050\r\n", "805 line 9600"]);
		driver.to(1200).receive(BLOCK).ended(session.OUTCOME_BLOCK);
	});
	it("sends the device address in the sign-on", () => {
		assert.deepEqual(new SessionDriver({ address: bytesOf("12345678") }).to(0).take(), ["0 sent /?12345678!\r\n"]);
	});
	it("sends a configured sign-on in place of the standard's text up to the !, and recognises its echo", () => {
		// Sources: Landis+Gyr Ultraheat UH50, https://github.com/aquaticus/esphome-iec62056; EMH LZQJ, service table 4.
		for (const address of ["/#", "/4405296170", "/ABC1234"]) {
			const driver = new SessionDriver({ address: bytesOf(address) }).to(0);
			assert.deepEqual(driver.take(), [`0 sent ${address}!\r\n`]);
			const echoed = new SessionDriver({ address: bytesOf(address) }).to(300).receive(`${address}!\r\n`);
			echoed.to(10_000).ended(failures.IEC_ECHO_ONLY);
			driver.to(500).receive(`${address}!\r\n/LUGCUH50\r\n`).to(900).receive(BLOCK);
			driver.ended(session.OUTCOME_BLOCK);
		}
	});
	it("ends with a break after the identification if only that was requested", () => {
		const driver = new SessionDriver({ identOnly: true });
		assert.deepEqual(driver.to(300).receive("/LGZ5TEST\r\n").take().slice(1), [
			`300 event ${session.EVENT_IDENT}`,
			`300 sent ${BREAK}`,
			"300 line 300",
			`300 event ${EVENT_END}`,
		]);
		driver.ended(session.OUTCOME_IDENT);
	});
	describe("in mode E", () => {
		const handOver = session.HAND_OVER_ANNOUNCED;
		for (const [what, ident, options] of [
			["if the meter announces it", "/LGZ5\\2ZMD310", { handOver }],
			["if the meter announces it among other things", "/ABC5\\W\\2TEST", { handOver }],
			["if the settings always require it", "/LGZ5TEST", { handOver: session.HAND_OVER_ALWAYS }],
		] as const) {
			it(`chooses HDLC ${what}, changes to 8N1, and ends the session`, () => {
				const driver = SessionDriver.identified(ident, 400, options).to(605);
				assert.deepEqual(driver.take(), ["605 sent \x06252\r\n", "605 line 9600 8N1", `605 event ${EVENT_END}`]);
				driver.ended(session.OUTCOME_HAND_OVER);
				assert.deepEqual([driver.machine.baud, driver.machine.sentByMs], [9600, 605 + ACKNOWLEDGE_MS]);
				driver.to(700).receive(BLOCK);
				assert.deepEqual(driver.to(5000).take(), []);
			});
		}
		it("chooses no higher speed than the limit", () => {
			const driver = SessionDriver.identified("/LGZ6\\2TEST", 400, { handOver, speed: speed(2400) }).to(700);
			assert.deepEqual(driver.take().slice(0, 2), ["605 sent \x06232\r\n", "605 line 2400 8N1"]);
		});
		for (const [what, ident, options] of [
			["if mode E is not allowed", "/LGZ5\\2TEST", {}],
			["if the meter does not announce mode E", "/LGZ5\\3TEST", { handOver }],
			["if mode E is only part of the identification's text", "/LGZ5TE\\2ST", { handOver }],
		] as const) {
			it(`continues in mode C ${what}`, () => {
				const driver = SessionDriver.identified(ident, 400, options).to(605);
				assert.deepEqual(driver.take(), ["605 sent \x06050\r\n", "605 line 9600"]);
			});
		}
		it("continues without mode E if the meter uses mode A, or sends without an acknowledgement", () => {
			const always = { handOver: session.HAND_OVER_ALWAYS };
			for (const ident of ["/LGZ!TEST", "/LGZ5TEST"]) {
				const driver = SessionDriver.identified(ident, 400, always);
				driver.to(500).receive(BLOCK).ended(session.OUTCOME_BLOCK);
			}
		});
	});
	it("ends with a break if the meter enters programming mode", () => {
		const driver = SessionDriver.acknowledged();
		driver.receive(textOf(frame(bytesOf("P0\x02(1234)"), 0x01)));
		assert.deepEqual(driver.take(), [`605 sent ${BREAK}`, "605 line 300", `605 event ${EVENT_END}`]);
		driver.ended(failures.IEC_METER_ERROR);
	});
	it("can be aborted; the block is then reported as cut", () => {
		const driver = SessionDriver.acknowledged();
		driver.receive("\x021.8.0(1)\r\n2.8.0(2");
		driver.machine.abort(driver.nowMs);
		driver.machine.abort(driver.nowMs);
		driver.ended(failures.IEC_CUT);
		assert.equal(driver.writer.records, 1);
		driver.receive(BLOCK).to(100_000);
		assert.equal(driver.writer.records, 1);
	});
	it("ignores everything after its end", () => {
		const driver = SessionDriver.acknowledged();
		driver.receive(BLOCK).take();
		assert.deepEqual(driver.receive("/LGZ5TEST\r\n").receive(WRONG).to(1e6).take(), []);
		assert.deepEqual(driver.records, RECORDS);
	});
});

describe("the timing of a session", () => {
	it("begins with silence of the requested length", () => {
		const driver = new SessionDriver({ quietMs: 100 });
		assert.deepEqual(driver.to(99).take(), []);
		driver.receive("tail of an earlier block");
		assert.deepEqual(driver.to(198).take(), []);
		assert.deepEqual(driver.to(199).take(), [`199 sent ${SIGN_ON}`]);
		assert.equal(driver.machine.received, 0);
	});
	it("wakes a battery meter with 66 NULs for 2.2 s, and signs on 1.5 to 1.7 s after them", () => {
		const driver = new SessionDriver({ battery: true });
		assert.deepEqual(driver.to(0).take(), [`0 sent ${"\0".repeat(66)}`]);
		driver.to(1000).receive("\0\0\0");
		assert.deepEqual(driver.to(3799).take(), []);
		assert.deepEqual(driver.to(3800).take(), [`3800 sent ${SIGN_ON}`]);
		assert.equal(driver.machine.received, 0);
	});
	it("has the acknowledgement 200 to 1500 ms after the identification", () => {
		const driver = SessionDriver.identified("/LGZ5TEST", 1000);
		assert.deepEqual(driver.to(1200).take(), []);
		assert.equal(driver.to(1220).take()[0], "1205 sent \x06050\r\n");
	});
	it("has the acknowledgement 20 ms after the identification if the meter requests the short reaction time", () => {
		const driver = SessionDriver.identified("/LGz5TEST", 1000);
		assert.deepEqual(driver.to(1020).take(), []);
		assert.equal(driver.to(1040).take()[0], "1025 sent \x06050\r\n");
	});
	it("gives the meter 4500 ms for its first character after the sign-on", () => {
		const endMs = SIGN_ON_MS + 4500;
		for (const late of [false, true]) {
			const driver = new SessionDriver();
			driver.to(endMs - 0.01).take();
			if (!late) driver.receive("/");
			driver.to(endMs + 0.01);
			assert.equal(driver.machine.failure, late ? failures.IEC_SILENCE : undefined);
		}
	});
	it("allows 2000 ms from one character of an identification to the next", () => {
		const driver = new SessionDriver();
		driver.to(2600).receive("/LG");
		driver.to(4599).receive("Z5TEST");
		assert.equal(driver.to(6598).receive("\r\n").take().at(-1), `6598 event ${session.EVENT_IDENT}`);
		const slow = new SessionDriver();
		slow.to(4000).receive("/LG");
		assert.equal(slow.to(5999).machine.failure, undefined);
		slow.to(6000).ended(failures.IEC_NO_IDENT);
	});
	it("does not prolong the wait for an identification because of noise", () => {
		const driver = new SessionDriver();
		for (let ms = 0; ms < SIGN_ON_MS + 4500; ms += 50) driver.to(ms).receive("~\r\n");
		driver.to(SIGN_ON_MS + 4500).ended(failures.IEC_NO_IDENT);
	});
	it("gives the meter 2500 ms for its block after the acknowledgement was sent", () => {
		const endMs = 605 + ACKNOWLEDGE_MS + 2500;
		for (const late of [false, true]) {
			const driver = SessionDriver.acknowledged();
			driver.to(endMs - 1);
			if (!late) driver.receive("\x02");
			driver.to(endMs + 1);
			assert.equal(driver.machine.failure, late ? failures.IEC_NO_BLOCK : undefined);
		}
	});
	it("gives the meter 4500 ms for its block if its identification came late", () => {
		const driver = SessionDriver.identified("/LGZ0TEST", 3700).to(3905);
		const endMs = 3905 + ACKNOWLEDGE_MS + 4500;
		driver
			.to(endMs - 1)
			.receive(BLOCK)
			.ended(session.OUTCOME_BLOCK);
		const silent = SessionDriver.identified("/LGZ0TEST", 3700).to(endMs + 1);
		silent.ended(failures.IEC_NO_BLOCK);
	});
	it("does not prolong the wait for a block because of characters before it", () => {
		const driver = SessionDriver.acknowledged();
		for (let ms = 610; ms < 605 + ACKNOWLEDGE_MS + 2500; ms += 100) driver.to(ms).receive("\x06050\r\n\x7f");
		driver.to(605 + ACKNOWLEDGE_MS + 2500).ended(failures.IEC_NO_BLOCK);
	});
	it("allows 2000 ms from one character of a block to the next, and does not limit the whole block", () => {
		const driver = SessionDriver.acknowledged();
		let ms = 700;
		for (const character of BLOCK) {
			driver.to(ms).receive(character);
			ms += 1999;
		}
		driver.ended(session.OUTCOME_BLOCK);
		const slow = SessionDriver.acknowledged();
		slow.to(700).receive(BLOCK.slice(0, 30));
		assert.equal(slow.to(2699).machine.failure, undefined);
		slow.to(2700).ended(failures.IEC_CUT);
	});
	it("ends a block without STX 500 ms after its !, and one with STX after 2000 ms, if no check follows", () => {
		for (const [text, ms] of [
			[BLOCK.slice(1, -2), 500],
			[BLOCK.slice(0, -2), 2000],
		] as const) {
			const driver = SessionDriver.acknowledged();
			driver.to(700).receive(text);
			assert.equal(driver.to(700 + ms - 1).machine.failure, undefined);
			driver.to(700 + ms).ended(session.OUTCOME_BLOCK);
			assert.equal(driver.machine.check, CHECK_ABSENT);
			assert.deepEqual(driver.records, RECORDS);
		}
	});
	it("has the request to repeat 200 to 1500 ms after the block, or 20 ms after it with the short reaction time", () => {
		for (const [letter, reactionMs] of [
			["Z", 205],
			["z", 25],
		] as const) {
			const driver = SessionDriver.identified(`/LG${letter}0TEST`);
			driver.to(700).receive(WRONG).take();
			assert.deepEqual(driver.to(700 + reactionMs - 1).take(), []);
			assert.deepEqual(driver.to(700 + reactionMs).take(), [`${700 + reactionMs} sent \x15`]);
		}
	});
	it("waits at most twenty times the requested silence for a line that is never silent, and then signs on", () => {
		const driver = new SessionDriver({ quietMs: 2000 });
		for (let ms = 500; ms < 40_000; ms += 500) driver.to(ms).receive("~");
		assert.deepEqual(driver.to(39_999).take(), []);
		assert.deepEqual(driver.to(40_000).take(), [`40000 sent ${SIGN_ON}`]);
	});
	it("has a later deadline whenever one has passed", () => {
		const driver = new SessionDriver({ battery: true, quietMs: 100 });
		for (let i = 0; i < 20 && driver.machine.deadlineMs < Number.POSITIVE_INFINITY; i++) {
			const { deadlineMs } = driver.machine;
			driver.to(deadlineMs);
			assert.ok(driver.machine.deadlineMs > deadlineMs);
		}
		driver.ended(failures.IEC_SILENCE);
	});
});

describe("a session with errors", () => {
	it("reports silence if nothing was received, and an echo if only the echo was received", () => {
		new SessionDriver().to(10_000).ended(failures.IEC_SILENCE);
		const echo = new SessionDriver();
		echo.to(170).receive(SIGN_ON).to(10_000).ended(failures.IEC_ECHO_ONLY);
		const more = new SessionDriver();
		more.to(170).receive(`${SIGN_ON}~`).to(10_000).ended(failures.IEC_NO_IDENT);
	});
	it("requests a block with a wrong check twice more, then gives up", () => {
		const driver = SessionDriver.acknowledged();
		for (const ms of [1000, 3000]) {
			assert.deepEqual(driver.to(ms).receive(WRONG).take(), [`${ms} event ${EVENT_POOR}`]);
			assert.deepEqual(driver.to(ms + 300).take(), [`${ms + 205} sent \x15`]);
			assert.equal(driver.writer.keptIsGood, false);
		}
		driver.to(5000).receive(WRONG);
		assert.deepEqual(driver.take(), [`5000 event ${EVENT_POOR}`, "5000 line 300", `5000 event ${EVENT_END}`]);
		driver.ended(failures.IEC_CHECK_WRONG);
		assert.equal(driver.machine.check, CHECK_WRONG);
	});
	it("keeps the repeated block, and discards the first one", () => {
		const driver = SessionDriver.acknowledged();
		driver.to(1000).receive(`\x029.9.9(9)\r\n!\r\n\x03~`).to(1500).receive(BLOCK).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(driver.records, RECORDS);
		assert.equal(driver.writer.keptIsGood, true);
	});
	it("requests a block with a damaged character again, although its check is right", () => {
		const driver = SessionDriver.acknowledged();
		const block = bytesOf(BLOCK);
		// Both characters have the same damage, which the exclusive or does not detect.
		for (const at of [8, 9]) block[at] |= 0x80;
		driver.to(1000).receive(block).take();
		assert.deepEqual(driver.to(1300).take(), ["1205 sent \x15"]);
		assert.ok(driver.machine.damaged >= 2);
	});
	it("does not request a broken block again from a meter that sends no check, and reports a failure", () => {
		const driver = SessionDriver.acknowledged();
		driver.to(1000).receive("1.8.0(1)\r\n2.8.0(2\r\n!\r\n").to(10_000).ended(failures.IEC_CHECK_WRONG);
	});
	it("accepts a block that violates the grammar if its check is right", () => {
		const driver = SessionDriver.acknowledged();
		driver.receive(textOf(frame(bytesOf("1.8.0(1)\r\n2.8.0(2\r\n!\r\n")))).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(driver.records, ["1.8.0: 1"]);
	});
	it("reports the wrong check if the repetition does not come or is cut", () => {
		for (const repetition of ["", "\x021.8.0(1)\r\n"]) {
			const driver = SessionDriver.acknowledged();
			driver.to(1000).receive(WRONG).to(1500).receive(repetition).to(10_000);
			driver.ended(failures.IEC_CHECK_WRONG);
		}
	});
	it("does not accept the rest of a block as its repetition, with or without a check", () => {
		for (const rest of ["1:96.1.0(3)\r\n!\r\n", textOf(frame(bytesOf("1:96.1.0(3)\r\n!\r\n"))).slice(1)]) {
			const driver = SessionDriver.acknowledged();
			driver.to(1000).receive("\x021.8.0(1\x03").receive("~:96.1.0(2)\r\n");
			driver.to(1300).receive(rest).to(10_000).ended(failures.IEC_CHECK_WRONG);
			assert.equal(driver.writer.keptIsGood, false);
			const repeated = SessionDriver.acknowledged();
			repeated.to(1000).receive("\x021.8.0(1\x03~").to(1300).receive(rest).receive(BLOCK);
			repeated.ended(session.OUTCOME_BLOCK);
			assert.deepEqual(repeated.records, RECORDS);
		}
	});
	it("accepts a repetition without STX from a meter that sends no STX, if its check is right", () => {
		const driver = SessionDriver.acknowledged();
		driver.to(1000).receive(WRONG.slice(1)).to(1500).receive(BLOCK.slice(1)).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(driver.records, RECORDS);
		const absent = SessionDriver.acknowledged();
		absent.to(1000).receive(WRONG.slice(1)).to(1500).receive(BLOCK.slice(1, -2)).to(10_000);
		absent.ended(failures.IEC_CHECK_WRONG);
	});
	it("reports the meter's error message", () => {
		const driver = SessionDriver.acknowledged();
		driver.receive(textOf(frame(bytesOf("(ER01)")))).ended(failures.IEC_METER_ERROR);
	});
	it("ignores noise between a block and its repetition", () => {
		const driver = SessionDriver.acknowledged();
		driver.to(1000).receive(WRONG).receive("~~~\x7f").to(1300).receive(BLOCK).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(driver.records, RECORDS);
	});
});

/** Runs one session after another, each from its identification on; `filtered`: the characters have parity. */
function feedableSession(filtered: boolean): Feedable {
	let driver = new SessionDriver().to(0);
	let parity = new ParityFilter();
	return {
		take: (bytes, start, end) => {
			if (filtered) parity.filter(bytes, start, end);
			driver.receive(bytes.slice(start, end));
		},
		settle: () => {
			const { machine } = driver.to(1e6);
			const good = machine.outcome === session.OUTCOME_BLOCK;
			const resultText = good ? driver.records.join("; ") : REFUSED;
			const isSilence = machine.failure === failures.IEC_SILENCE;
			driver = new SessionDriver().to(0);
			parity = new ParityFilter();
			return isSilence ? [] : [resultText];
		},
	};
}

const MEANING = RECORDS.join("; ");
const PLAIN = bytesOf(`/LGZ!TEST\r\n${BLOCK}`);
const WITH_PARITY = PLAIN.slice();
addParity(WITH_PARITY, 0, WITH_PARITY.length);

feeds("a session of 7E1 characters on a port without parity", {
	open: () => feedableSession(true),
	frame: WITH_PARITY,
	meaning: MEANING,
	bits: 8,
	checked: true,
	streams: false,
	// Meters without a BCC omit it.
	spare: 4,
	garbage: [bytesOf("\x7f\x7f\xff"), bytesOf("\xaf\x3f\x21\x8d\x0a")],
});

feeds("a session of 7-bit characters without parity check", {
	open: () => feedableSession(false),
	frame: PLAIN,
	meaning: MEANING,
	bits: 7,
	checked: true,
	streams: false,
	spare: 4,
	garbage: [bytesOf("\x7f\x7f"), bytesOf(SIGN_ON), bytesOf("1.8.0(7)\r\n!\r\n")],
});

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

class Conversation extends Driver {
	readonly writer: RecordWriter;
	declare readonly machine: session.MeterSession;

	constructor(options: Partial<session.SessionOptions> = {}) {
		const writer = new RecordWriter();
		const defaults = { address: new Uint8Array(0), battery: false, speed: speed(9600), identOnly: false, quietMs: 0 };
		super(new session.MeterSession({ sink: writer, ...defaults, ...options }, 0));
		this.writer = writer;
	}

	/** Opens a session that signs on at once, and receives this identification at `ms`. */
	static identified(ident: string, ms = 400, options: Partial<session.SessionOptions> = {}): Conversation {
		const conversation = new Conversation(options);
		conversation.to(ms).receive(`${ident}\r\n`).take();
		return conversation;
	}

	/** Opens a session in mode C at 300 Bd that has sent its acknowledgement, and expects the block from `nowMs` on. */
	static acknowledged(): Conversation {
		const conversation = Conversation.identified("/LGZ0TEST", 400);
		conversation.to(605).take();
		return conversation;
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
		const conversation = new Conversation();
		conversation.to(300).receive("/LGZ5TEST\r\n").to(505);
		conversation.to(800).receive(BLOCK);
		assert.deepEqual(conversation.take(), [
			`0 sent ${SIGN_ON}`,
			`300 event ${session.EVENT_IDENT}`,
			"505 sent \x06050\r\n",
			"505 line 9600",
			"800 line 300",
			`800 event ${EVENT_END}`,
		]);
		conversation.ended(session.OUTCOME_BLOCK);
		assert.equal(conversation.machine.check, CHECK_RIGHT);
		assert.equal(conversation.machine.baud, 9600);
		assert.deepEqual(conversation.records, RECORDS);
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
			const conversation = Conversation.identified(`/LGZ${z}TEST`, 400, { speed: speed(ceiling) }).to(700);
			assert.equal(conversation.take()[0], `605 sent \x060${number}0\r\n`);
		}
	});
	it("sends no acknowledgement in modes A and B, and listens at the meter's speed", () => {
		for (const [ident, baud] of [
			["/LGZ!TEST", 300],
			["/LGZATEST", 600],
			["/LGZETEST", 9600],
		] as const) {
			const conversation = new Conversation();
			conversation.to(400).receive(`${ident}\r\n`);
			conversation.to(900).receive(BLOCK);
			const [, , line, ...rest] = conversation.take();
			assert.equal(line, `400 line ${baud}`);
			assert.deepEqual(rest, ["900 line 300", `900 event ${EVENT_END}`]);
			conversation.ended(session.OUTCOME_BLOCK);
			assert.deepEqual(conversation.records, RECORDS);
		}
	});
	it("accepts a block without an acknowledgement in mode C, at the speed of the sign-on", () => {
		const conversation = Conversation.identified("/LGZ5TEST");
		conversation.to(500).receive(BLOCK);
		assert.deepEqual(conversation.take(), ["500 line 300", `500 event ${EVENT_END}`]);
		assert.deepEqual(conversation.records, RECORDS);
		assert.equal(conversation.machine.baud, 300);
	});
	it("ignores noise after the identification, and acknowledges after a pause", () => {
		const conversation = Conversation.identified("/LGZ5TEST");
		conversation.to(600).receive("~");
		assert.deepEqual(conversation.to(804).take(), []);
		assert.deepEqual(conversation.to(805).take(), ["805 sent \x06050\r\n", "805 line 9600"]);
		conversation.to(1200).receive(BLOCK).ended(session.OUTCOME_BLOCK);
	});
	it("sends the device address in the sign-on", () => {
		assert.deepEqual(new Conversation({ address: bytesOf("12345678") }).to(0).take(), ["0 sent /?12345678!\r\n"]);
	});
	it("sends a configured sign-on in place of the standard's text up to the !, and recognises its echo", () => {
		// Sources: Landis+Gyr Ultraheat UH50, https://github.com/aquaticus/esphome-iec62056; EMH LZQJ, service table 4.
		for (const address of ["/#", "/4405296170", "/ABC1234"]) {
			const conversation = new Conversation({ address: bytesOf(address) }).to(0);
			assert.deepEqual(conversation.take(), [`0 sent ${address}!\r\n`]);
			const echoed = new Conversation({ address: bytesOf(address) }).to(300).receive(`${address}!\r\n`);
			echoed.to(10_000).ended(failures.IEC_ECHO_ONLY);
			conversation.to(500).receive(`${address}!\r\n/LUGCUH50\r\n`).to(900).receive(BLOCK);
			conversation.ended(session.OUTCOME_BLOCK);
		}
	});
	it("ends with a break after the identification if only that was requested", () => {
		const conversation = new Conversation({ identOnly: true });
		conversation.to(300).receive("/LGZ5TEST\r\n");
		assert.deepEqual(conversation.take().slice(1), [
			`300 event ${session.EVENT_IDENT}`,
			`300 sent ${BREAK}`,
			"300 line 300",
			`300 event ${EVENT_END}`,
		]);
		conversation.ended(session.OUTCOME_IDENT);
	});
	describe("in mode E", () => {
		const handOver = session.HAND_OVER_ANNOUNCED;
		for (const [what, ident, options] of [
			["if the meter announces it", "/LGZ5\\2ZMD310", { handOver }],
			["if the meter announces it among other things", "/ABC5\\W\\2TEST", { handOver }],
			["if the settings always require it", "/LGZ5TEST", { handOver: session.HAND_OVER_ALWAYS }],
		] as const) {
			it(`chooses HDLC ${what}, changes to 8N1, and ends the session`, () => {
				const conversation = Conversation.identified(ident, 400, options).to(605);
				assert.deepEqual(conversation.take(), ["605 sent \x06252\r\n", "605 line 9600 8N1", `605 event ${EVENT_END}`]);
				conversation.ended(session.OUTCOME_HAND_OVER);
				assert.deepEqual([conversation.machine.baud, conversation.machine.sentByMs], [9600, 605 + ACKNOWLEDGE_MS]);
				conversation.to(700).receive(BLOCK);
				assert.deepEqual(conversation.to(5000).take(), []);
			});
		}
		it("chooses no higher speed than the limit", () => {
			const conversation = Conversation.identified("/LGZ6\\2TEST", 400, { handOver, speed: speed(2400) }).to(700);
			assert.deepEqual(conversation.take().slice(0, 2), ["605 sent \x06232\r\n", "605 line 2400 8N1"]);
		});
		for (const [what, ident, options] of [
			["if mode E is not allowed", "/LGZ5\\2TEST", {}],
			["if the meter does not announce mode E", "/LGZ5\\3TEST", { handOver }],
			["if mode E is only part of the identification's text", "/LGZ5TE\\2ST", { handOver }],
		] as const) {
			it(`continues in mode C ${what}`, () => {
				const conversation = Conversation.identified(ident, 400, options).to(605);
				assert.deepEqual(conversation.take(), ["605 sent \x06050\r\n", "605 line 9600"]);
			});
		}
		it("continues without mode E if the meter uses mode A, or sends without an acknowledgement", () => {
			const always = { handOver: session.HAND_OVER_ALWAYS };
			for (const ident of ["/LGZ!TEST", "/LGZ5TEST"]) {
				const conversation = Conversation.identified(ident, 400, always);
				conversation.to(500).receive(BLOCK).ended(session.OUTCOME_BLOCK);
			}
		});
	});
	it("ends with a break if the meter enters programming mode", () => {
		const conversation = Conversation.acknowledged();
		conversation.receive(textOf(frame(bytesOf("P0\x02(1234)"), 0x01)));
		assert.deepEqual(conversation.take(), [`605 sent ${BREAK}`, "605 line 300", `605 event ${EVENT_END}`]);
		conversation.ended(failures.IEC_METER_ERROR);
	});
	it("can be aborted; the block is then reported as cut", () => {
		const conversation = Conversation.acknowledged();
		conversation.receive("\x021.8.0(1)\r\n2.8.0(2");
		conversation.machine.abort(conversation.nowMs);
		conversation.machine.abort(conversation.nowMs);
		conversation.ended(failures.IEC_CUT);
		assert.equal(conversation.writer.records, 1);
		conversation.receive(BLOCK).to(100_000);
		assert.equal(conversation.writer.records, 1);
	});
	it("ignores everything after its end", () => {
		const conversation = Conversation.acknowledged();
		conversation.receive(BLOCK).take();
		conversation.receive("/LGZ5TEST\r\n").receive(WRONG).to(1e6);
		assert.deepEqual(conversation.take(), []);
		assert.deepEqual(conversation.records, RECORDS);
	});
});

describe("the timing of a session", () => {
	it("begins with silence of the requested length", () => {
		const conversation = new Conversation({ quietMs: 100 });
		assert.deepEqual(conversation.to(99).take(), []);
		conversation.receive("tail of an earlier block");
		assert.deepEqual(conversation.to(198).take(), []);
		assert.deepEqual(conversation.to(199).take(), [`199 sent ${SIGN_ON}`]);
		assert.equal(conversation.machine.received, 0);
	});
	it("wakes a battery meter with 66 NULs for 2.2 s, and signs on 1.5 to 1.7 s after them", () => {
		const conversation = new Conversation({ battery: true });
		assert.deepEqual(conversation.to(0).take(), [`0 sent ${"\0".repeat(66)}`]);
		conversation.to(1000).receive("\0\0\0");
		assert.deepEqual(conversation.to(3799).take(), []);
		assert.deepEqual(conversation.to(3800).take(), [`3800 sent ${SIGN_ON}`]);
		assert.equal(conversation.machine.received, 0);
	});
	it("has the acknowledgement 200 to 1500 ms after the identification", () => {
		const conversation = Conversation.identified("/LGZ5TEST", 1000);
		assert.deepEqual(conversation.to(1200).take(), []);
		assert.equal(conversation.to(1220).take()[0], "1205 sent \x06050\r\n");
	});
	it("has the acknowledgement 20 ms after the identification if the meter requests the short reaction time", () => {
		const conversation = Conversation.identified("/LGz5TEST", 1000);
		assert.deepEqual(conversation.to(1020).take(), []);
		assert.equal(conversation.to(1040).take()[0], "1025 sent \x06050\r\n");
	});
	it("gives the meter 4500 ms for its first character after the sign-on", () => {
		const endMs = SIGN_ON_MS + 4500;
		for (const late of [false, true]) {
			const conversation = new Conversation();
			conversation.to(endMs - 0.01).take();
			if (!late) conversation.receive("/");
			conversation.to(endMs + 0.01);
			assert.equal(conversation.machine.failure, late ? failures.IEC_SILENCE : undefined);
		}
	});
	it("allows 2000 ms from one character of an identification to the next", () => {
		const conversation = new Conversation();
		conversation.to(2600).receive("/LG");
		conversation.to(4599).receive("Z5TEST");
		conversation.to(6598).receive("\r\n");
		assert.equal(conversation.take().at(-1), `6598 event ${session.EVENT_IDENT}`);
		const slow = new Conversation();
		slow.to(4000).receive("/LG");
		assert.equal(slow.to(5999).machine.failure, undefined);
		slow.to(6000).ended(failures.IEC_NO_IDENT);
	});
	it("does not prolong the wait for an identification because of noise", () => {
		const conversation = new Conversation();
		for (let ms = 0; ms < SIGN_ON_MS + 4500; ms += 50) conversation.to(ms).receive("~\r\n");
		conversation.to(SIGN_ON_MS + 4500).ended(failures.IEC_NO_IDENT);
	});
	it("gives the meter 2500 ms for its block after the acknowledgement was sent", () => {
		const endMs = 605 + ACKNOWLEDGE_MS + 2500;
		for (const late of [false, true]) {
			const conversation = Conversation.acknowledged();
			conversation.to(endMs - 1);
			if (!late) conversation.receive("\x02");
			conversation.to(endMs + 1);
			assert.equal(conversation.machine.failure, late ? failures.IEC_NO_BLOCK : undefined);
		}
	});
	it("gives the meter 4500 ms for its block if its identification came late", () => {
		const conversation = Conversation.identified("/LGZ0TEST", 3700).to(3905);
		const endMs = 3905 + ACKNOWLEDGE_MS + 4500;
		conversation
			.to(endMs - 1)
			.receive(BLOCK)
			.ended(session.OUTCOME_BLOCK);
		const silent = Conversation.identified("/LGZ0TEST", 3700).to(endMs + 1);
		silent.ended(failures.IEC_NO_BLOCK);
	});
	it("does not prolong the wait for a block because of characters before it", () => {
		const conversation = Conversation.acknowledged();
		for (let ms = 610; ms < 605 + ACKNOWLEDGE_MS + 2500; ms += 100) conversation.to(ms).receive("\x06050\r\n\x7f");
		conversation.to(605 + ACKNOWLEDGE_MS + 2500).ended(failures.IEC_NO_BLOCK);
	});
	it("allows 2000 ms from one character of a block to the next, and does not limit the whole block", () => {
		const conversation = Conversation.acknowledged();
		let ms = 700;
		for (const character of BLOCK) {
			conversation.to(ms).receive(character);
			ms += 1999;
		}
		conversation.ended(session.OUTCOME_BLOCK);
		const slow = Conversation.acknowledged();
		slow.to(700).receive(BLOCK.slice(0, 30));
		assert.equal(slow.to(2699).machine.failure, undefined);
		slow.to(2700).ended(failures.IEC_CUT);
	});
	it("ends a block without STX 500 ms after its !, and one with STX after 2000 ms, if no check follows", () => {
		for (const [text, ms] of [
			[BLOCK.slice(1, -2), 500],
			[BLOCK.slice(0, -2), 2000],
		] as const) {
			const conversation = Conversation.acknowledged();
			conversation.to(700).receive(text);
			assert.equal(conversation.to(700 + ms - 1).machine.failure, undefined);
			conversation.to(700 + ms).ended(session.OUTCOME_BLOCK);
			assert.equal(conversation.machine.check, CHECK_ABSENT);
			assert.deepEqual(conversation.records, RECORDS);
		}
	});
	it("has the request to repeat 200 to 1500 ms after the block, or 20 ms after it with the short reaction time", () => {
		for (const [letter, reactionMs] of [
			["Z", 205],
			["z", 25],
		] as const) {
			const conversation = Conversation.identified(`/LG${letter}0TEST`);
			conversation.to(700).receive(WRONG).take();
			assert.deepEqual(conversation.to(700 + reactionMs - 1).take(), []);
			assert.deepEqual(conversation.to(700 + reactionMs).take(), [`${700 + reactionMs} sent \x15`]);
		}
	});
	it("waits at most twenty times the requested silence for a line that is never silent, and then signs on", () => {
		const conversation = new Conversation({ quietMs: 2000 });
		for (let ms = 500; ms < 40_000; ms += 500) conversation.to(ms).receive("~");
		assert.deepEqual(conversation.to(39_999).take(), []);
		assert.deepEqual(conversation.to(40_000).take(), [`40000 sent ${SIGN_ON}`]);
	});
	it("has a later deadline whenever one has passed", () => {
		const conversation = new Conversation({ battery: true, quietMs: 100 });
		for (let i = 0; i < 20 && conversation.machine.deadlineMs < Number.POSITIVE_INFINITY; i++) {
			const { deadlineMs } = conversation.machine;
			conversation.to(deadlineMs);
			assert.ok(conversation.machine.deadlineMs > deadlineMs);
		}
		conversation.ended(failures.IEC_SILENCE);
	});
});

describe("a session with errors", () => {
	it("reports silence if nothing was received, and an echo if only the echo was received", () => {
		new Conversation().to(10_000).ended(failures.IEC_SILENCE);
		const echo = new Conversation();
		echo.to(170).receive(SIGN_ON).to(10_000).ended(failures.IEC_ECHO_ONLY);
		const more = new Conversation();
		more.to(170).receive(`${SIGN_ON}~`).to(10_000).ended(failures.IEC_NO_IDENT);
	});
	it("requests a block with a wrong check twice more, then gives up", () => {
		const conversation = Conversation.acknowledged();
		for (const ms of [1000, 3000]) {
			conversation.to(ms).receive(WRONG);
			assert.deepEqual(conversation.take(), [`${ms} event ${EVENT_POOR}`]);
			assert.deepEqual(conversation.to(ms + 300).take(), [`${ms + 205} sent \x15`]);
			assert.equal(conversation.writer.keptIsGood, false);
		}
		conversation.to(5000).receive(WRONG);
		assert.deepEqual(conversation.take(), [`5000 event ${EVENT_POOR}`, "5000 line 300", `5000 event ${EVENT_END}`]);
		conversation.ended(failures.IEC_CHECK_WRONG);
		assert.equal(conversation.machine.check, CHECK_WRONG);
	});
	it("keeps the repeated block, and discards the first one", () => {
		const conversation = Conversation.acknowledged();
		conversation.to(1000).receive(`\x029.9.9(9)\r\n!\r\n\x03~`).to(1500).receive(BLOCK).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(conversation.records, RECORDS);
		assert.equal(conversation.writer.keptIsGood, true);
	});
	it("requests a block with a damaged character again, although its check is right", () => {
		const conversation = Conversation.acknowledged();
		const block = bytesOf(BLOCK);
		// Both characters have the same damage, which the exclusive or does not detect.
		for (const at of [8, 9]) block[at] |= 0x80;
		conversation.to(1000).receive(block).take();
		assert.deepEqual(conversation.to(1300).take(), ["1205 sent \x15"]);
		assert.ok(conversation.machine.damaged >= 2);
	});
	it("does not request a broken block again from a meter that sends no check, and reports a failure", () => {
		const conversation = Conversation.acknowledged();
		conversation.to(1000).receive("1.8.0(1)\r\n2.8.0(2\r\n!\r\n").to(10_000).ended(failures.IEC_CHECK_WRONG);
	});
	it("accepts a block that violates the grammar if its check is right", () => {
		const conversation = Conversation.acknowledged();
		conversation.receive(textOf(frame(bytesOf("1.8.0(1)\r\n2.8.0(2\r\n!\r\n")))).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(conversation.records, ["1.8.0: 1"]);
	});
	it("reports the wrong check if the repetition does not come or is cut", () => {
		for (const repetition of ["", "\x021.8.0(1)\r\n"]) {
			const conversation = Conversation.acknowledged();
			conversation.to(1000).receive(WRONG).to(1500).receive(repetition).to(10_000);
			conversation.ended(failures.IEC_CHECK_WRONG);
		}
	});
	it("does not accept the rest of a block as its repetition, with or without a check", () => {
		for (const rest of ["1:96.1.0(3)\r\n!\r\n", textOf(frame(bytesOf("1:96.1.0(3)\r\n!\r\n"))).slice(1)]) {
			const conversation = Conversation.acknowledged();
			conversation.to(1000).receive("\x021.8.0(1\x03").receive("~:96.1.0(2)\r\n");
			conversation.to(1300).receive(rest).to(10_000).ended(failures.IEC_CHECK_WRONG);
			assert.equal(conversation.writer.keptIsGood, false);
			const repeated = Conversation.acknowledged();
			repeated.to(1000).receive("\x021.8.0(1\x03~").to(1300).receive(rest).receive(BLOCK);
			repeated.ended(session.OUTCOME_BLOCK);
			assert.deepEqual(repeated.records, RECORDS);
		}
	});
	it("accepts a repetition without STX from a meter that sends no STX, if its check is right", () => {
		const conversation = Conversation.acknowledged();
		conversation.to(1000).receive(WRONG.slice(1)).to(1500).receive(BLOCK.slice(1)).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(conversation.records, RECORDS);
		const absent = Conversation.acknowledged();
		absent.to(1000).receive(WRONG.slice(1)).to(1500).receive(BLOCK.slice(1, -2)).to(10_000);
		absent.ended(failures.IEC_CHECK_WRONG);
	});
	it("reports the meter's error message", () => {
		const conversation = Conversation.acknowledged();
		conversation.receive(textOf(frame(bytesOf("(ER01)")))).ended(failures.IEC_METER_ERROR);
	});
	it("ignores noise between a block and its repetition", () => {
		const conversation = Conversation.acknowledged();
		conversation.to(1000).receive(WRONG).receive("~~~\x7f").to(1300).receive(BLOCK).ended(session.OUTCOME_BLOCK);
		assert.deepEqual(conversation.records, RECORDS);
	});
});

/** Runs one session after another, each from its identification on; `filtered`: the characters have parity. */
function conversations(filtered: boolean): Feedable {
	let conversation = new Conversation().to(0);
	let parity = new ParityFilter();
	return {
		take: (bytes, start, end) => {
			if (filtered) parity.filter(bytes, start, end);
			conversation.receive(bytes.slice(start, end));
		},
		settle: () => {
			const { machine } = conversation.to(1e6);
			const good = machine.outcome === session.OUTCOME_BLOCK;
			const resultText = good ? conversation.records.join("; ") : REFUSED;
			const isSilence = machine.failure === failures.IEC_SILENCE;
			conversation = new Conversation().to(0);
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
	open: () => conversations(true),
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
	open: () => conversations(false),
	frame: PLAIN,
	meaning: MEANING,
	bits: 7,
	checked: true,
	streams: false,
	spare: 4,
	garbage: [bytesOf("\x7f\x7f"), bytesOf(SIGN_ON), bytesOf("1.8.0(7)\r\n!\r\n")],
});

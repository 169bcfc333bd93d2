/**
 * The load profile of IEC 62056-21 in programming mode, character by character: requests and reactions to the meter's
 * answers.
 */
import assert from "node:assert/strict";
import {
	IEC_BROKEN_OFF,
	IEC_NO_ANSWER,
	IEC_NO_PROFILE,
	IEC_NO_PROGRAMMING,
	IEC_PASSWORD_REFUSED,
	IEC_PASSWORD_SILENCE,
} from "../../modules/iec62056-21/failures.js";
import { RECEIVED, TRANSMITTED } from "../../modules/io/link.js";
import { IEC } from "../../modules/meter/protocols.js";
import { EVENT_END, type ReadSession, type SessionContext } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { readCommand } from "../../tools/meter/iec-programming.js";
import { frame, SOH } from "../../tools/meter/telegram.js";
import { bytesOf, textOf } from "../latin1.js";
import { ReaderBed } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";
import { Driver } from "./driver.js";

const framed = (text: string, first?: number) => textOf(frame(bytesOf(text), first));
const PASSWORD = framed("P0\x02(01234567)", SOH);
const P1 = framed("P1\x02(00000001)", SOH);
const BREAK = "\x01B0\x03q";
/** Time from the end of an answer to the next request, ms. */
const REACTION_MS = 205;
/** Time of a character at 9600 Bd, ms. */
const CHARACTER_MS = 10_000 / 9600;

/** A session that reads the load profile in programming mode, after an ordinary session with this readout. */
class Programming {
	readonly records = new RecordWriter();
	readonly driver: Driver;
	readonly #opening: SessionContext<ReaderBed["settings"]>;

	constructor(readout: string, entries = 4, code = [1, 0, 99, 1, 0, 255], password = "") {
		const { settings, world } = new ReaderBed({ password: bytesOf(password) });
		const { storage, crypto } = world;
		const memory = { kept: undefined, speed: undefined };
		const profile = { code: Uint8Array.from(code), entries };
		const rest = { memory, storage, crypto, quietMs: 0, nowMs: 0, profile, trace: () => {} };
		this.#opening = { settings, records: this.records, ...rest };
		const first = this.#hold(IEC.open(this.#opening));
		this.#signOn(first).receive(framed(`${readout}1.8.0(5*kWh)\r\n!\r\n`));
		assert.equal(this.session(first).readout(EVENT_END, 0), undefined);
		const next = this.session(first).next?.(0, 0);
		assert.ok(next !== undefined);
		this.driver = this.#signOn(this.#hold(next));
		assert.ok(this.driver.take().some((line) => line.endsWith("sent \x06051\r\n")));
	}

	session({ machine }: Driver): ReadSession {
		return machine as ReadSession;
	}

	/** Sends the meter's answer; returns the gateway's next output. */
	answer(text: string): string {
		this.driver.receive(text);
		this.driver.to(this.driver.nowMs + REACTION_MS);
		const sent = this.driver.take().filter((line) => line.includes(" sent "));
		return sent.map((line) => line.slice(line.indexOf(" sent ") + 6)).join("");
	}

	/** Sends the meter's answer; returns the gateway's next request with its check verified. */
	question(answer: string): string {
		const { command, data } = readCommand(bytesOf(this.answer(answer))) ?? {};
		return `${command} ${data}`;
	}

	#hold(machine: ReadSession): Driver {
		return new Driver(machine);
	}

	#signOn(driver: Driver): Driver {
		driver.to(driver.nowMs + 300).receive("/GWS5PROFILE\r\n");
		return driver.to(driver.nowMs + REACTION_MS);
	}
}

const CLOCK = "0.9.1(12:37:20)\r\n0.9.2(26-06-21)\r\n";
const HEAD = "P.01(0260621120000)(00)(15)(1)(1.5)(kW)\r\n";

describe("a load profile in programming mode", () => {
	it("is requested from a start time on the meter's own clock", () => {
		for (const [readout, entries, question] of [
			// The start is an hour earlier, because the meter may use summer time and read the time as winter time.
			[CLOCK, 4, "R5 P.01(02606211038;)"],
			["0.9.1(0123720)\r\n0.9.2(0260621)\r\n", 4, "R5 P.01(02606211138;)"],
			["0.9.1(1123720)\r\n0.9.2(1260621)\r\n", 4, "R5 P.01(12606211138;)"],
			["1-1:0.9.1(123720)\r\n1-1:0.9.2(2026-06-21)\r\n", 4, "R5 P.01(02606211038;)"],
			["0.9.1(1000500)\r\n0.9.2(1260101)\r\n", 1, "R5 P.01(12512312351;)"],
		] as const) {
			assert.equal(new Programming(readout, entries).question(PASSWORD), question);
		}
		assert.equal(new Programming(CLOCK, 4, [1, 0, 99, 98, 0, 255]).question(PASSWORD), "R5 P.98(02606211038;)");
	});
	it("gives its rows; after a pause the gateway sends a break", () => {
		const meter = new Programming(CLOCK);
		meter.question(PASSWORD);
		assert.equal(meter.answer(framed(`${HEAD}(0.1)\r\n(0.2)\r\n`)), BREAK);
		const session = meter.session(meter.driver);
		assert.equal(session.failure, undefined);
		assert.deepEqual(recordsOf(session.readout(EVENT_END, 0)?.records).slice(1), ["P.01: 0.1*kW", "P.01: 0.2*kW"]);
	});
	it("may take the meter 4500 ms after the request was sent, because it may have to search for the data", () => {
		for (const late of [false, true]) {
			const meter = new Programming(CLOCK);
			const request = meter.answer(PASSWORD);
			const { driver } = meter;
			driver.to(driver.nowMs + request.length * CHARACTER_MS + 4500 + (late ? 1 : -1));
			const { failure } = meter.session(driver);
			assert.equal(failure, late ? IEC_NO_ANSWER : undefined);
			if (!late) assert.equal(meter.answer(framed(`${HEAD}(0.1)\r\n`)), BREAK);
		}
	});
	it("is read although the meter repeats its request for a password many times at once", () => {
		const meter = new Programming(CLOCK);
		meter.question(PASSWORD);
		meter.driver.receive(PASSWORD.repeat(9000));
		assert.equal(meter.answer(framed(`${HEAD}(0.1)\r\n`)), BREAK);
		assert.equal(meter.session(meter.driver).failure, undefined);
	});
	it("is requested after the meter's clock was read if the readout contained none; the answers may lack their OBIS code", () => {
		const meter = new Programming("");
		assert.equal(meter.question(PASSWORD), "R5 0.9.2()");
		assert.equal(meter.question(framed("(1260621)")), "R5 0.9.1()");
		assert.equal(meter.question(framed("0.9.1(1123720)")), "R5 P.01(12606211138;)");
	});
	it("is requested in other forms after each error, and is missing if all fail", () => {
		const meter = new Programming(CLOCK);
		assert.equal(meter.question(PASSWORD), "R5 P.01(02606211038;)");
		assert.equal(meter.question(framed("(ERROR)")), "R5 P.01(2606211038;)");
		assert.equal(meter.question(framed("P.01(ERROR)")), "R6 P.01(02606211038;)");
		assert.equal(meter.question(framed("P.01()")), "R5 P.01(02606171138;)");
		assert.equal(meter.answer(framed("(ERR02)")), BREAK);
		assert.equal(meter.session(meter.driver).failure, IEC_NO_PROFILE);
		assert.equal(meter.session(meter.driver).next?.(0, 0), undefined);
	});
	it("is requested again after NAK, at most twice in one form", () => {
		const meter = new Programming(CLOCK);
		const question = meter.question(PASSWORD);
		for (let i = 0; i < 2; i++) assert.equal(meter.question("\x15"), question);
		assert.equal(meter.question("\x15"), "R5 P.01(2606211038;)");
	});
	it("is read in parts, each of which may be repeated", () => {
		const meter = new Programming(CLOCK);
		meter.question(PASSWORD);
		const part = (text: string) => {
			const bytes = bytesOf(framed(text));
			bytes[bytes.length - 2] = 4;
			bytes[bytes.length - 1] ^= 3 ^ 4;
			return textOf(bytes);
		};
		assert.equal(meter.answer(part(`${HEAD}(0.1)\r\n`)), "\x06");
		assert.equal(meter.answer(`${part("(0.9)\r\n").slice(0, -1)}~`), "\x15");
		assert.equal(meter.answer(part("(0.2)\r\n")), "\x06");
		assert.equal(meter.answer(framed("(0.3)\r\n")), BREAK);
		const readout = meter.session(meter.driver).readout(EVENT_END, 0);
		assert.deepEqual(recordsOf(readout?.records).slice(1), ["P.01: 0.1*kW", "P.01: 0.2*kW", "P.01: 0.3*kW"]);
	});
	it("is requested once more if its head contains a longer period than assumed", () => {
		const meter = new Programming(CLOCK);
		meter.question(PASSWORD);
		assert.equal(
			meter.question(framed("P.01(0260621120000)(00)(60)(1)(1.5)(kW)\r\n(0.1)\r\n")),
			"R5 P.01(02606210738;)",
		);
	});
	it("is read although the optical head echoes the requests", () => {
		const meter = new Programming(CLOCK);
		const question = meter.answer(PASSWORD);
		assert.equal(meter.answer(question + framed(`${HEAD}(0.1)\r\n`)), BREAK);
		assert.equal(meter.session(meter.driver).failure, undefined);
	});
	it("is missing if the meter ends the session, or sends data in place of its request for a password", () => {
		const meter = new Programming(CLOCK);
		meter.question(PASSWORD);
		meter.answer(BREAK);
		assert.equal(meter.session(meter.driver).failure, IEC_BROKEN_OFF);
		const other = new Programming(CLOCK);
		other.answer(framed("1.8.0(5*kWh)\r\n!\r\n"));
		assert.equal(other.session(other.driver).failure, IEC_NO_PROGRAMMING);
	});
	describe("with a password", () => {
		const begin = () => new Programming(CLOCK, 4, undefined, "00000001");

		it("is requested after the meter has accepted the password", () => {
			const meter = begin();
			assert.equal(meter.answer(PASSWORD), P1);
			assert.equal(meter.question("\x06"), "R5 P.01(02606211038;)");
			assert.equal(meter.answer(framed(`${HEAD}(0.1)\r\n`)), BREAK);
			assert.equal(meter.session(meter.driver).failure, undefined);
		});
		it("is read although the optical head echoes the password", () => {
			const meter = begin();
			meter.answer(PASSWORD);
			assert.equal(meter.answer(P1), "");
			assert.equal(meter.question("\x06"), "R5 P.01(02606211038;)");
			const other = begin();
			other.answer(PASSWORD);
			assert.equal(other.question(`${P1}\x06`), "R5 P.01(02606211038;)");
		});
		for (const [what, answer] of [
			["NAK", "\x15"],
			["a break", BREAK],
			["an error message", framed("(ERR03)")],
			["an error message without a number", framed("ERROR()")],
		] as const) {
			it(`is missing, and not tried again, if the meter answers the password with ${what}`, () => {
				const meter = begin();
				assert.equal(meter.answer(PASSWORD), P1);
				assert.equal(meter.answer(answer), BREAK);
				const session = meter.session(meter.driver);
				assert.equal(session.failure, IEC_PASSWORD_REFUSED);
				assert.equal(session.next?.(0, 0), undefined);
			});
		}
		for (const [what, answer] of [
			["nothing", ""],
			["its request for a password", PASSWORD],
		] as const) {
			it(`is missing, and not tried again, if the meter answers the password with ${what}`, () => {
				const meter = begin();
				assert.equal(meter.answer(PASSWORD), P1);
				assert.equal(meter.answer(answer), "");
				meter.driver.to(meter.driver.nowMs + 5000);
				const session = meter.session(meter.driver);
				assert.equal(session.failure, IEC_PASSWORD_SILENCE);
				assert.equal(session.next?.(0, 0), undefined);
			});
		}
		it("is given up without a second attempt if the answer to the password is damaged", () => {
			const meter = begin();
			assert.equal(meter.answer(PASSWORD), P1);
			const damaged = `${framed("(ERR03)").slice(0, -1)}~`;
			for (let i = 0; i < 2; i++) assert.equal(meter.answer(damaged), "\x15");
			assert.equal(meter.answer(damaged), BREAK);
			assert.equal(meter.session(meter.driver).next?.(0, 0), undefined);
		});
		it("is tried again if the password was accepted and the answer after that was damaged", () => {
			const meter = begin();
			meter.answer(PASSWORD);
			meter.question("\x06");
			const damaged = `${framed(`${HEAD}(0.1)\r\n`).slice(0, -1)}~`;
			for (let i = 0; i < 2; i++) assert.equal(meter.answer(damaged), "\x15");
			assert.equal(meter.answer(damaged), BREAK);
			assert.ok(meter.session(meter.driver).next?.(0, 0) !== undefined);
		});
		it("hides each character of the password from the log until the meter has answered", () => {
			const meter = begin();
			const session = meter.session(meter.driver);
			const shown = (direction: number, text: string) => {
				const bytes = bytesOf(`..${text}`);
				return textOf((session.shown?.(direction, bytes, 2, bytes.length) ?? bytes).subarray(2));
			};
			assert.equal(shown(RECEIVED, PASSWORD), PASSWORD);
			meter.answer(PASSWORD);
			for (const direction of [TRANSMITTED, RECEIVED])
				for (const text of [P1, P1.slice(3), P1.slice(7)]) assert.doesNotMatch(shown(direction, text).slice(3), /[01]/);
			assert.ok(!shown(TRANSMITTED, P1).endsWith(P1.slice(-1)), "the check reveals the password");
			assert.equal(shown(RECEIVED, "\x06"), "\x06");
			meter.question("\x06");
			assert.equal(shown(RECEIVED, HEAD), HEAD);
		});
	});
	it("ends with a break after an abort, but not while the meter sends, because the meter can't receive then", () => {
		const meter = new Programming(CLOCK);
		meter.question(PASSWORD);
		const { driver } = meter;
		driver.receive("\x02P.01(02606");
		meter.session(driver).abort(driver.nowMs);
		for (let i = 0; i < 10; i++) driver.to(driver.nowMs + 100).receive("(0.1)");
		assert.deepEqual(driver.take(), []);
		assert.equal(meter.answer(""), BREAK);
	});
});

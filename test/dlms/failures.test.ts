import assert from "node:assert/strict";
import { STEP_END, STEP_WAIT } from "../../modules/dlms/association.js";
import { CounterSink, counterList } from "../../modules/dlms/counter.js";
import * as failures from "../../modules/dlms/failures.js";
import { Reading } from "../../modules/dlms/reading.js";
import { ScalerCache } from "../../modules/dlms/scaler-cache.js";
import type { Failure } from "../../modules/readout/failure.js";
import { AssociationDriver, type ClientOptions, listOf } from "./association-driver.js";
import { hex, METER_TITLE } from "./crypto.js";
import { join, Server, type ServerOptions } from "./server.js";

const ENERGY = "3 1.0.1.8.0.255";
const OBJECTS = new Map<string, string | number>([
	["1 0.0.42.0.0.255 2", "0903 4D4D4D"],
	[`${ENERGY} 2`, "06 00BC614E"],
	[`${ENERGY} 3`, "0202 0F00 161E"],
	["1 0.0.96.1.0.255 2", "0901 31"],
]);
const list = listOf("3 1-0:1.8.0.255 2", "1 0-0:96.1.0.255 2");
const WHOLE = ["1.0.1.8.0.255: 12345678 Wh", "0.0.96.1.0.255: 1"];
const HIGH = { mechanism: 5, ciphered: true };
const LOW = { mechanism: 1, ciphered: true, password: "12345678" };

type Both = Partial<ServerOptions> & ClientOptions;

/** Runs a client and a server with these options; returns the failure and the client. */
function meet(client: ClientOptions, server: Partial<ServerOptions>): [Failure | undefined, AssociationDriver] {
	const driver = new AssociationDriver({ list, counter: 1, ...client });
	return [driver.run(new Server({ objects: OBJECTS, ...server })), driver];
}

function ends(expected: Failure, client: ClientOptions, server: Partial<ServerOptions>): AssociationDriver {
	const [outcome, driver] = meet(client, server);
	assert.equal(outcome, expected);
	assert.deepEqual(driver.notes.all, []);
	return driver;
}

/** The server's correct answers, with number `which` replaced by this APDU. */
function replaced(both: Both, which: number, apdu: string): AssociationDriver {
	const driver = new AssociationDriver({ list, ...both, counter: 1 });
	const server = new Server({ objects: OBJECTS, ...both, counter: 1 });
	driver.run(server, (answer, count) => [count === which ? hex(apdu) : answer]);
	return driver;
}

describe("the failure of an association", () => {
	it("names the context, plain or ciphered, if the meter uses another", () => {
		const driver = ends(failures.DLMS_CONTEXT, {}, { ciphered: true });
		assert.equal(driver.association.diagnostic, 2);
		ends(failures.DLMS_CONTEXT, LOW, { ...LOW, ciphered: false });
		// A meter that accepts the plain context and answers ciphered.
		const apdu = "6148A109060760857405080103A203020100A305A103020100A40A04084D4D4D0000BC614EBE230421281F3001234567";
		assert.equal(
			replaced({}, 1, `${apdu}891214A0845E475714383F65BC19745CA235906525E4F3E1C893`).association.failure,
			failures.DLMS_CONTEXT,
		);
	});

	it("names the password if it is wrong", () => {
		assert.equal(ends(failures.DLMS_AUTHENTICATION, { ...LOW, password: "1" }, LOW).association.diagnostic, 13);
	});

	it("names a missing or wrong authentication mechanism", () => {
		ends(failures.DLMS_AUTHENTICATION_REQUIRED, {}, { mechanism: 1 });
		ends(failures.DLMS_MECHANISM, { mechanism: 1 }, { mechanism: 5 });
		for (const diagnostic of ["0C", "0E"]) {
			const apdu = `6117A109060760857405080101A203020101A305A1030201${diagnostic}`;
			assert.equal(replaced({}, 1, apdu).association.failure, failures.DLMS_AUTHENTICATION_REQUIRED);
		}
		// Accepted with diagnostic 14: the meter waits for passes 3 and 4, although no HLS mechanism was requested.
		const apdu = "6129A109060760857405080101A203020100A305A10302010EBE10040E0800065F1F040000501F01F40007";
		assert.equal(replaced({}, 1, apdu).association.failure, failures.DLMS_AUTHENTICATION_REQUIRED);
	});

	describe("with a meter that requires what the gateway does not support", () => {
		const name = (number: number) => `88020780 890760857405080 20${number}`;
		const aare = (result: number, diagnostic: number, rest = "", context = 1) => {
			const information = result === 0 ? "BE10040E0800065F1F040000101D01F40007" : "";
			const refusalAARE = `A20302010${result}A305A1030201${diagnostic.toString(16).padStart(2, "0")}${rest}${information}`;
			const parts = `A1090607608574050801 0${context}${refusalAARE}`.replaceAll(" ", "");
			return `61${(parts.length / 2).toString(16).padStart(2, "0")}${parts}`;
		};
		const outcome = (both: Both, apdu: string) => replaced(both, 1, apdu.replaceAll(" ", "")).association.failure;
		const MECHANISMS = [
			[2, failures.DLMS_HLS_2, /maker/],
			[3, failures.DLMS_HLS_MD5, /MD5/],
			[4, failures.DLMS_HLS_SHA1, /SHA-1/],
			[6, failures.DLMS_HLS_SHA256, /SHA-256/],
			[7, failures.DLMS_HLS_ECDSA, /ECDSA/],
		] as const;

		for (const [mechanism, expected, word] of MECHANISMS) {
			it(`names HLS mechanism ${mechanism}, whether the meter refuses or sends its challenge`, () => {
				assert.match(expected.message, word);
				assert.match(expected.message, new RegExp(`mechanism ${mechanism}`));
				for (const client of [{}, { mechanism: 1, password: "x" }, { mechanism: 5 }]) {
					for (const diagnostic of [1, 11, 12, 13, 14])
						assert.equal(outcome(client, aare(1, diagnostic, name(mechanism))), expected);
					assert.equal(outcome(client, aare(0, 14, `${name(mechanism)}AA0680 04 31323334`)), expected);
				}
			});
		}
		it("names no unsupported mechanism if the meter names a supported or malformed one, or accepts the association", () => {
			assert.equal(outcome({ mechanism: 5 }, aare(1, 11, name(5))), failures.DLMS_MECHANISM);
			assert.equal(outcome({}, aare(1, 12, name(5))), failures.DLMS_AUTHENTICATION_REQUIRED);
			assert.equal(outcome({}, aare(1, 11, "8901 07")), failures.DLMS_MECHANISM);
			assert.equal(outcome({}, aare(0, 0, name(7))), undefined);
		});

		it("names security suite 2, used in the AARE, in an answer or in pass 4", () => {
			const expected = failures.DLMS_SUITE_2;
			const ofSuite = (from: number) => (answer: Uint8Array, count: number) => {
				const changed = answer.slice();
				if (count >= from) changed[changed[1] > 0x80 ? 3 : 2] |= 2;
				return changed;
			};
			for (const from of [0, 1]) ends(expected, LOW, { ...LOW, sealedFault: ofSuite(from) });
			const pass4 = (answer: Uint8Array) => {
				const changed = answer.slice();
				if (changed[0] === 0xc7) changed[8] |= 2;
				return changed;
			};
			ends(expected, { mechanism: 5 }, { mechanism: 5, plainFault: pass4 });
			assert.match(expected.message, /suite 2.*suites 0 and 1/);
		});
		it("is DLMS_UNPROTECTED for the suite number that the Green Book reserves", () => {
			const reserved = (answer: Uint8Array) => answer.map((byte, at) => (at === 2 ? byte | 3 : byte));
			ends(failures.DLMS_UNPROTECTED, LOW, { ...LOW, sealedFault: reserved });
		});

		it("names short-name referencing, whether the meter refuses or accepts with an association's short name", () => {
			for (const both of [{}, LOW, HIGH]) {
				for (const diagnostic of [1, 2]) {
					assert.equal(outcome(both, aare(1, diagnostic, "", 2)), failures.DLMS_SHORT_NAMES);
					assert.equal(outcome(both, aare(1, diagnostic, "", 4)), failures.DLMS_SHORT_NAMES);
				}
			}
			// A refusal by gurux.dlms 4.0.47: our own context, and an initiate response with the association's name.
			const echoed = "6129A109060760857405080101A203020101A305A103020102BE10040E0800065F1F04000002000400FA00";
			assert.equal(outcome({}, echoed), failures.DLMS_SHORT_NAMES);
			assert.equal(outcome({}, echoed.replace("FA00", "0007")), failures.DLMS_CONTEXT);
			for (const context of [1, 2]) {
				const accepted = aare(0, 0, "", context);
				const short = accepted.replace("00101D01F40007", "001C0301F4FA00");
				assert.equal(outcome({}, short), failures.DLMS_SHORT_NAMES);
				// A meter that supports GET is read, whatever context it names.
				assert.equal(outcome({}, accepted.replace("0007", "FA00")), undefined);
			}
			assert.match(failures.DLMS_SHORT_NAMES.message, /short names.*protocol iec62056/);
			for (const { message } of [failures.DLMS_CONTEXT, failures.DLMS_CONFORMANCE])
				assert.match(message, /short names/);
		});
	});

	it("distinguishes a wrong key of the client from a wrong proof of the meter", () => {
		const other = hex("0F0E0D0C0B0A09080706050403020100");
		ends(failures.DLMS_AUTHENTICATION, { ...LOW, encryptionKey: other }, LOW);
		ends(failures.DLMS_AUTHENTICATION, { ...HIGH, authenticationKey: other }, HIGH);
		ends(failures.DLMS_HLS_REFUSED, { mechanism: 5, authenticationKey: other }, { mechanism: 5 });
		ends(failures.DLMS_HLS_REFUSED, { mechanism: 5, encryptionKey: other }, { mechanism: 5 });
		ends(failures.DLMS_METER_UNVERIFIED, HIGH, { ...HIGH, wrongAnswer: true });
		ends(failures.DLMS_METER_UNVERIFIED, { mechanism: 5 }, { mechanism: 5, wrongAnswer: true });
	});

	it("names the meter's title if it is missing, our own, too short or different from that in the AARE", () => {
		ends(failures.DLMS_METER_TITLE, HIGH, { ...HIGH, titleless: true });
		ends(failures.DLMS_METER_TITLE, { mechanism: 5 }, { mechanism: 5, titleless: true });
		ends(failures.DLMS_METER_TITLE, { ...HIGH, title: METER_TITLE }, HIGH);
		ends(failures.DLMS_METER_TITLE, HIGH, { ...HIGH, title: hex("4D4D4D") });
		const faulty = { ...LOW, general: true, sealedFault: changeTitle };
		ends(failures.DLMS_METER_TITLE, LOW, faulty);
		// An AARE without a title is accepted if the title is configured, or comes with a general-glo APDU.
		const [outcome] = meet({ ...HIGH, meterTitle: METER_TITLE }, { ...HIGH, titleless: true });
		assert.equal(outcome, undefined);
	});

	it("names the invocation counter that the meter expects if an exception contains it, and an exhausted counter", () => {
		const behind = ends(failures.DLMS_AUTHENTICATION, { ...LOW, counter: 10 }, { ...LOW, clientCounter: 10 });
		assert.equal(behind.association.diagnostic, 13);
		const apdu = "D8010600001234";
		for (const which of [1, 2, 3]) {
			const { association } = replaced(HIGH, which, apdu);
			assert.deepEqual([association.failure, association.exception.counter], [failures.DLMS_COUNTER, 0x1234]);
		}
		assert.equal(replaced(HIGH, 1, "D80206").association.exception.counter, -1);
		const driver = new AssociationDriver({ ...HIGH, list, counter: 2 ** 32 - 1, counterLimit: 2 ** 32 + 5 });
		assert.equal(driver.run(new Server({ ...HIGH })), failures.DLMS_COUNTER_EXHAUSTED);
		assert.ok(driver.cipher.counter <= 2 ** 32);
	});

	it("names an exception that comes before anything is read", () => {
		for (const which of [1, 2]) {
			assert.equal(replaced(HIGH, which, "D80205").association.failure, failures.DLMS_DECIPHERING);
			assert.equal(replaced(HIGH, which, "D80202").association.failure, failures.DLMS_EXCEPTION);
			assert.equal(replaced(HIGH, which, "D80101").association.failure, failures.DLMS_LOST);
		}
	});

	it("names a service error that is ciphered or comes in pass 4, and a malformed answer, even after a notification", () => {
		const inside = (apdu: string, both: Both): AssociationDriver => {
			const driver = new AssociationDriver({ list, ...both, counter: 1 });
			const plainFault = (answer: Uint8Array) => (answer[0] === 0xd8 ? answer : hex(apdu));
			// Only general-glo-ciphering can carry these APDUs.
			driver.run(new Server({ objects: OBJECTS, ...both, counter: 1, general: true, plainFault }));
			return driver;
		};
		assert.equal(inside("0E050801", HIGH).association.failure, failures.DLMS_EXCEPTION);
		assert.equal(inside("C401C10011", HIGH).association.failure, failures.DLMS_MALFORMED);
		assert.equal(replaced({ mechanism: 5 }, 2, "0E050801").association.failure, failures.DLMS_EXCEPTION);
		const driver = new AssociationDriver({ list, ...LOW, counter: 1 });
		driver.association.begin();
		assert.equal(driver.deliver(hex("CA12301234")), STEP_WAIT);
		assert.equal(driver.deliver(new Uint8Array(0)), STEP_END);
		assert.equal(driver.association.failure, failures.DLMS_MALFORMED);
		assert.equal(driver.association.resume(), STEP_END);
	});

	it("names a service error or a malformed APDU in place of the ciphered initiate response", () => {
		for (const [initiate, expected] of [
			["0E010602", failures.DLMS_CONFORMANCE],
			["0800", failures.DLMS_MALFORMED],
		] as const) {
			const server = new Server({ ...LOW, general: true, counter: 1, initiate: hex(initiate) });
			assert.equal(new AssociationDriver({ list, ...LOW }).run(server), expected);
		}
		const short = "281F3001234567891214A0845E475714383F65BC19745CA235906525E4F3E1C8";
		const apdu = `6146A109060760857405080103A203020100A305A103020100A40A04084D4D4D0000BC614EBE220420${short}`;
		assert.equal(replaced(LOW, 1, apdu.replace("6146", "6147")).association.failure, failures.DLMS_MALFORMED);
	});

	it("names each initiate error", () => {
		for (const [error, expected] of [
			["01", failures.DLMS_VERSION],
			["02", failures.DLMS_CONFORMANCE],
			["03", failures.DLMS_PDU_SIZE],
			["04", failures.DLMS_INITIATE],
			["05", failures.DLMS_REJECTED],
		]) {
			const apdu = `611FA109060760857405080101A203020101A305A103020101BE0604040E0106${error}`;
			assert.equal(replaced({}, 1, apdu).association.failure, expected);
		}
		const apdu = "611FA109060760857405080101A203020100A305A103020100BE0604040E010601";
		assert.equal(replaced({}, 1, apdu).association.failure, failures.DLMS_VERSION);
	});

	it("names the PDU size if the meter's limit is shorter than a GET", () => {
		ends(failures.DLMS_PDU_SIZE, {}, { pdu: 12 });
		ends(failures.DLMS_PDU_SIZE, LOW, { ...LOW, pdu: 32 });
	});

	it("names missing keys, and a key, title or password of wrong length, before a byte is sent", () => {
		for (const client of [
			{ ...HIGH, keyless: true },
			{ ...HIGH, encryptionKey: new Uint8Array(0) },
			{ ...HIGH, authenticationKey: new Uint8Array(0) },
			{ mechanism: 5, authenticationKey: new Uint8Array(0) },
			{ ...LOW, authenticationKey: new Uint8Array(15) },
			{ ...LOW, title: new Uint8Array(7) },
			{ mechanism: 1, password: "x".repeat(65) },
		])
			assert.equal(ends(failures.DLMS_KEY_MISSING, client, {}).sent.length, 0);
	});
});

function changeTitle(answer: Uint8Array, count: number): Uint8Array {
	const changed = answer.slice();
	if (count === 1) changed[5] ^= 1;
	return changed;
}

describe("a ciphered association", () => {
	it("refuses unciphered answers, and answers with less protection than the requests", () => {
		assert.equal(replaced(LOW, 2, "C401C1000903414243").association.failure, failures.DLMS_UNPROTECTED);
		assert.equal(
			replaced(HIGH, 2, "C701C100010009111001234567FE1466AFB3DBCD4F9389E2B7").association.failure,
			failures.DLMS_UNPROTECTED,
		);
		ends(failures.DLMS_UNPROTECTED, LOW, { ...LOW, control: 0x20 });
		const plain =
			"6135A109060760857405080103A203020100A305A103020100A40A04084D4D4D0000BC614EBE10040E0800065F1F040000501F01F40007";
		assert.equal(replaced(LOW, 1, plain).association.failure, failures.DLMS_UNPROTECTED);
	});

	it("accepts answers that are only authenticated, and general-glo answers", () => {
		for (const both of [{ control: 0x10 }, { control: 0x30 }, { general: true }]) {
			const [outcome, driver] = meet(HIGH, { ...HIGH, ...both });
			assert.deepEqual([outcome, driver.notes.all], [undefined, WHOLE]);
			assert.equal(driver.cipher.unchecked, false);
		}
	});

	it("treats a general-glo APDU without a title as the meter's", () => {
		const untitled = (answer: Uint8Array) => (answer[0] === 0xdb ? join(hex("DB00"), answer.subarray(10)) : answer);
		const [outcome, driver] = meet(HIGH, { ...HIGH, general: true, sealedFault: untitled });
		assert.deepEqual([outcome, driver.notes.all], [undefined, WHOLE]);
	});

	it("only encrypts if it has no authentication key, and shows when a tag was not checked", () => {
		const keyless = { ...LOW, authenticationKey: new Uint8Array(0) };
		for (const [control, unchecked] of [
			[0, false],
			[0x20, false],
			[0x30, true],
			[0x10, true],
		] as const) {
			const [outcome, driver] = meet(keyless, { ...LOW, control });
			assert.deepEqual([outcome, driver.notes.all], [undefined, WHOLE]);
			assert.equal(driver.cipher.unchecked, unchecked);
			assert.equal(driver.sent[1][2], 0x20);
		}
	});

	it("refuses replayed answers, and its own requests sent back", () => {
		for (const both of [LOW, HIGH]) {
			const driver = new AssociationDriver({ list, ...both });
			driver.association.frameLimit = 40;
			const seen: Uint8Array[] = [];
			const outcome = driver.run(new Server({ objects: OBJECTS, ...both }), (answer) => {
				seen.push(answer);
				return [seen.length === (both === LOW ? 3 : 4) ? seen[seen.length - 2] : answer];
			});
			assert.equal(outcome, failures.DLMS_REPLAY);
			const mirror = new AssociationDriver({ list, ...both, counter: 100 });
			mirror.association.frameLimit = 40;
			const server = new Server({ objects: OBJECTS, ...both });
			const back = mirror.run(server, (answer, count) => [count === 3 ? mirror.sent[2] : answer]);
			assert.equal(back, failures.DLMS_TAG);
		}
	});

	it("uses the meter's security suite as soon as the meter has answered", () => {
		for (const both of [LOW, HIGH]) {
			const [outcome, driver] = meet({ ...both, mechanism: both.mechanism ?? 0 }, { ...both, control: 0x31 });
			assert.deepEqual([outcome, driver.notes.all], [undefined, WHOLE]);
			const controls = driver.sent.slice(1).map((apdu) => apdu[apdu[1] > 0x80 ? 3 : 2]);
			assert.ok(controls.length > 0 && controls.every((control) => control === 0x31), controls.join());
		}
	});

	it("ends if SHA-256 fails to authenticate the client or the meter, or the secret or a title is missing", () => {
		const high = { mechanism: 6, password: "secret" };
		ends(failures.DLMS_HLS_REFUSED, high, { ...high, password: "another" });
		ends(failures.DLMS_METER_UNVERIFIED, high, { ...high, wrongAnswer: true });
		ends(failures.DLMS_METER_TITLE, high, { ...high, titleless: true });
		ends(failures.DLMS_KEY_MISSING, { mechanism: 6 }, high);
		ends(failures.DLMS_KEY_MISSING, { ...high, keyless: true }, high);
		const short = (answer: Uint8Array) => (answer[0] === 0xc7 ? answer.subarray(0, -1) : answer);
		ends(failures.DLMS_METER_UNVERIFIED, high, { ...high, plainFault: short });
		const byMAC = (answer: Uint8Array) =>
			answer[0] === 0xc7 ? hex(`C701C10001000911 10 00000001 ${"00".repeat(12)}`) : answer;
		ends(failures.DLMS_METER_UNVERIFIED, high, { ...high, plainFault: byMAC });
	});

	it("refuses a meter that sends our own challenge back", () => {
		const driver = new AssociationDriver({ list, mechanism: 5 });
		const outcome = driver.run(new Server({ mechanism: 5 }), (answer, count) => {
			if (count !== 1) return [answer];
			const text = Buffer.from(answer).toString("hex");
			const own = Buffer.from(driver.sent[0])
				.toString("hex")
				.match(/ac128010(.{32})/)![1];
			const length = (answer[1] + 8).toString(16);
			return [hex(text.replace(/^61../, `61${length}`).replace(/aa0a8008.{16}/, `aa128010${own}`))];
		});
		assert.equal(outcome, failures.DLMS_METER_UNVERIFIED);
	});

	it("marks the password as the part of a request that must not be logged", () => {
		const driver = new AssociationDriver({ list, mechanism: 1, password: "topsecret" });
		driver.association.begin();
		const { request, requestLength, secretStart, secretEnd } = driver.association;
		assert.equal(Buffer.from(request.subarray(secretStart, secretEnd)).toString(), "topsecret");
		request.fill(0x2a, secretStart, secretEnd);
		assert.ok(!Buffer.from(request.subarray(0, requestLength)).includes("secret"));
		driver.deliver(hex("6129A109060760857405080101A203020100A305A103020100BE10040E0800065F1F040000501F01F40007"));
		assert.equal(driver.association.secretStart, driver.association.secretEnd);
	});
});

describe("a reading", () => {
	it("continues without the objects that the meter refuses", () => {
		for (const reason of [1, 2, 3, 4, 9, 11, 13, 250]) {
			for (const conformance of [0x001e1d, 0x00101d]) {
				const objects = new Map(OBJECTS).set(`${ENERGY} 2`, reason);
				const [outcome, driver] = meet({}, { objects, conformance });
				assert.deepEqual([outcome, driver.notes.all], [undefined, [`#0 refused ${reason}`, WHOLE[1]]]);
			}
		}
	});

	it("shows the raw number if the meter always denies the scaler, and no number if the scaler is malformed or refused only this time", () => {
		for (const reason of [3, 4, 9, 11, 12, 13]) {
			const [, driver] = meet({}, { objects: new Map(OBJECTS).set(`${ENERGY} 3`, reason) });
			assert.deepEqual(driver.notes.all, ["1.0.1.8.0.255: 12345678", WHOLE[1]]);
		}
		for (const reason of [1, 2, 250, "00", "0F00", "0202 1200 161E"]) {
			const [, driver] = meet({}, { objects: new Map(OBJECTS).set(`${ENERGY} 3`, reason) });
			assert.deepEqual(driver.notes.all, ["#0 refused 260", WHOLE[1]]);
		}
	});

	it("reports values that can't be shown, with the reasons", () => {
		for (const [data, reason] of [
			["00", 256],
			["17 7FC00000", 256],
			["0100", 256],
			["07", 257],
			["0600", 257],
			["0200 00", 1],
			[`0982 0101${"07".repeat(257)}`, 258],
			[`0111${"1101".repeat(17)}`, 258],
			["0201".repeat(9), 257],
		] as const) {
			const objects = new Map(OBJECTS).set("1 0.0.96.1.0.255 2", data);
			const [outcome, driver] = meet({}, { objects, conformance: 0x00101d });
			const expected = reason === 1 ? "#1 refused 256" : `#1 refused ${reason}`;
			assert.deepEqual([outcome, driver.notes.all], [undefined, [WHOLE[0], expected]], data);
		}
	});

	it("gives the elements of a structure as values", () => {
		const objects = new Map(OBJECTS).set("1 0.0.96.1.0.255 2", "0203 1101 0202 0901 41 00 0300");
		assert.deepEqual(meet({}, { objects })[1].notes.all[1], "0.0.96.1.0.255: 1 | A |  | 0");
	});

	it("requests attributes one by one after a list was refused or its answer was malformed", () => {
		const faults = [
			"D80202",
			"D80101",
			"D80203",
			"0E050801",
			"C401C10104",
			"C401C10006 00000001",
			"C403C102 0006",
			"C403C101 00 1101",
			"C403C103 07",
			"C402C101 00000002 00 0100",
			"C402C100 00000001 00 00",
			"C402C101 00000001 0102",
			"C405C1",
		];
		for (const fault of faults) {
			const plainFault = (answer: Uint8Array, request: Uint8Array) =>
				request[0] === 0xc0 && request[1] === 3 ? hex(fault) : answer;
			for (const both of [{}, LOW, HIGH]) {
				const [outcome, driver] = meet(both, { ...both, plainFault });
				assert.deepEqual([outcome, driver.notes.all], [undefined, WHOLE], fault);
			}
		}
	});

	it("uses no value of an answer to a list that is a byte too short or too long", () => {
		const cut = (answer: Uint8Array) => answer.subarray(0, answer.length - 1);
		const longer = (answer: Uint8Array) => join(answer, hex("00"));
		for (const fault of [cut, longer]) {
			const plainFault = (answer: Uint8Array, request: Uint8Array) => (request[1] === 3 ? fault(answer) : answer);
			const [outcome, driver] = meet({}, { plainFault });
			assert.deepEqual([outcome, driver.notes.all], [undefined, WHOLE]);
			assert.equal(driver.reading.requests, 5);
		}
	});

	it("gives each object its own value although a meter leaves out reasons in a list, as Gurux 4.0.47 does", () => {
		const own = listOf(...[1, 2, 3, 4, 5].map((e) => `1 0-0:96.1.${e}.255 2`));
		const values = [1, 2, 3, 4, 5].map((e): [string, string | number] => [
			`1 0.0.96.1.${e}.255 2`,
			e < 3 ? 3 : `11${e.toString().padStart(2, "0")}`,
		]);
		const plainFault = (answer: Uint8Array, request: Uint8Array) =>
			request[1] === 3 ? hex("C403C105 01 01 00 1103 00 1104 00 1105") : answer;
		const [outcome, driver] = meet({ list: own }, { objects: new Map(values), plainFault });
		const lines = ["#0 refused 3", "#1 refused 3", "0.0.96.1.3.255: 3", "0.0.96.1.4.255: 4", "0.0.96.1.5.255: 5"];
		assert.deepEqual([outcome, driver.notes.all], [undefined, lines]);
	});

	it("ends if an answer is malformed or shows that the association is lost, and treats other exceptions as refusals", () => {
		const fault = (apdu: string) => (answer: Uint8Array, request: Uint8Array) =>
			request[1] === 1 && request[4] === 1 && request[7] === 96 ? hex(apdu) : answer;
		const single = { conformance: 0x00101d };
		for (const [apdu, expected] of [
			["D80101", failures.DLMS_LOST],
			["D80205", failures.DLMS_DECIPHERING],
			["D8010600000001", failures.DLMS_COUNTER],
			["FF", failures.DLMS_MALFORMED],
			["C701C100", failures.DLMS_MALFORMED],
		] as const) {
			const [outcome, driver] = meet({}, { ...single, plainFault: fault(apdu) });
			assert.deepEqual([outcome, driver.notes.all], [expected, [WHOLE[0]]], apdu);
		}
		for (const apdu of ["D80102", "D80203", "D80104", "0E050801"]) {
			const [outcome, driver] = meet({}, { ...single, plainFault: fault(apdu) });
			assert.deepEqual([outcome, driver.notes.all], [undefined, [WHOLE[0], "#1 refused 259"]], apdu);
		}
	});

	it("joins blocks, and refuses a value that is too long", () => {
		const text = (length: number) => `0A82${length.toString(16).padStart(4, "0")}${"20".repeat(length - 1)}41`;
		for (const [length, line] of [
			[250, `0.0.96.1.0.255: ${" ".repeat(249)}A`],
			[2044, "#1 refused 258"],
			[2045, "#1 refused 258"],
			[5000, "#1 refused 258"],
		] as const) {
			const objects = new Map(OBJECTS).set("1 0.0.96.1.0.255 2", text(length));
			const [outcome, driver] = meet({}, { objects, block: 100 });
			assert.deepEqual([outcome, driver.notes.all], [undefined, [WHOLE[0], line]]);
		}
	});

	it("requests attributes one by one if so configured", () => {
		const [outcome, driver] = meet({ listing: 1 }, {});
		assert.deepEqual([outcome, driver.notes.all, driver.reading.requests], [undefined, WHOLE, 4]);
	});

	it("does not request a scaler or time for attributes that have none", () => {
		const own = listOf("4 1-0:1.6.0.255 5", "5 1-0:1.4.0.255 8", "3 1-0:1.8.0.255 3", "8 0-0:1.0.0.255 3");
		const objects = new Map<string, string>([
			["4 1.0.1.6.0.255 5", "090C07EA030107112D1EFF003C00"],
			["5 1.0.1.4.0.255 8", "0600000384"],
			["3 1.0.1.8.0.255 3", "02020FFF161E"],
			["8 0.0.1.0.0.255 3", "10003C"],
		]);
		const [outcome, driver] = meet({ list: own, swappedDeviation: true }, { objects });
		const lines = [
			"1.0.1.6.0.255: 2026-03-01T17:45:30+01:00",
			"1.0.1.4.0.255: 900",
			"1.0.1.8.0.255: -1 | 30",
			"0.0.1.0.0.255: 60",
		];
		assert.deepEqual([outcome, driver.notes.all, driver.reading.requests], [undefined, lines, 1]);
	});

	it("requests ten attributes at a time if the meter refuses more, then one by one", () => {
		const objects = Array.from({ length: 20 }, (_, i) => `1 1-0:${i}.4.0.255 2`);
		const values = new Map<string, string>(
			objects.map((_, i) => [`1 1.0.${i}.4.0.255 2`, `11${(10 + i).toString(16).padStart(2, "0")}`]),
		);
		for (const [taken, requested] of [
			[30, [21]],
			[10, [21, 10, 10, 1]],
			[9, [21, 10, ...Array(21).fill(1)]],
		] as const) {
			for (const refusal of ["D80202", "0E010203", "C401C10102", "C403C100"]) {
				const plainFault = (answer: Uint8Array, request: Uint8Array) =>
					request[1] === 3 && request[3] > taken ? hex(refusal) : answer;
				const [outcome, driver] = meet({ list: listOf(...objects) }, { objects: values, plainFault });
				assert.equal(outcome, undefined);
				assert.deepEqual(
					driver.notes.all.map((line) => line.split(": ")[1]),
					objects.map((_, i) => String(10 + i)),
				);
				const gets = driver.sent.filter(([tag]) => tag === 0xc0);
				assert.deepEqual(
					gets.map((get) => (get[1] === 3 ? get[3] : 1)),
					requested,
				);
			}
		}
	});

	it("only associates if the list is empty", () => {
		const [outcome, driver] = meet({ list: listOf() }, {});
		assert.deepEqual([outcome, driver.notes.all], [undefined, []]);
	});

	it("reads 32 objects of class 5, each with a scaler and a time, in four requests", () => {
		const objects = Array.from({ length: 32 }, (_, i) => `5 1-0:${i}.4.0.255 3`);
		const values = new Map<string, string | number>(
			objects.flatMap((_, i) => [
				[`5 1.0.${i}.4.0.255 3`, `11${(i + 1).toString(16).padStart(2, "0")}`],
				[`5 1.0.${i}.4.0.255 4`, "02020FFF161B"],
				[`5 1.0.${i}.4.0.255 6`, "090C07EA030107112D00FF800000"],
			]),
		);
		const [outcome, driver] = meet({ list: listOf(...objects) }, { objects: values });
		assert.equal(outcome, undefined);
		assert.equal(driver.notes.all[31], "1.0.31.4.0.255: 3.2 W | 2026-03-01T17:45:00");
		assert.equal(driver.reading.requests, Math.ceil((1 + 96) / 30));
	});

	it("reads the invocation counter from either of two objects, and gives -1 if both lack a valid one", () => {
		for (const [values, expected] of [
			[["0600001234", 4], 0x1234],
			[[4, "06FFFFFFFF"], 2 ** 32 - 1],
			[["0600000005", "0600000007"], 7],
			[[3, 4], -1],
			[["0903414243", "150000000100000000"], -1],
		] as const) {
			const sink = new CounterSink();
			const own = counterList();
			const reading = new Reading({
				list: own,
				cache: new ScalerCache(own[0]),
				sink,
				listing: 10,
				named: false,
				swappedDeviation: false,
			});
			reading.begin(true);
			const request = new Uint8Array(64);
			const length = reading.request(request, 0, 64);
			const objects = new Map([
				["1 0.0.43.1.0.255 2", values[0]],
				["1 0.0.43.1.1.255 2", values[1]],
			]);
			const server = new Server({ objects });
			server.answer(hex("601DA109060760857405080101BE10040E01000000065F1F0400001211FFFF"));
			const answer = join(server.answer(request.slice(0, length)));
			reading.cursor.set(answer, 0, answer.length);
			reading.take();
			assert.deepEqual([reading.done, sink.counter], [true, expected]);
		}
	});
});

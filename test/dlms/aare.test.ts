import assert from "node:assert/strict";
import fc from "fast-check";
import { AssociationResponse, rejectionFailure } from "../../modules/dlms/aare.js";
import { AARQ_LIMIT, encodeAARQ, INFORMATION_LIMIT, SECRET_LIMIT } from "../../modules/dlms/aarq.js";
import { Cursor } from "../../modules/dlms/cursor.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { AssociationDriver, listOf } from "./association-driver.js";
import { CLIENT_TITLE, hex, toHex } from "./crypto.js";
import { Server } from "./server.js";

const SEED = seedOfRun();
const CONTEXT = "A109060760857405080101";
const INITIATE = "BE10040E0800065F1F040000501F01F40007";

function decode(text: string): [boolean, number, number, string, string, string] {
	const bytes = hex(text);
	const answer = new AssociationResponse();
	const whole = answer.read(new Cursor(bytes).set(bytes, 0, bytes.length));
	const part = (start: number, end: number) => toHex(bytes.subarray(start, end));
	return [
		whole,
		answer.result,
		answer.diagnostic,
		part(answer.titleStart, answer.titleEnd),
		part(answer.challengeStart, answer.challengeEnd),
		part(answer.informationStart, answer.informationEnd),
	];
}

function message(...parts: string[]): string {
	const body = parts.join("").replace(/\s/g, "");
	const length = body.length / 2;
	return `61${length < 128 ? "" : "81"}${length.toString(16).padStart(2, "0")}${body}`;
}

describe(`AARE (SEED=${SEED})`, () => {
	it("is read with missing, unknown or reordered elements, with long lengths, and as a refusal", () => {
		const accepted = "A203020100 A305A103020100";
		const initiate = "0800065f1f040000501f01f40007";
		assert.deepEqual(decode(message(CONTEXT, accepted, INITIATE)), [true, 0, 0, "", "", initiate]);
		// In turn: with a version, without a diagnostic, in another order, with unknown elements, with long lengths.
		assert.deepEqual(decode(message("80020780", CONTEXT, accepted, INITIATE)), [true, 0, 0, "", "", initiate]);
		assert.deepEqual(decode(message("A203020100", INITIATE)), [true, 0, -1, "", "", initiate]);
		assert.deepEqual(decode(message(INITIATE, accepted, CONTEXT)), [true, 0, 0, "", "", initiate]);
		assert.deepEqual(decode(message("A50302010C", accepted, "BD020101", INITIATE)), [true, 0, 0, "", "", initiate]);
		assert.deepEqual(decode(`6182 0028 A203020100 ${INITIATE} AA12 8010 ${"31".repeat(16)}`.replace("0028", "002B")), [
			true,
			0,
			-1,
			"",
			"31".repeat(16),
			initiate,
		]);
		// Refusal of a Landis+Gyr ZMD, without user information.
		assert.deepEqual(decode("6117A109060760857405080101A203020101A305A10302010D"), [true, 1, 13, "", "", ""]);
		assert.deepEqual(decode(message("A203020102 A305A203020102")), [true, 2, 0x102, "", "", ""]);
		assert.deepEqual(decode(message(accepted, "A40A04084D4D4D0000BC614E")), [true, 0, 0, "4d4d4d0000bc614e", "", ""]);
	});

	it("shows its result even if other elements are malformed, but no result if the length of the AARE itself is wrong", () => {
		assert.deepEqual(decode(message("A203020101 A305A10302010D BE")).slice(0, 3), [false, 1, 13]);
		assert.deepEqual(decode("61FFA203020101").slice(0, 3), [false, -1, -1]);
		assert.deepEqual(decode("617FA203020101").slice(0, 3), [false, 1, -1]);
		const [whole, result] = decode(message("A203020100 A305A30302010D"));
		assert.deepEqual([whole, result], [false, 0]);
	});

	it("is invalid without a result or with another tag", () => {
		for (const bad of [
			"",
			"61",
			"6100",
			message(CONTEXT),
			"6005A203020100",
			message("A203020180"),
			message("A2020201"),
		])
			assert.equal(decode(bad)[0], false, bad);
		for (let tag = 0; tag < 256; tag++)
			if (tag !== 0x61) assert.equal(decode(`${tag.toString(16).padStart(2, "0")}05A203020100`)[0], false);
	});

	it("is decoded without an exception whatever its bytes", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
				decode(`61${bytes.length.toString(16).padStart(2, "0")}${toHex(bytes)}`);
			}),
			{ seed: SEED, numRuns: 3000 },
		);
	});

	it("maps each diagnostic to a failure", () => {
		assert.deepEqual(
			[0, 1, 2, 3, 11, 12, 13, 14, 15, 0x100, 0x101, 0x102, -1].map((diagnostic) => rejectionFailure(diagnostic).code),
			[
				...["rejected", "rejected", "context", "title", "mechanism", "authentication-required", "authentication"],
				...["authentication-required", "rejected", "rejected", "rejected", "acse-version", "rejected"],
			].map((what) => `dlms/${what}`),
		);
	});

	it("is accepted in a plain association although it names the ciphered context", () => {
		const driver = new AssociationDriver({ list: listOf(), mechanism: 1, password: "1" });
		const server = new Server({ mechanism: 1, password: "1" });
		const rename = (answer: Uint8Array) => [hex(toHex(answer).replace("05080101", "05080103"))];
		assert.equal(
			driver.run(server, (answer, count) => (count === 1 ? rename(answer) : [answer])),
			undefined,
		);
	});
});

describe("AARQ", () => {
	it("fits its buffer with the longest possible contents", () => {
		const into = new Uint8Array(AARQ_LIMIT);
		const length = encodeAARQ(into, {
			context: 3,
			mechanism: 5,
			title: CLIENT_TITLE,
			secret: new Uint8Array(SECRET_LIMIT).fill(0x41),
			information: new Uint8Array(INFORMATION_LIMIT).fill(0x42),
			informationStart: 0,
			informationEnd: INFORMATION_LIMIT,
		});
		assert.ok(length <= AARQ_LIMIT);
		assert.equal(toHex(into.subarray(0, 4)), `6081${(length - 3).toString(16)}a1`);
		assert.equal(toHex(into.subarray(length - 2, length)), "4242");
	});
});

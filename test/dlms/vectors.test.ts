import assert from "node:assert/strict";
import { AssociationResponse } from "../../modules/dlms/aare.js";
import { type AssociationRequest, encodeAARQ, encodeRLRQ } from "../../modules/dlms/aarq.js";
import { ACTION_BROKEN, ACTION_REFUSED, ANSWER_AT, findAnswer, putActionRequest } from "../../modules/dlms/action.js";
import { Cipher, MAC_LENGTH } from "../../modules/dlms/cipher.js";
import { Cursor } from "../../modules/dlms/cursor.js";
import { DLMS_REPLAY, DLMS_TAG } from "../../modules/dlms/failures.js";
import { GET_DATA, GET_REFUSED, GET_RESULTS, GetResponse } from "../../modules/dlms/get.js";
import { Initiate, putInitiateRequest } from "../../modules/dlms/initiate.js";
import { AUTHENTICATION_KEY, gcm, hex, KEY, SUITE_0, toHex } from "./crypto.js";
import { type Capture, captures, type Example, examples, valuesAt, valuesOf } from "./vectors.js";

const NONE = new Uint8Array(0);

function cursorOf(bytes: Uint8Array): Cursor {
	return new Cursor(bytes).set(bytes, 0, bytes.length);
}

function cipherOf(title: string, counter: number, meterTitle = title): Cipher {
	const own = hex(title);
	// The cipher refuses APDUs under its own title, so the receiver needs another title than the sender.
	const client = title === meterTitle ? hex("5858580000000001") : own;
	return new Cipher({
		...SUITE_0,
		encryptionKey: KEY,
		authenticationKey: AUTHENTICATION_KEY,
		title: client,
		meterTitle: hex(meterTitle),
		counter,
		counterLimit: 2 ** 32,
	});
}

/** The cipher of the example's sender. */
function senderOf(example: Example, authenticationKey: Uint8Array): Cipher {
	const counter = Number.parseInt(example["ic"], 16);
	const title = hex(example["title"]);
	return new Cipher({ ...SUITE_0, encryptionKey: KEY, authenticationKey, title, counter, counterLimit: counter + 1 });
}

describe("security vectors", () => {
	for (const example of examples("green-book-security-suite0")) {
		const name: string = example["name"];
		const { bytes } = example;

		if (example["key"] !== undefined) {
			it(name, () => {
				const { key, iv, aad, plain } = example;
				assert.deepEqual(gcm(hex(key), hex(iv), hex(aad), hex(plain)), bytes);
			});
			continue;
		}
		if (example["challenge"] !== undefined) {
			it(name, () => {
				const into = new Uint8Array(20);
				const challenge = hex(example["challenge"]);
				senderOf(example, AUTHENTICATION_KEY).answer(challenge, 0, challenge.length, into, 1);
				assert.deepEqual(into.subarray(1, 18), bytes);
				const receiver = cipherOf(example["title"], 1);
				assert.ok(receiver.isAnswer(challenge, into, 1));
				for (let i = 0; i < bytes.length * 8; i++) {
					const damaged = bytes.slice();
					damaged[i >> 3] ^= 1 << (i & 7);
					assert.ok(!receiver.isAnswer(challenge, damaged, 0));
				}
			});
			continue;
		}
		if (example["plain"] === undefined) {
			it(name, () => {
				const into = new Uint8Array(40);
				putActionRequest(into, 2, MAC_LENGTH);
				into.set(hex("10000000011A52FE7DD3E72748973C1E28"), 2 + ANSWER_AT);
				assert.deepEqual(into.subarray(2, 2 + ANSWER_AT + MAC_LENGTH), bytes);
			});
			continue;
		}
		const plain = hex(example["plain"]);
		it(`${name}, deciphered`, () => {
			const cipher = cipherOf(example["title"], 1);
			// A cipher with an authentication key refuses security control 20, which has no tag.
			const open = example["sc"] === "20" ? keyless(example["title"]) : cipher;
			const cursor = cursorOf(bytes);
			assert.equal(open.open(cursor), undefined);
			assert.deepEqual(cursor.bytes.slice(cursor.at, cursor.end), plain);
			assert.equal(open.open(cursorOf(bytes)), DLMS_REPLAY, "the same APDU a second time is a replay");
		});
		if (example["sc"] === "10" || name.includes("general")) continue;
		it(`${name}, ciphered`, () => {
			const sender = senderOf(example, example["sc"] === "20" ? NONE : AUTHENTICATION_KEY);
			const into = new Uint8Array(100);
			into.set(plain, 3);
			const end = sender.seal(into, 3, 3 + plain.length, into, 1);
			assert.equal(toHex(into.subarray(1, end)), toHex(bytes));
			assert.throws(() => sender.seal(into, 3, 4, into, 1), RangeError);
		});
	}

	function keyless(title: string): Cipher {
		return new Cipher({
			...SUITE_0,
			encryptionKey: KEY,
			authenticationKey: NONE,
			title: hex("5858580000000001"),
			meterTitle: hex(title),
			counter: 1,
			counterLimit: 2,
		});
	}
});

describe("vectors of u9n/dlms-cosem", () => {
	for (const example of [...examples("u9n-dlms-cosem-apdus"), ...examples("u9n-dlms-cosem-later-data")])
		it(`${example["kind"]}: ${example["test"]}`, () => check(example));

	function check(example: Example): void {
		const { bytes } = example;
		const kind: string = example["kind"];
		if (kind === "AARQ" || kind === "RLRQ") checkRequest(example);
		else if (kind === "AARE") checkAARE(example);
		else if (kind === "InitiateResponse") checkInitiate(example, cursorOf(bytes));
		else if (kind === "ACTION request") {
			const into = new Uint8Array(ANSWER_AT + MAC_LENGTH);
			putActionRequest(into, 0, MAC_LENGTH);
			into.set(hex(example["answer"]), ANSWER_AT);
			into[2] = bytes[2];
			assert.equal(toHex(into), toHex(bytes));
		} else if (kind === "ACTION response") {
			const at = findAnswer(cursorOf(bytes), MAC_LENGTH);
			if (example["answer"] === "broken") assert.equal(at, ACTION_BROKEN);
			else if (example["answer"] === "refused") assert.equal(at, ACTION_REFUSED);
			else assert.equal(toHex(bytes.subarray(at)), example["answer"]);
		} else if (kind === "GET response") checkGet(example);
		else if (kind === "data two") {
			const cursor = cursorOf(bytes);
			assert.deepEqual([...valuesAt(cursor)!, ...valuesAt(cursor)!], example["values"]);
		} else assert.deepEqual(valuesOf(bytes), example["values"] ?? undefined);
	}

	function checkRequest(example: Example): void {
		const information = hex(example["initiate"]);
		const request: AssociationRequest = {
			context: example["context"],
			mechanism: example["mechanism"],
			title: example["title"] ? hex(example["title"]) : undefined,
			secret: hex(example["secret"] ?? ""),
			information,
			informationStart: 0,
			informationEnd: information.length,
		};
		const into = new Uint8Array(200);
		const sent = example["kind"] === "AARQ" || information.length > 0 ? request : undefined;
		const length = example["kind"] === "AARQ" ? encodeAARQ(into, request) : encodeRLRQ(into, sent);
		assert.equal(toHex(into.subarray(0, length)), toHex(example.bytes));
		if (information[0] !== 1) return;
		const initiate = new Uint8Array(14);
		const services = information[9] * 0x10000 + information[10] * 0x100 + information[11];
		putInitiateRequest(initiate, 0, services, information[12] * 256 + information[13]);
		assert.deepEqual(initiate, information);
	}

	function checkAARE(example: Example): void {
		const { bytes } = example;
		const answer = new AssociationResponse();
		assert.ok(answer.read(cursorOf(bytes)));
		assert.deepEqual([answer.result, answer.diagnostic], [example["result"], example["diagnostic"]]);
		assert.equal(toHex(bytes.subarray(answer.challengeStart, answer.challengeEnd)), example["challenge"]);
		assert.equal(toHex(bytes.subarray(answer.titleStart, answer.titleEnd)), example["title"]);
		const { informationStart, informationEnd } = answer;
		checkInitiate(example, new Cursor(bytes).set(bytes, informationStart, informationEnd));
	}

	function checkInitiate(example: Example, cursor: Cursor): void {
		const initiate = new Initiate();
		assert.equal(initiate.read(cursor), example["pdu"] >= 0);
		if (example["pdu"] < 0) return;
		assert.deepEqual([initiate.conformance, initiate.pduLimit], [example["conformance"], example["pdu"]]);
	}

	function checkGet(example: Example): void {
		const { bytes } = example;
		const response = new GetResponse(cursorOf(bytes));
		response.begin();
		const list = example["list"] !== undefined;
		const kind = response.take(list);
		if (example["reason"] !== undefined) assert.deepEqual([kind, response.reason], [GET_REFUSED, example["reason"]]);
		else if (list) {
			assert.deepEqual([kind, response.count], [GET_RESULTS, example["list"].length]);
			for (const values of example["list"]) {
				assert.equal(response.result.u8(), 0);
				assert.deepEqual(valuesAt(response.result), values);
			}
			assert.equal(response.result.left, 0);
		} else assert.deepEqual([kind, valuesAt(response.result)], [GET_DATA, example["values"]]);
	}
});

function cipherFor(capture: Capture): Cipher {
	return new Cipher({
		...SUITE_0,
		encryptionKey: hex(capture.key!),
		authenticationKey: hex(capture.authentication_key!),
		title: hex("5858580000000001"),
		counter: 1,
		counterLimit: 2,
	});
}

describe("captured APDUs", () => {
	for (const capture of captures()) {
		it(capture.name, () => {
			let plain = capture.apdu;
			if (capture.key !== undefined) {
				const inside = cursorOf(capture.apdu);
				assert.equal(cipherFor(capture).open(inside), undefined);
				plain = inside.bytes.slice(inside.at, inside.end);
				assert.equal(toHex(plain), capture.plain);
				// Damage is detected only with an authentication key.
				const damaged = capture.apdu.slice();
				damaged[40] ^= 1;
				const expected = capture.authentication_key === "" ? undefined : DLMS_TAG;
				assert.equal(cipherFor(capture).open(cursorOf(damaged)), expected);
			}
			const cursor = new Cursor(plain).set(plain, capture.body_at, plain.length);
			const values = valuesAt(cursor);
			if (capture.broken === true) assert.equal(values, undefined);
			else {
				assert.deepEqual(values, capture.values);
				assert.equal(cursor.at, capture.end);
			}
		});
	}
});

import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { readFileSync } from "node:fs";
import { readAARQ } from "../../tools/meter/dlms-acse.js";
import { answerChallenge, open, protect } from "../../tools/meter/dlms-cipher.js";
import { COUNTER_REFUSED, NOT_DECIPHERED } from "../../tools/meter/dlms-security.js";
import { AUTHENTICATED } from "../../tools/meter/dlms-server.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { DrivenDLMSMeter } from "./driven-dlms-meter.js";

/** The APDUs or values of a vector, each with its fields from the .json. */
function vectors(name: string): { apdu: Buffer; [field: string]: unknown }[] {
	const bytes = Buffer.from(readTelegram(vectorPath("dlms", name)));
	let at = 0;
	return JSON.parse(readFileSync(vectorPath("dlms", name, "json"), "utf8")).map((entry: { length: number }) => {
		at += entry.length;
		return { ...entry, apdu: bytes.subarray(at - entry.length, at) };
	});
}

const KEYS = {
	encryption: Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"),
	authentication: Buffer.from("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf", "hex"),
};
const TITLE = Buffer.from("4d4d4d0000000001", "hex");
const METER_TITLE = Buffer.from("4757530000bc614e", "hex");
const CHALLENGE = Buffer.from("K56iVagY");
const INITIATE = "01000000065f1f0400001211ffff";

const PUBLIC = "601da109060760857405080101be10040e01000000065f1f0400001211ffff";
const lls = (password: string) => {
	const secret = Buffer.from(password).toString("hex");
	const body = `a1090607608574050801018a0207808b0760857405080201ac${byte(password.length + 2)}80${byte(password.length)}`;
	return whole(`${body}${secret}be10040e${INITIATE}`);
};
const byte = (value: number) => value.toString(16).padStart(2, "0");
const whole = (body: string) => `60${byte(body.length / 2)}${body}`;
const GET_CLOCK = "c001c100080000010000ff0200";
const GET_COUNTER = "c001c1000100002b0100ff0200";
const REFUSED = "0e010604";
const refusal = (context: number, diagnostic: number) =>
	`611fa10906076085740508010${context}a203020101a305a1030201${byte(diagnostic)}be060404${REFUSED}`;

/**
 * AES-128-GCM with the tag cut to 12 bytes, implemented independently of the project; `iv` is system title and counter.
 */
function seal(
	counter: number,
	plain: string,
	control = 0x30,
	title: Buffer = TITLE,
	key: Buffer = KEYS.encryption,
): string {
	const iv = Buffer.concat([title, Buffer.from(byte(0) + counter.toString(16).padStart(6, "0"), "hex")]);
	const cipher = createCipheriv("aes-128-gcm", key, iv, { authTagLength: 16 });
	cipher.setAAD(Buffer.concat([Buffer.of(control), KEYS.authentication]));
	const text = Buffer.concat([cipher.update(Buffer.from(plain, "hex")), cipher.final()]);
	const tag = cipher.getAuthTag().subarray(0, control & 0x10 ? 12 : 0);
	return `${byte(control)}${iv.subarray(8).toString("hex")}${text.toString("hex")}${tag.toString("hex")}`;
}

const sized = (tag: string, ciphered: string) => `${tag}${byte(ciphered.length / 2)}${ciphered}`;

function ciphered(
	counter: number,
	options: { mechanism?: number; secret?: Buffer; plain?: string; key?: Buffer } = {},
) {
	const { mechanism = 5, secret = CHALLENGE, plain = INITIATE, key = KEYS.encryption } = options;
	const information = sized("21", seal(counter, plain, 0x30, TITLE, key));
	return whole(
		`a109060760857405080103a60a0408${TITLE.toString("hex")}8a0207808b07608574050802${byte(mechanism)}ac` +
			`${byte(secret.length + 2)}80${byte(secret.length)}${secret.toString("hex")}` +
			`be${byte(information.length / 2 + 2)}04${byte(information.length / 2)}${information}`,
	);
}

/** Plain text of a ciphered APDU from the meter. The APDU's first two bytes are tag and length. */
function opened(apdu: string, keys = KEYS, title = METER_TITLE): string {
	return open(keys, title, Buffer.from(apdu, "hex").subarray(2))?.plain.toString("hex") ?? "not to be opened";
}

/** Runs passes 1 to 4 with counters from `counter` on; returns the meter and its decrypted reply to pass 3. */
function authenticated(line = "", counter = 1): { meter: DrivenDLMSMeter; answer: string; challenge: Buffer } {
	const meter = new DrivenDLMSMeter(line, 0x03).open();
	const aare = meter.apdu(ciphered(counter));
	const challenge = Buffer.from(/aa128010([0-9a-f]{32})/.exec(aare)![1], "hex");
	const value = answerChallenge(KEYS, { title: TITLE, counter: counter + 1 }, challenge).toString("hex");
	const action = sized("cb", seal(counter + 2, `c301c1000f0000280000ff01010911${value}`));
	return { meter, answer: opened(meter.apdu(action)), challenge };
}

describe("The simulated DLMS meter, ciphering", () => {
	for (const { name, title, ic, sc, plain, challenge, apdu } of vectors("green-book-security-suite0")) {
		if (plain === undefined && challenge === undefined) continue;
		if (typeof ic !== "string" || typeof sc !== "string" || typeof title !== "string") continue;
		it(`produces the bytes of ${name}`, () => {
			const origin = { title: Buffer.from(title, "hex"), counter: Number.parseInt(ic, 16) };
			if (typeof challenge === "string") {
				assert.deepEqual(answerChallenge(KEYS, origin, Buffer.from(challenge, "hex")), apdu);
				return;
			}
			const made = protect(KEYS, origin, Number.parseInt(sc, 16), Buffer.from(String(plain), "hex"));
			assert.deepEqual(made, apdu.subarray(-made.length));
			assert.equal(open(KEYS, origin.title, made)?.plain.toString("hex"), plain);
			if ((made[0] & 0x10) === 0) return;
			for (let i = 0; i < made.length; i++) {
				const broken = Buffer.from(made);
				broken[i] ^= 0x01;
				assert.equal(open(KEYS, origin.title, broken), undefined, `byte ${i}`);
			}
		});
	}
});

describe("The simulated DLMS meter, associations", () => {
	it("reads the requests of another library", () => {
		const requests = vectors("u9n-dlms-cosem-apdus").filter(({ kind }) => kind === "AARQ");
		assert.ok(requests.length >= 5);
		for (const { apdu, context, mechanism, secret, title, initiate } of requests) {
			const read = readAARQ(apdu)!;
			assert.deepEqual([read.context, read.mechanism], [context, mechanism]);
			assert.equal(read.secret.toString("hex"), secret);
			assert.equal(read.title?.toString("hex") ?? "", title);
			assert.equal(read.userInformation.toString("hex"), initiate);
		}
	});

	it("accepts the public client, and answers its requests only during the association", () => {
		const meter = new DrivenDLMSMeter().open();
		assert.equal(meter.apdu(GET_CLOCK), "d80101");
		assert.equal(
			meter.apdu(PUBLIC),
			"6129a109060760857405080101a203020100a305a103020100be10040e0800065f1f040000121104000007",
		);
		// Sunday 2026-06-21, 18:30 UTC, is 19:30 with an offset of -60 minutes.
		assert.equal(meter.apdu(GET_CLOCK), "c401c100090c07ea061507131e0000ffc400");
		assert.equal(meter.apdu("6203800100"), "6303800100");
		assert.equal(meter.apdu(GET_CLOCK), "d80101");
		meter.apdu(PUBLIC);
		meter.close();
		assert.equal(meter.open().apdu(GET_CLOCK), "d80101");
	});

	it("accepts the right password only", () => {
		const meter = new DrivenDLMSMeter("", 0x41).open();
		assert.equal(meter.apdu(lls("12345679")), refusal(1, 13));
		assert.equal(meter.apdu(lls("1234567")), refusal(1, 13));
		assert.equal(meter.apdu(GET_CLOCK), "d80101");
		assert.match(meter.apdu(lls("12345678")), /^6129.*a203020100a305a103020100/);
		assert.match(meter.apdu(GET_CLOCK), /^c401c100/);
		const binary = new DrivenDLMSMeter("--password hex:00ff", 0x41).open();
		assert.equal(binary.apdu(lls("12345678")), refusal(1, 13));
		assert.match(binary.apdu(lls("\0\xff").replace("00c3bf", "00ff")), /^61/);
	});

	it("rejects a mechanism or context that a client may not use", () => {
		assert.equal(new DrivenDLMSMeter().open().apdu(lls("12345678")), refusal(1, 11));
		assert.equal(new DrivenDLMSMeter("", 0x41).open().apdu(PUBLIC), refusal(1, 12));
		assert.equal(new DrivenDLMSMeter("", 0x03).open().apdu(lls("12345678")), refusal(1, 11));
		const shortNames = PUBLIC.replace("080101be", "080102be");
		assert.equal(new DrivenDLMSMeter().open().apdu(shortNames), refusal(1, 2));
		assert.equal(new DrivenDLMSMeter("--encryption off", 0x03).open().apdu(ciphered(1)), refusal(3, 2));
		assert.equal(new DrivenDLMSMeter("--encryption required", 0x41).open().apdu(lls("12345678")), refusal(1, 2));
		const untitled = ciphered(1).replace(`a60a0408${TITLE.toString("hex")}`, "");
		assert.equal(new DrivenDLMSMeter("", 0x03).open().apdu(whole(untitled.slice(4))), refusal(3, 3));
	});

	it("rejects associations as its options say, and parameters that can't be negotiated", () => {
		const answer = (line: string, aarq = PUBLIC) => new DrivenDLMSMeter(line).open().apdu(aarq);
		assert.match(answer("--refuse 2:2:2"), /a203020102a305a203020102/);
		assert.equal(answer("--refuse 1:1:13 --bare-refusal"), "6117a109060760857405080101a203020101a305a10302010d");
		assert.match(answer("--initiate-error 3"), /be0604040e010603$/);
		assert.match(answer("", PUBLIC.replace("065f1f", "055f1f")), /0e010601$/);
		assert.match(answer("", PUBLIC.replace("001211ffff", "000008ffff")), /0e010602$/);
		assert.match(answer("", PUBLIC.replace("ffff", "000b")), /0e010603$/);
	});

	it("authenticates with HLS and GMAC in both directions, and sends ciphered values", () => {
		const { meter, answer } = authenticated();
		assert.ok(meter.events.includes(AUTHENTICATED));
		const [, value] = /^c701c10001000911(.*)$/.exec(answer)!;
		const counter = Number.parseInt(value.slice(2, 10), 16);
		assert.equal(value, answerChallenge(KEYS, { title: METER_TITLE, counter }, CHALLENGE).toString("hex"));
		assert.equal(
			opened(meter.apdu(sized("c8", seal(9, GET_COUNTER)))),
			"c401c1000600000009",
			"its counter object counts",
		);
		assert.equal(meter.apdu(GET_COUNTER), "d80101", "a plain request is rejected");
	});

	it("sends no values before pass 3, and closes the association if pass 3 is wrong", () => {
		const meter = new DrivenDLMSMeter("", 0x03).open();
		const aare = meter.apdu(ciphered(1));
		assert.match(aare, /a203020100a305a10302010ea40a04084757530000bc614e/);
		assert.equal(opened(/be..04..(28.*)$/.exec(aare)![1]), "0800065f1f040000121104000007");
		assert.equal(meter.apdu(sized("c8", seal(2, GET_CLOCK))), "d80101");
		const action = sized("cb", seal(3, `c301c1000f0000280000ff01010911${"10000000ff".padEnd(34, "0")}`));
		assert.equal(opened(meter.apdu(action)), "c701c10300");
		assert.equal(meter.apdu(sized("c8", seal(4, GET_CLOCK))), "d80101");
	});

	it("rejects a client's answer to the challenge that repeats a counter of the previous association", () => {
		const { meter, challenge } = authenticated("", 1);
		meter.open();
		meter.apdu(ciphered(10));
		const old = answerChallenge(KEYS, { title: TITLE, counter: 2 }, challenge).toString("hex");
		assert.equal(opened(meter.apdu(sized("cb", seal(11, `c301c1000f0000280000ff01010911${old}`)))), "c701c10300");
	});

	it("rejects a wrong key, and a counter not above the last one, in the way that its options say", () => {
		const answer = (line: string, aarq: string) => {
			const meter = new DrivenDLMSMeter(line, 0x03).open();
			return { text: meter.apdu(aarq), events: meter.events, meter };
		};
		const wrong = ciphered(8, { key: Buffer.alloc(16) });
		const failed = answer("", wrong);
		assert.deepEqual([failed.text, failed.events.includes(NOT_DECIPHERED)], [refusal(3, 13), true]);
		assert.equal(answer("--on-wrong-key exception", wrong).text, "d80205");
		assert.equal(answer("--on-wrong-key silence", wrong).text, "");
		assert.equal(answer("--on-wrong-key dm", wrong).text, "1f");
		const low = answer("--invocation-counter 255", ciphered(255));
		assert.deepEqual([low.text, low.events.includes(COUNTER_REFUSED)], ["d8020600000100", true]);
		assert.equal(answer("--invocation-counter 8 --on-low-counter aare", ciphered(8)).text, refusal(3, 13));
		assert.equal(answer("--invocation-counter 8 --on-low-counter decipher-exception", ciphered(8)).text, "d80205");
		assert.match(answer("--invocation-counter 8", ciphered(9)).text, /^61.*a203020100/);
		const silent = answer("--invocation-counter 8 --on-low-counter silence", ciphered(8));
		assert.deepEqual([silent.text, silent.meter.control("11")], ["", []]);
	});

	it("rejects a repeated message, and one with less protection than it requires", () => {
		const { meter } = authenticated();
		const get = sized("c8", seal(9, GET_CLOCK));
		assert.match(opened(meter.apdu(get)), /^c401c100090c/);
		assert.equal(meter.apdu(get), "d802060000000a");
		assert.equal(meter.apdu(sized("c8", seal(20, GET_CLOCK, 0x20))), "d80205");
		const encrypting = new DrivenDLMSMeter("--security encrypt", 0x41).open();
		encrypting.apdu(ciphered(1, { mechanism: 1, secret: Buffer.from("12345678") }));
		assert.match(opened(encrypting.apdu(sized("c8", seal(2, GET_CLOCK, 0x20)))), /^c401c100090c/);
	});

	it("supports a dedicated key and general ciphering", () => {
		const dedicated = Buffer.from("00112233445566778899aabbccddeeff", "hex");
		const plain = `0101${byte(16)}${dedicated.toString("hex")}${INITIATE.slice(4)}`;
		const meter = new DrivenDLMSMeter("", 0x41).open();
		meter.apdu(ciphered(1, { mechanism: 1, secret: Buffer.from("12345678"), plain }));
		const answer = meter.apdu(sized("d0", seal(2, GET_CLOCK, 0x30, TITLE, dedicated)));
		assert.match(answer, /^d4/);
		assert.match(opened(answer, { ...KEYS, encryption: dedicated }), /^c401c100090c/);
		const general = meter.apdu(`db08${TITLE.toString("hex")}${sized("", seal(3, GET_CLOCK))}`);
		assert.match(general, /^db084757530000bc614e/);
		assert.match(opened(general.slice(18)), /^c401c100090c/);
	});

	it("answers pass 3 wrongly, or with an error, if its options say so", () => {
		const wrong = authenticated("--wrong-f-ctos").answer.slice(16);
		const counter = Number.parseInt(wrong.slice(2, 10), 16);
		assert.notEqual(wrong, answerChallenge(KEYS, { title: METER_TITLE, counter }, CHALLENGE).toString("hex"));
		assert.equal(authenticated("--action-result 12").answer, "c701c10c00");
	});
});

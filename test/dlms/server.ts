/**
 * A DLMS meter at the level of APDUs, written independently of the client, with faults on request. It also checks that
 * each of the client's counters is new and each of its tags correct.
 */
import assert from "node:assert/strict";
import { gcm, hex, openGCM, sha256, streamGCM, toHex } from "./crypto.js";

export interface ServerOptions {
	/** Mechanism that the client must use: 0, 1, 5, 6. */
	mechanism: number;
	ciphered: boolean;
	password: string;
	key: Uint8Array;
	authenticationKey: Uint8Array;
	title: Uint8Array;
	/** The client's last accepted invocation counter. */
	clientCounter: number;
	/** The server's next invocation counter. */
	counter: number;
	/** Offered conformance. */
	conformance: number;
	/** Longest accepted APDU. */
	pdu: number;
	/** Raw bytes in a block; 0: no blocks. */
	block: number;
	/** `class obis attribute` to data in hex, or a data-access-result. */
	objects: Map<string, string | number>;
	/** `plainFault` changes an answer before ciphering, `sealedFault` after it. */
	plainFault?: (answer: Uint8Array, request: Uint8Array) => Uint8Array;
	sealedFault?: (answer: Uint8Array, count: number) => Uint8Array;
	/** Sends f(CtoS) for a challenge other than the client's. */
	wrongAnswer: boolean;
	/** The AARE lacks the system title. */
	titleless: boolean;
	/** Sent in place of the initiate response. */
	initiate: Uint8Array | undefined;
	/** Uses general-glo-ciphering in place of glo-. */
	general: boolean;
	/** Security control of answers; 0: that of the request. */
	control: number;
}

export const BLANK: ServerOptions = {
	mechanism: 0,
	ciphered: false,
	password: "",
	key: hex("000102030405060708090A0B0C0D0E0F"),
	authenticationKey: hex("D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF"),
	title: hex("4D4D4D0000BC614E"),
	clientCounter: 0,
	counter: 1,
	conformance: 0x001e1d,
	pdu: 0,
	block: 0,
	objects: new Map(),
	wrongAnswer: false,
	titleless: false,
	initiate: undefined,
	general: false,
	control: 0,
};

const GLO = new Map([
	[0x21, 0x01],
	[0xc8, 0xc0],
	[0xcb, 0xc3],
]);
const ANSWERS = new Map([
	[0x08, 0x28],
	[0xc4, 0xcc],
	[0xc7, 0xcf],
	[0x0e, 0x2e],
	[0x0f, 0x0f],
]);

type Elements = Map<number, Uint8Array>;

export class Server {
	readonly options: ServerOptions;
	/** Received requests, deciphered. */
	readonly requests: string[] = [];
	/** The client's counters, in order. */
	readonly counters: number[] = [];
	#clientTitle = new Uint8Array(8);
	#clientChallenge = new Uint8Array(0);
	#challenge = Uint8Array.from(Buffer.from("P6wRJ21F"));
	#associated = false;
	#control = 0;
	#rest: Uint8Array = new Uint8Array(0);
	#block = 0;
	#answers = 0;

	constructor(options: Partial<ServerOptions>) {
		this.options = { ...BLANK, ...options };
	}

	/** Answers an APDU. */
	answer(request: Uint8Array): Uint8Array {
		if (request[0] === 0x60) return this.#associate(request);
		if (request[0] === 0x62) return hex("6303800100");
		let plain = request;
		if (this.options.ciphered) {
			const opened = this.#open(request);
			if (typeof opened === "string") return hex(opened);
			plain = opened;
		}
		this.requests.push(toHex(plain));
		let answer = this.#serve(plain);
		answer = this.options.plainFault?.(answer, plain) ?? answer;
		this.#answers++;
		if (answer[0] !== 0xd8 && this.options.ciphered) answer = this.#seal(answer);
		return this.options.sealedFault?.(answer, this.#answers) ?? answer;
	}

	#associate(request: Uint8Array): Uint8Array {
		const { mechanism, ciphered, title } = this.options;
		const elements = this.#elements(request);
		const context = elements.get(0xa1)![8];
		const requested = elements.get(0x8b)?.[6] ?? 0;
		const secret = elements.get(0xac)?.subarray(2) ?? new Uint8Array(0);
		if (elements.has(0xa6)) this.#clientTitle = Uint8Array.from(elements.get(0xa6)!.subarray(2));
		this.requests.push(`AARQ ${context} ${requested}`);
		if (context !== (ciphered ? 3 : 1)) return this.#reject(2);
		if (requested !== mechanism) return this.#reject(requested === 0 ? 14 : 11);
		if (mechanism === 1 && Buffer.from(secret).toString("latin1") !== this.options.password) return this.#reject(13);
		let initiate = elements.get(0xbe)!.subarray(2);
		if (ciphered) {
			const opened = this.#open(initiate);
			if (typeof opened === "string") return this.#reject(13);
			initiate = opened;
		}
		assert.equal(toHex(initiate.subarray(0, 9)), "01000000065f1f0400");
		const { conformance, pdu } = this.options;
		const parts = [hex("0800065F1F0400"), word(conformance, 3), word(pdu, 2), hex("0007")];
		let response = this.options.initiate ?? join(...parts);
		if (ciphered) response = this.#seal(response);
		response = this.options.sealedFault?.(response, 0) ?? response;
		this.#clientChallenge = Uint8Array.from(secret);
		const hls = mechanism >= 5;
		this.#associated = !hls;
		const sendsTitle = (ciphered || hls) && !this.options.titleless;
		return element(
			0x61,
			hex(`A1090607608574050801 0${ciphered ? 3 : 1}`),
			hex("A203020100"),
			hex(`A305A10302010${hls ? "E" : "0"}`),
			sendsTitle ? element(0xa4, element(0x04, title)) : new Uint8Array(0),
			hls ? hex(`88020780 89076085740508020${mechanism}`) : new Uint8Array(0),
			hls ? element(0xaa, element(0x80, this.#challenge)) : new Uint8Array(0),
			element(0xbe, element(0x04, response)),
		);
	}

	#reject(diagnostic: number): Uint8Array {
		return element(
			0x61,
			hex("A109060760857405080101 A203020101"),
			element(0xa3, element(0xa1, element(0x02, word(diagnostic, 1)))),
		);
	}

	/** Parses an AARQ into its elements by tag. */
	#elements(message: Uint8Array): Elements {
		const elements: Elements = new Map();
		const long = message[1] === 0x81;
		assert.equal(long ? message[2] + 3 : message[1] + 2, message.length, "the length of the AARQ");
		for (let at = long ? 3 : 2; at < message.length; at += 2 + message[at + 1])
			elements.set(message[at], message.subarray(at + 2, at + 2 + message[at + 1]));
		return elements;
	}

	#serve(plain: Uint8Array): Uint8Array {
		if (plain[0] === 0xc3) return this.#act(plain);
		if (!this.#associated) return hex("D80101");
		if (plain[0] !== 0xc0) return hex("D80202");
		if (plain[1] === 1) return this.#cut(0xc4, this.#get(plain, 3), false);
		if (plain[1] === 2) return this.#next(new DataView(plain.buffer, plain.byteOffset + 3).getUint32(0));
		if ((this.options.conformance & 0x200) === 0) return hex("D80202");
		assert.equal(plain.length, 4 + plain[3] * 10);
		const results = Array.from({ length: plain[3] }, (_, i) => this.#get(plain, 4 + i * 10));
		return this.#cut(0xc4, join(word(plain[3], 1), ...results), true);
	}

	#get(plain: Uint8Array, at: number): Uint8Array {
		const classId = plain[at] * 256 + plain[at + 1];
		const key = `${classId} ${[...plain.subarray(at + 2, at + 8)].join(".")} ${plain[at + 8]}`;
		assert.equal(plain[at + 9], 0);
		const value = this.options.objects.get(key) ?? 4;
		return typeof value === "number" ? Uint8Array.of(1, value) : join(Uint8Array.of(0), hex(value));
	}

	/** Returns a response, or its first block. `data` begins with the choice, or with the count of results. */
	#cut(tag: number, data: Uint8Array, list: boolean): Uint8Array {
		const { block } = this.options;
		if (block === 0 || data.length <= block || (!list && data[0] !== 0))
			return join(Uint8Array.of(tag, list ? 3 : 1, 0xc1), data);
		this.#rest = list ? data : data.subarray(1);
		this.#block = 0;
		return this.#next(0);
	}

	#next(number: number): Uint8Array {
		if (number !== this.#block) return join(hex("C402C101"), word(number, 4), hex("0113"));
		const piece = this.#rest.subarray(0, this.options.block);
		this.#rest = this.#rest.subarray(piece.length);
		this.#block++;
		const last = this.#rest.length === 0 ? 1 : 0;
		return join(Uint8Array.of(0xc4, 2, 0xc1, last), word(this.#block, 4), Uint8Array.of(0), withLength(piece));
	}

	/** Pass 3: checks f(StoC), then answers f(CtoS). */
	#act(plain: Uint8Array): Uint8Array {
		const { key, authenticationKey, title } = this.options;
		if (this.options.mechanism === 6) return this.#actSHA256(plain);
		assert.equal(toHex(plain.subarray(0, 15)), "c301c1000f0000280000ff01010911");
		const proof = plain.subarray(15);
		const counter = new DataView(proof.buffer, proof.byteOffset + 1).getUint32(0);
		if (!this.options.ciphered) this.#count(counter);
		else assert.equal(counter, this.counters.at(-1)! - 1, "the counter in f(StoC) is one below the APDU's");
		const aad = join(proof.subarray(0, 1), authenticationKey, this.#challenge);
		const tag = gcm(key, join(this.#clientTitle, proof.subarray(1, 5)), aad, new Uint8Array(0)).subarray(0, 12);
		if (toHex(tag) !== toHex(proof.subarray(5))) return hex("C701C10300");
		this.#associated = true;
		const challenge = this.options.wrongAnswer ? this.#challenge : this.#clientChallenge;
		const mine = word(this.options.counter++, 4);
		const own = gcm(
			key,
			join(title, mine),
			join(proof.subarray(0, 1), authenticationKey, challenge),
			new Uint8Array(0),
		);
		return join(hex("C701C10001000911"), proof.subarray(0, 1), mine, own.subarray(0, 12));
	}

	/**
	 * Green Book: SHA-256(secret, title of the prover, title of the other side, challenge of the other side, own
	 * challenge).
	 */
	#actSHA256(plain: Uint8Array): Uint8Array {
		assert.equal(toHex(plain.subarray(0, 15)), "c301c1000f0000280000ff01010920");
		const secret = Uint8Array.from(Buffer.from(this.options.password));
		const titles = [this.#clientTitle, this.options.title];
		const expected = sha256(secret, ...titles, this.#challenge, this.#clientChallenge);
		if (toHex(expected) !== toHex(plain.subarray(15))) return hex("C701C10300");
		this.#associated = true;
		const mine = sha256(secret, ...titles.reverse(), this.#clientChallenge, this.#challenge);
		return join(hex("C701C10001000920"), this.options.wrongAnswer ? expected : mine);
	}

	/** Decrypts a glo- APDU; returns its contents, or the exception to send, in hex. */
	#open(request: Uint8Array): Uint8Array | string {
		const { key, authenticationKey } = this.options;
		const at = request[1] > 0x80 ? 2 + (request[1] & 0x7f) : 2;
		const length = at === 2 ? request[1] : Buffer.from(request).readUIntBE(2, at - 2);
		assert.equal(request.length, at + length);
		const control = request[at];
		const counter = new DataView(request.buffer, request.byteOffset + at + 1).getUint32(0);
		const iv = join(this.#clientTitle, request.subarray(at + 1, at + 5));
		const sealed = request.subarray(at + 5);
		this.#control = control;
		if (counter <= this.options.clientCounter) return `D80106${toHex(word(this.options.clientCounter + 1, 4))}`;
		const plain =
			(control & 0x30) === 0x30
				? openGCM(key, iv, join(Uint8Array.of(control), authenticationKey), sealed)
				: streamGCM(key, iv, sealed);
		if (plain === undefined || plain[0] !== GLO.get(request[0])) return "D80205";
		this.#count(counter);
		return plain;
	}

	#count(counter: number): void {
		assert.ok(counter > this.options.clientCounter, "the client's counter grows");
		this.options.clientCounter = counter;
		this.counters.push(counter);
	}

	#seal(answer: Uint8Array): Uint8Array {
		const { key, authenticationKey, title } = this.options;
		const control = Uint8Array.of(this.options.control || this.#control);
		const counter = word(this.options.counter++, 4);
		const iv = join(title, counter);
		let text: Uint8Array;
		if ((control[0] & 0x30) === 0x20) text = streamGCM(key, iv, answer);
		else if ((control[0] & 0x30) === 0x10) {
			const tag = gcm(key, iv, join(control, authenticationKey, answer), new Uint8Array(0));
			text = join(answer, tag.subarray(0, 12));
		} else {
			const sealed = gcm(key, iv, join(control, authenticationKey), answer);
			text = sealed.subarray(0, answer.length + 12);
		}
		const contents = withLength(join(control, counter, text));
		if (this.options.general) return join(Uint8Array.of(0xdb), withLength(title), contents);
		return join(Uint8Array.of(ANSWERS.get(answer[0])!), contents);
	}
}

export function join(...parts: Uint8Array[]): Uint8Array {
	return new Uint8Array(Buffer.concat(parts));
}

export function word(value: number, bytes: number): Uint8Array {
	return Uint8Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) & 0xff);
}

export function withLength(bytes: Uint8Array): Uint8Array {
	const { length } = bytes;
	if (length < 128) return join(Uint8Array.of(length), bytes);
	return join(length < 256 ? Uint8Array.of(0x81, length) : Uint8Array.of(0x82, length >> 8, length & 255), bytes);
}

export function element(tag: number, ...contents: Uint8Array[]): Uint8Array {
	return join(Uint8Array.of(tag), withLength(join(...contents)));
}

/**
 * Message security of a DLMS/COSEM server (IEC 62056-5-3, 5.7): global and dedicated keys, general ciphering, and the
 * invocation counters of both sides.
 */
import { answerChallenge, type Keys, type Opened, open, protect, protectionOverhead } from "./dlms-cipher.js";
import { lengthOf } from "./dlms-data.js";
import { type Answer, DROP_LINK, SILENCE } from "./hdlc-station.js";

export const COUNTER_REFUSED = 34;
export const NOT_DECIPHERED = 35;

export const TITLE_BYTES = 8;
const TAG_AND_LENGTH = 4;
export const NOT_ALLOWED = 1;
export const UNKNOWN_SERVICE = 2;
export const NOT_POSSIBLE = 1;
export const NOT_SUPPORTED = 2;
const DECIPHERING_ERROR = 5;
const COUNTER_ERROR = 6;

/** Tags of ciphered answers (with global key, with dedicated key), by the tag of the plain answer. */
const ANSWER_TAGS = new Map([
	[0xc4, [0xcc, 0xd4]],
	[0xc5, [0xcd, 0xd5]],
	[0xc7, [0xcf, 0xd7]],
]);
const PLAIN_REQUESTS = [0xc0, 0xc1, 0xc3];
const GLOBAL_REQUESTS = [0xc8, 0xc9, 0xcb];
const DEDICATED_REQUESTS = [0xd0, 0xd1, 0xd3];
const GENERAL_GLOBAL = 0xdb;

/** Reaction to a message that cannot be deciphered or has an old invocation counter. */
export type Reaction = "aare" | "exception" | "decipher-exception" | "silence" | "dm";

export interface SecurityOptions {
	keys: Keys;
	title: Uint8Array;
	/** Security control that ciphered messages must have: 10, 20 or 30 (hex). */
	security: number;
	counter: number;
	ownCounter: number;
	/** True if answers use general-glo-ciphering. */
	general?: boolean;
	faults: {
		onWrongKey?: Reaction;
		onLowCounter?: Reaction;
		/** Security suite in the meter's security controls. Requests with suite 0 or 1 are accepted in any case. */
		suite?: number;
		/** True if only requests with the meter's own suite are accepted. */
		strictSuite?: boolean;
	};
}

export interface Message {
	plain: Buffer;
	wrap(answer: Buffer): Buffer;
	overhead: number;
}

export interface Party {
	isCiphered: boolean;
	clientTitle: Uint8Array;
	dedicated?: Keys;
}

export interface Refused {
	answer: Answer;
}

export function exception(state: number, service: number): Buffer {
	return Buffer.of(0xd8, state, service);
}

export class MessageSecurity {
	readonly #options: SecurityOptions;
	readonly #report: (code: number) => void;
	counter: number;
	#ownCounter: number;

	constructor(options: SecurityOptions, onEvent: (code: number) => void) {
		this.#options = options;
		this.#report = onEvent;
		this.counter = options.counter;
		this.#ownCounter = options.ownCounter;
	}

	uncover(apdu: Buffer, party: Party): Message | Refused {
		const isPlain = PLAIN_REQUESTS.includes(apdu[0]);
		if (isPlain && party.isCiphered) return { answer: exception(NOT_ALLOWED, NOT_POSSIBLE) };
		if (isPlain) return { plain: apdu, wrap: (answer) => answer, overhead: 0 };
		const isDedicated = DEDICATED_REQUESTS.includes(apdu[0]);
		const isGeneral = apdu[0] === GENERAL_GLOBAL;
		const keys = isDedicated ? party.dedicated : this.#options.keys;
		const isKnown = isDedicated || isGeneral || GLOBAL_REQUESTS.includes(apdu[0]);
		if (!isKnown || !party.isCiphered || keys === undefined)
			return { answer: exception(UNKNOWN_SERVICE, NOT_SUPPORTED) };
		const at = isGeneral ? 2 + apdu[1] : 1;
		const title = isGeneral && apdu[1] === TITLE_BYTES ? apdu.subarray(2, 2 + TITLE_BYTES) : party.clientTitle;
		const opened = this.open(keys, title, withoutLength(apdu.subarray(at)));
		if ("answer" in opened) return opened;
		const isAnswerGeneral = isGeneral || this.#options.general;
		return {
			plain: opened.plain,
			overhead: TAG_AND_LENGTH + (isAnswerGeneral ? 1 + TITLE_BYTES : 0) + protectionOverhead(opened.control),
			wrap: (answer) => {
				const tag = ANSWER_TAGS.get(answer[0])![isDedicated ? 1 : 0];
				return this.cipher(isAnswerGeneral ? GENERAL_GLOBAL : tag, keys, opened.control, answer);
			},
		};
	}

	/** Deciphers a message. `refusal` makes the AARE for an AARQ that cannot be deciphered. */
	open(keys: Keys, title: Uint8Array, ciphered: Buffer, refusal?: () => Buffer): Opened | Refused {
		const { faults, security } = this.#options;
		const opened = open(keys, title, ciphered);
		const isStrange = faults.strictSuite && opened !== undefined && (opened.control & 0x0f) !== (faults.suite ?? 0);
		if (opened === undefined || isStrange || (opened.control & security) !== security) {
			this.#report(NOT_DECIPHERED);
			const plainAnswer = exception(UNKNOWN_SERVICE, DECIPHERING_ERROR);
			return { answer: react(faults.onWrongKey ?? "aare", plainAnswer, refusal) };
		}
		if (opened.counter <= this.counter) {
			this.#report(COUNTER_REFUSED);
			const expected = Buffer.alloc(4);
			expected.writeUInt32BE(Math.min(this.counter + 1, 0xffff_ffff));
			const plainAnswer = Buffer.concat([exception(UNKNOWN_SERVICE, COUNTER_ERROR), expected]);
			return { answer: react(faults.onLowCounter ?? "exception", plainAnswer, refusal) };
		}
		this.counter = opened.counter;
		return opened;
	}

	cipher(tag: number, keys: Keys, control: number, plain: Buffer): Buffer {
		const { title, faults } = this.#options;
		const origin = { title, counter: ++this.#ownCounter };
		const ciphered = protect(keys, origin, (control & 0xf0) | (faults.suite ?? 0), plain);
		const name = tag === GENERAL_GLOBAL ? [Buffer.of(title.length), title] : [];
		return Buffer.concat([Buffer.of(tag), ...name, lengthOf(ciphered.length), ciphered]);
	}

	/** Returns f(CtoS), the meter's answer to the client's challenge. */
	answerChallenge(challenge: Uint8Array): Buffer {
		const { keys, title, faults } = this.#options;
		return answerChallenge(keys, { title, counter: ++this.#ownCounter }, challenge, faults.suite);
	}
}

function react(reaction: Reaction, plainAnswer: Buffer, refusal?: () => Buffer): Answer {
	if (reaction === "silence") return SILENCE;
	if (reaction === "dm") return DROP_LINK;
	if (reaction === "aare" && refusal !== undefined) return refusal();
	return reaction === "decipher-exception" ? exception(UNKNOWN_SERVICE, DECIPHERING_ERROR) : plainAnswer;
}

function withoutLength(bytes: Buffer): Buffer {
	return bytes.subarray(bytes[0] > 0x80 ? 1 + (bytes[0] & 0x7f) : 1);
}

/** Unsolicited telegrams to test their recognition: captured and constructed ones. */
import { encodeCharacter } from "../../hosts/node/wire-character.js";
import { crc16 } from "../../modules/bytes/crc16.js";
import {
	KIND_ASCII,
	KIND_BARE,
	KIND_HDLC,
	KIND_MBUS,
	KIND_SML,
	KIND_TIC,
	KIND_WRAPPER,
} from "../../modules/meter/telegram-scanner.js";
import { Household } from "../../tools/meter/household.js";
import { dlmsTelegram } from "../../tools/meter/push-telegrams.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { iecVectors } from "../vectors.js";

export interface PushedTelegram {
	readonly name: string;
	readonly kind: number;
	/** Bytes as on the wire, eight bits per character. */
	readonly bytes: Uint8Array;
}

/** Adds the parity bit of 7E1 to each character. */
export function withParity(text: Uint8Array): Uint8Array {
	return text.map((character) => encodeCharacter(character));
}

/** A data-notification in the TCP wrapper (IEC 62056-47), which some meters use on serial lines. */
export const WRAPPED = Uint8Array.from([
	...[0x00, 0x01, 0x00, 0x01, 0x00, 0x66, 0x00, 0x18],
	...[0x0f, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x02, 0x06, 0x00, 0x00, 0x01, 0x2c],
	...[0x09, 0x09, 0x31, 0x2d, 0x30, 0x3a, 0x31, 0x2e, 0x38, 0x2e, 0x30],
]);

export const P1_KEYS = { encryption: Buffer.alloc(16, 0xaa), authentication: Buffer.alloc(16, 0xbb) };

/** A P1 telegram in general-glo-ciphering, without a frame. */
export function cipheredP1(counter = 1, control = 0x30): Uint8Array {
	const protection = { keys: P1_KEYS, title: Buffer.from("SYSTEMID"), control, isDedicated: false };
	const reading = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 }).reading(0);
	return Uint8Array.from(dlmsTelegram(reading, { framing: "p1", protection }, counter));
}

/** An HDLC frame with an information field (IEC 62056-46, 6.4). */
export function hdlcFrame(control: number, information: readonly number[]): Uint8Array {
	const length = 7 + information.length + (information.length > 0 ? 2 : 0);
	const head = [0xa0, length, 0x21, 0x03, control];
	const check = (bytes: readonly number[]) => {
		const value = crc16(Uint8Array.from(bytes), 0, bytes.length);
		return [...bytes, value & 0xff, value >> 8];
	};
	const body = information.length > 0 ? check([...check(head), ...information]) : check(head);
	return Uint8Array.from([0x7e, ...body, 0x7e]);
}

function captures(protocol: string, kind: number, isPush = (_name: string) => true): PushedTelegram[] {
	return vectorNames(protocol)
		.filter(isPush)
		.map((name) => ({ name, kind, bytes: readTelegram(vectorPath(protocol, name)) }));
}

/** Unsolicited telegrams of all kinds: captures, or constructed where no capture was found. */
export function pushedTelegrams(): PushedTelegram[] {
	const ascii = iecVectors().filter(({ mode }) => mode === "D");
	return [
		...ascii.map(({ name, telegram }) => ({ name: `${name}, 7E1`, kind: KIND_ASCII, bytes: withParity(telegram) })),
		...ascii.map(({ name, telegram }) => ({ name: `${name}, 8N1`, kind: KIND_ASCII, bytes: telegram })),
		...captures("sml", KIND_SML),
		...captures("tic", KIND_TIC),
		...captures("tic", KIND_TIC).map((one) => ({ ...one, name: `${one.name}, 7E1`, bytes: withParity(one.bytes) })),
		...captures("hdlc", KIND_HDLC, (name) => name.includes("push")),
		...captures("mbus", KIND_MBUS),
		{ name: "data-notification in a wrapper", kind: KIND_WRAPPER, bytes: WRAPPED },
		{ name: "a ciphered P1 telegram", kind: KIND_BARE, bytes: cipheredP1() },
		{ name: "a P1 telegram under the broadcast key", kind: KIND_BARE, bytes: cipheredP1(1, 0x70) },
	];
}

const STX = 0x02;

/**
 * Captures of replies to requests: modes A, B and C, and HDLC exchanges. Blocks that a source shows without STX are
 * omitted, because they look like mode D, and so is u9n-dlms-cosem-frames, which includes a push.
 */
export function answers(): PushedTelegram[] {
	const blocks = iecVectors().filter(({ mode, telegram }) => mode !== "D" && telegram.includes(STX));
	return [
		...blocks.flatMap(({ name, telegram }) => [
			{ name: `${name}, 7E1`, kind: 0, bytes: withParity(telegram) },
			{ name: `${name}, 8N1`, kind: 0, bytes: telegram },
		]),
		...captures("hdlc", 0, (name) => !name.includes("push") && name !== "u9n-dlms-cosem-frames"),
	];
}

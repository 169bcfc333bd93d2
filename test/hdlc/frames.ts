/** HDLC frames for tests, made independently of the project's code, and the HDLC vectors of test/vectors. */
import { readFileSync } from "node:fs";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";

export const SNRM = 0x93;
export const DISC = 0x53;
export const UA = 0x73;
export const DM = 0x1f;
export const FRMR = 0x97;
export const UI = 0x13;

/** Control bytes of numbered frames with P/F. */
export const rr = (expected: number) => 0x11 | (expected << 5);
export const rnr = (expected: number) => 0x15 | (expected << 5);
export const rej = (expected: number) => 0x19 | (expected << 5);
export const info = (number: number, expected: number) => 0x10 | (expected << 5) | (number << 1);

/** CRC-16/X.25, bit by bit. */
function check(bytes: readonly number[]): number[] {
	let register = 0xffff;
	for (const byte of bytes) {
		register ^= byte;
		for (let i = 0; i < 8; i++) register = register & 1 ? (register >> 1) ^ 0x8408 : register >> 1;
	}
	return [~register & 0xff, (~register >> 8) & 0xff];
}

export interface Parts {
	readonly to: readonly number[];
	readonly from: readonly number[];
	readonly control: number;
	readonly information?: Iterable<number>;
	readonly segmented?: boolean;
}

/** Makes a whole frame with both flags. */
export function makeFrame(parts: Parts): Uint8Array {
	const information = [...(parts.information ?? [])];
	const header = [...parts.to, ...parts.from, parts.control];
	const length = 2 + header.length + (information.length > 0 ? 2 + information.length : 0) + 2;
	const start = [0xa0 | (parts.segmented ? 8 : 0) | (length >> 8), length & 0xff, ...header];
	const body = information.length > 0 ? [...start, ...check(start), ...information] : start;
	return Uint8Array.from([0x7e, ...body, ...check(body), 0x7e]);
}

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
export const unhex = (text: string) => new Uint8Array(Buffer.from(text.replace(/\s/g, ""), "hex"));

export interface ExpectedFrame {
	readonly destination: string;
	readonly source: string;
	readonly control: string;
	readonly segmented: boolean;
	readonly check: "right" | "wrong";
	readonly information: string;
}

export interface FrameVector {
	readonly name: string;
	readonly bytes: Uint8Array;
	readonly frames: readonly ExpectedFrame[];
}

export function frameVectors(): FrameVector[] {
	return vectorNames("hdlc").map((name) => {
		const { frames } = JSON.parse(readFileSync(vectorPath("hdlc", name, "json"), "utf8"));
		return { name, bytes: readTelegram(vectorPath("hdlc", name)), frames };
	});
}

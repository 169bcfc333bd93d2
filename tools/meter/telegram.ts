/**
 * Reads telegram files. A telegram file is an IEC 62056-21 transmission as a meter sends it, for the simulator and
 * tests.
 *
 * A file has raw bytes. If its name ends in `.hex`, it has text: bytes as two hex digits, optional blanks, and comments
 * from `#` to the end of the line. The content is the identification line `/XXXZident CR LF`, followed by the block.
 * STX, ETX and BCC are included if the meter sends them.
 */
import { readFileSync } from "node:fs";

export const SOH = 0x01;
export const STX = 0x02;
export const ETX = 0x03;
export const ACK = 0x06;
export const LF = 0x0a;
export const CR = 0x0d;
export const NAK = 0x15;
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

/** Limit of a telegram. The largest known capture has 16 593 bytes. */
export const TELEGRAM_LIMIT = 65_536;

/**
 * Modes of IEC 62056-21, 6.4. A and B send the block without an acknowledgement, C waits for one, and D is unsolicited.
 */
export type MeterMode = "A" | "B" | "C" | "D";

export function readTelegram(path: string): Uint8Array {
	const file = readFileSync(path);
	const bytes = path.endsWith(".hex") ? parseHex(file.toString("utf8"), path) : new Uint8Array(file);
	if (bytes.length > TELEGRAM_LIMIT) throw new Error(`${path}: more than ${TELEGRAM_LIMIT} bytes in a telegram.`);
	return bytes;
}

function parseHex(text: string, path: string): Uint8Array {
	const bytes: number[] = [];
	for (const [index, line] of text.split("\n").entries()) {
		const digits = line.replace(/#.*/, "").replace(/\s/g, "");
		if (!/^(?:[0-9A-Fa-f]{2})*$/.test(digits)) throw new Error(`${path}:${index + 1}: not pairs of hex digits.`);
		for (let i = 0; i < digits.length; i += 2) bytes.push(Number.parseInt(digits.slice(i, i + 2), 16));
	}
	return Uint8Array.from(bytes);
}

export interface Telegram {
	/** Bytes until the CR LF of the identification, including any before the `/`. */
	readonly opening: Uint8Array;
	readonly slash: number;
	/** The block, including any bytes before its STX and after its BCC. */
	readonly message: Uint8Array;
}

/** Splits a telegram. The identification begins at the first `/` that does not belong to an echoed sign-on `/?`. */
export function splitTelegram(bytes: Uint8Array): Telegram {
	let slash = bytes.indexOf(SLASH);
	while (slash >= 0 && bytes[slash + 1] === QUESTION_MARK) slash = bytes.indexOf(SLASH, slash + 1);
	const end = slash < 0 ? -1 : bytes.indexOf(LF, slash);
	if (end < 0) throw new Error("A telegram begins with an identification line, /XXXZident.");
	return { opening: bytes.slice(0, end + 1), slash, message: bytes.slice(end + 1) };
}

export function baudCharacter(telegram: Telegram): number {
	return telegram.opening[telegram.slash + 4];
}

/**
 * Returns true if the third letter of the maker is lower case. This means an answer within 20 ms (IEC 62056-21, 6.3.2).
 */
export function answersQuickly(telegram: Telegram): boolean {
	const letter = telegram.opening[telegram.slash + 3];
	return letter >= 0x61 && letter <= 0x7a;
}

/**
 * Returns mode D if there is no STX and an empty line follows the identification, otherwise the mode that Z implies.
 */
export function modeOf(telegram: Telegram): MeterMode {
	const { message } = telegram;
	if (message[0] === CR && message[1] === LF && message.indexOf(STX) < 0) return "D";
	const z = baudCharacter(telegram);
	if (z >= 0x30 && z <= 0x36) return "C";
	return z >= 0x41 && z <= 0x46 ? "B" : "A";
}

/** Returns the speed that Z means (IEC 62056-21, 6.3.14), or undefined if it means none. */
export function promisedBaud(z: number, mode: MeterMode): number | undefined {
	if (mode === "C") return [300, 600, 1200, 2400, 4800, 9600, 19200][z - 0x30];
	if (mode === "B") return [600, 1200, 2400, 4800, 9600, 19200][z - 0x41];
	return undefined;
}

export function checkPosition(message: Uint8Array): number {
	const start = message.indexOf(STX);
	const end = start < 0 ? -1 : message.indexOf(ETX, start);
	return end < 0 || end + 1 >= message.length ? -1 : end + 1;
}

/** Makes `SOH` or `STX`, the content, `ETX`, and a check over everything after the first character (ISO 1155). */
export function frame(content: Uint8Array, first = STX): Uint8Array {
	let check = ETX;
	for (const byte of content) check ^= byte;
	return Uint8Array.from([first, ...content, ETX, check & 0x7f]);
}

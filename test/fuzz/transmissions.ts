/** Captures for the fuzz tests of the UART, and properties that hold for any damage. */
import assert from "node:assert/strict";
import { RecordCursor } from "../../modules/readout/record-cursor.js";
import { RUNNING_LIMIT } from "../../modules/readout/record-writer.js";
import { CR, ETX, frame, LF, SOH, STX, splitTelegram, type Telegram } from "../../tools/meter/telegram.js";
import { textOf } from "../latin1.js";
import { iecVectors } from "../vectors.js";

export interface Transmission {
	readonly name: string;
	readonly bytes: Uint8Array;
	/** The transmission is unsolicited. */
	readonly pushed: boolean;
	/** The transmission's BCC (or CRC, if pushed) is wrong. */
	readonly wrong: boolean;
}

const EXCLAMATION_MARK = 0x21;

/** `splitTelegram` that also accepts arbitrary bytes. */
export function split(bytes: Uint8Array): Telegram {
	try {
		return splitTelegram(bytes);
	} catch {
		return { opening: bytes, slash: -1, message: new Uint8Array(0) };
	}
}

/** Each capture unchanged, and its block in a frame with a correct check. */
export function transmissions(): Transmission[] {
	return iecVectors().flatMap(({ name, telegram, mode, check }) => [
		{ name, bytes: telegram, pushed: mode === "D", wrong: check === "wrong" },
		{ name: `${name}, framed`, bytes: framed(telegram), pushed: false, wrong: false },
	]);
}

function framed(telegram: Uint8Array): Uint8Array {
	const { opening, message } = splitTelegram(telegram);
	const stx = message.indexOf(STX);
	let start = stx + 1;
	while (message[start] === CR || message[start] === LF) start++;
	const etx = message.indexOf(ETX, start);
	const end = message.lastIndexOf(EXCLAMATION_MARK, etx < 0 ? message.length : etx);
	const content = [...message.subarray(start, end), EXCLAMATION_MARK, CR, LF];
	return Uint8Array.from([...opening, ...frame(Uint8Array.from(content))]);
}

/** Whether the message begins with its only checked frame, and the check is wrong. */
export function hasWrongCheck(message: Uint8Array): boolean {
	const etx = message.indexOf(ETX);
	if (message[0] !== STX || etx < 0 || etx + 1 >= message.length) return false;
	if (message.lastIndexOf(STX) > 0 || message.includes(SOH)) return false;
	const inside = message.subarray(1, etx);
	// Damage may set bit 7 of a character, which is not part of the check.
	return (inside.reduce((sum, byte) => sum ^ byte, ETX) & 0x7f) !== message[etx + 1];
}

/** Whether there is exactly one telegram with a CRC, and the CRC is wrong. */
export function hasWrongCRC(bytes: Uint8Array): boolean {
	const match = /^(\/[^/!]*!)([0-9A-F]{1,4})\r\n$/.exec(textOf(bytes));
	if (match === null) return false;
	let crc = 0;
	for (const character of match[1]) {
		crc ^= character.charCodeAt(0);
		for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
	}
	return crc !== Number.parseInt(match[2], 16);
}

/** Asserts that packed records are whole and contain only what was sent: each address with its values, in order. */
export function assertSent(packed: Uint8Array, sent: Uint8Array): void {
	assert.ok(packed.length <= RUNNING_LIMIT);
	const text = textOf(sent);
	const cursor = new RecordCursor(packed);
	let from = 0;
	let before = "";
	while (cursor.nextRecord()) {
		const address = textOf(cursor.address, 0, cursor.addressLength);
		const values: string[] = [];
		while (cursor.nextValue()) values.push(textOf(cursor.text, 0, cursor.length));
		// A row of a profile has the address of the preceding record.
		const heads = address === before ? [address, "\n", "\r"] : [address];
		const [first, second, ...rest] = values;
		// Orders in which the meter may have sent the values: as shown; time first; in the old form, time first and
		// value last.
		const orders = [values, [second, first, ...rest], [second, ...rest, first]];
		const ends = orders.flatMap((order) => heads.map((head) => endOf(order, head, text, from)));
		from = Math.min(...ends);
		assert.ok(from < Number.POSITIVE_INFINITY, `${address} with ${JSON.stringify(values)} was never sent`);
		before = address;
	}
}

/** End of the values that follow each other behind `head` in the text, at or after `from`; Infinity: not found. */
function endOf(values: readonly string[], head: string, text: string, from: number): number {
	let end = from;
	for (const [index, value] of values.entries()) {
		const place = `${index === 0 ? head : ""}(${value}`;
		const found = [text.indexOf(place, end), index === 0 ? -1 : text.indexOf(`&${value}`, end)];
		const at = Math.min(...found.filter((one) => one >= 0));
		if (at === Number.POSITIVE_INFINITY) return at;
		end = at + place.length - 1;
	}
	return end;
}

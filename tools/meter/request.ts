/**
 * Parses the messages from a reader to a meter, character by character (IEC 62056-21, 6.3):
 *
 *   sign-on              `/ ? [address] ! CR LF`, or `/ word ! CR LF` for meters with their own form
 *   acknowledgement      `ACK V Z Y CR LF`
 *   hand-over to DLMS    `ACK 2 Z 2 CR LF` (mode E)
 *   programming command  `SOH command STX data ETX BCC`; break: `SOH B 0 ETX q`
 *
 * The first character of a message begins a new message, even if the previous one is incomplete.
 */
import { ACK, CR, ETX, LF, promisedBaud, SOH } from "./telegram.js";

/** Limit of a request's length. The longest sign-on has 37 characters. */
export const REQUEST_LIMIT = 64;

/** Time ta of the standard. A longer gap ends a request. */
export const CHARACTER_GAP_MS = 1500;

export const PENDING = 0;
export const COMPLETE = 1;

const SLASH = 0x2f;
const BREAK = [SOH, 0x42, 0x30, ETX, 0x71];

export class MeterRequest {
	readonly bytes = new Uint8Array(REQUEST_LIMIT);
	length = 0;
	#lastMs = 0;

	clear(): void {
		this.length = 0;
	}

	get isAcknowledge(): boolean {
		return this.length > 0 && this.bytes[0] === ACK;
	}

	/**
	 * Takes a character. Returns COMPLETE at the end of a request, which stays in `bytes[0..length)` until the next
	 * request.
	 */
	take(character: number, nowMs: number): number {
		if (nowMs - this.#lastMs > CHARACTER_GAP_MS) this.length = 0;
		this.#lastMs = nowMs;
		const isCheck = this.length > 1 && this.bytes[0] === SOH && this.bytes[this.length - 1] === ETX;
		if (!isCheck && (character === SLASH || character === ACK || character === SOH)) this.length = 0;
		else if (this.length === 0 || this.length === REQUEST_LIMIT || this.#isEnded) {
			this.length = 0;
			return PENDING;
		}
		this.bytes[this.length++] = character;
		return this.#isEnded ? COMPLETE : PENDING;
	}

	get #isEnded(): boolean {
		const { bytes, length } = this;
		return bytes[0] === SOH ? length > 2 && bytes[length - 2] === ETX : length > 1 && bytes[length - 1] === LF;
	}
}

/**
 * Returns the device address: empty for the general sign-on, or `/word` for a sign-on without `?`. Returns undefined
 * for a request that is not a sign-on.
 */
export function readSignOn(request: MeterRequest): string | undefined {
	const text = Buffer.from(request.bytes.subarray(0, request.length)).toString("latin1");
	const [, address, own] = /^(?:\/\?([0-9A-Za-z ]{0,32})|(\/[0-9A-Za-z #]{1,31}))!\r\n$/.exec(text) ?? [];
	return address ?? own;
}

export function readAcknowledge(request: MeterRequest): { baud: number; isProgramming: boolean } | undefined {
	const [, v, z, y, cr] = request.bytes;
	const baud = promisedBaud(z, "C");
	if (request.length !== 6 || v !== 0x30 || baud === undefined || (y !== 0x30 && y !== 0x31) || cr !== CR)
		return undefined;
	return { baud, isProgramming: y === 0x31 };
}

export function readHandOver(request: MeterRequest): number | undefined {
	const [, v, z, y, cr] = request.bytes;
	if (request.length !== 6 || v !== 0x32 || y !== 0x32 || cr !== CR) return undefined;
	return promisedBaud(z, "C");
}

export function isBreak(request: MeterRequest): boolean {
	return request.length === BREAK.length && BREAK.every((byte, i) => request.bytes[i] === byte);
}

/** Compares addresses without their leading zeros. Addresses that have only zeros are equal (IEC 62056-21, 6.3.14). */
export function sameAddress(a: string, b: string): boolean {
	return a.replace(/^0+/, "") === b.replace(/^0+/, "");
}

/**
 * Reads the last invocation counter that the meter has accepted from this gateway, 0-0:43.1.e.255 (IEC 62056-6-2,
 * 5.3.7). In the code, e is the number of the security setup, mostly 0 or 1. The public client can read the counter in
 * an association without authentication.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { COUNTER_END } from "./cipher.js";
import type { ReadingSink } from "./reading.js";

/** List of the objects to read (poll-list.ts): 0-0:43.1.0.255 and 0-0:43.1.1.255, both class 1, attribute 2. */
const LIST = "\x02\x00\x00\x2b\x01\x00\xff\x01\x02\x00\x00\x2b\x01\x01\xff\x01\x02";

const DIGIT_0 = 0x30;

export function counterList(): Uint8Array {
	return asciiBytes(LIST);
}

export class CounterSink implements ReadingSink {
	/** Highest counter that was read, or -1. The next counter to use must be higher. */
	counter = -1;
	reason = 0;

	beginObject(): void {}

	value(text: Uint8Array, length: number): void {
		let counter = 0;
		for (let i = 0; i < length; i++) {
			const digit = text[i] - DIGIT_0;
			if (digit < 0 || digit > 9) return;
			counter = counter * 10 + digit;
			if (counter >= COUNTER_END) return;
		}
		if (length > 0 && counter > this.counter) this.counter = counter;
	}

	endObject(): void {}

	refused(_position: number, reason: number): void {
		this.reason = reason;
	}
}

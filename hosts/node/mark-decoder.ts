/**
 * Removes the marks that the terminal driver inserts (termios PARMRK). FF 00 X means a character X with a wrong parity
 * or stop bit; FF FF means the character FF. Used for ports that check parity in hardware.
 */
const PLAIN = 0;
const AFTER_FF = 1;
const AFTER_FF_00 = 2;

export class MarkDecoder {
	#state = PLAIN;

	/** Rewrites `bytes` in place and sets bit 7 in damaged characters. `length` is the number of bytes that remain. */
	decode(bytes: Uint8Array): { length: number; damaged: number } {
		let length = 0;
		let damaged = 0;
		for (const byte of bytes) {
			if (this.#state === PLAIN && byte === 0xff) this.#state = AFTER_FF;
			else if (this.#state === AFTER_FF && byte === 0) this.#state = AFTER_FF_00;
			else {
				const marked = this.#state === AFTER_FF_00;
				if (marked) damaged++;
				bytes[length++] = marked ? byte | 0x80 : byte;
				this.#state = PLAIN;
			}
		}
		return { length, damaged };
	}
}

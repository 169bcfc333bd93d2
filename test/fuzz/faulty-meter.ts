/**
 * A meter for tests of the whole reader. It sends a damaged capture either a few times or more often than a reader
 * tries, and after that the undamaged capture.
 */
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type MeterMode, splitTelegram } from "../../tools/meter/telegram.js";
import type { Mutator } from "./mutator.js";
import { split, type Transmission, transmissions } from "./transmissions.js";

export const PUSH_BAUD = 9600;
/** More transmissions than a reader requests, or receives within a minute. */
const TOO_MANY = 100;

/**
 * Captures of at most `lengthLimit` characters. Longer ones would take too long, since each character causes several
 * events on the modelled line.
 */
export function meterTransmissions(lengthLimit: number): Transmission[] {
	return transmissions().filter(({ bytes, wrong }) => bytes.length <= lengthLimit && !wrong);
}

export class FaultyMeter {
	readonly machine: IECMeter;
	readonly transmission: Transmission;
	readonly mode: MeterMode;
	readonly damaged: Uint8Array;
	/** Number of damaged transmissions still to be sent. */
	badOnes = 0;

	/** Sends one of `all`, in one of `modes` unless it is a pushed transmission. */
	constructor(mutator: Mutator, all: readonly Transmission[], modes: readonly MeterMode[]) {
		this.transmission = mutator.pick(all);
		this.mode = this.transmission.pushed ? "D" : mutator.pick(modes);
		const bytes = inMode(this.transmission.bytes, this.mode);
		this.damaged = mutator.mutate(bytes, mutator.pick(all).bytes);
		const good = splitTelegram(bytes);
		const bad = split(this.damaged);
		// IECMeter's constructor calls the source once, so `badOnes` is set after it.
		this.machine = new IECMeter({
			source: () => (this.badOnes-- > 0 ? bad : good),
			mode: this.mode,
			pushBaud: PUSH_BAUD,
		});
		this.badOnes = mutator.random.oneIn(10) ? TOO_MANY : 1 + mutator.random.below(3);
	}
}

/** A meter that sends only this transmission, in mode C, or in mode D if it is pushed. */
export function goodMeter(transmission: Transmission): IECMeter {
	const mode = transmission.pushed ? "D" : "C";
	const telegram = splitTelegram(inMode(transmission.bytes, mode));
	return new IECMeter({ source: () => telegram, mode, pushBaud: PUSH_BAUD });
}

/** The transmission with the mode's speed letter. */
function inMode(bytes: Uint8Array, mode: MeterMode): Uint8Array {
	const copy = bytes.slice();
	if (mode !== "D") copy[splitTelegram(bytes).slash + 4] = { A: 0x21, B: 0x45, C: 0x35 }[mode];
	return copy;
}

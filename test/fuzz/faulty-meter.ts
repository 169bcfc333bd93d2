/**
 * A meter that sends a damaged capture a few times, or for longer than a reader asks, and the good one from then on: for
 * the whole meter reader.
 */
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type MeterMode, splitTelegram } from "../../tools/meter/telegram.js";
import type { Mutator } from "./mutator.js";
import { split, type Transmission, transmissions } from "./transmissions.js";

/** Speed of what is pushed. */
export const PUSH_BAUD = 9600;
/** More damaged ones than a reader asks for, or listens to within a minute. */
const TOO_MANY = 100;

/** Transmissions that such a meter may have, up to so many characters: each is some events of the modelled line. */
export function meterTransmissions(lengthLimit: number): Transmission[] {
	return transmissions().filter(({ bytes, wrong }) => bytes.length <= lengthLimit && !wrong);
}

export class FaultyMeter {
	/** Meter on the line. */
	readonly machine: IECMeter;
	readonly transmission: Transmission;
	readonly mode: MeterMode;
	readonly damaged: Uint8Array;
	/** Damaged ones that are still to be sent. */
	badOnes = 0;

	/** One of `all`; one that is not pushed comes in one of these modes. */
	constructor(mutator: Mutator, all: readonly Transmission[], modes: readonly MeterMode[]) {
		this.transmission = mutator.pick(all);
		this.mode = this.transmission.pushed ? "D" : mutator.pick(modes);
		const bytes = inMode(this.transmission.bytes, this.mode);
		this.damaged = mutator.mutate(bytes, mutator.pick(all).bytes);
		const good = splitTelegram(bytes);
		const bad = split(this.damaged);
		// A meter asks its source once when it is made, before anything is sent.
		this.machine = new IECMeter({
			source: () => (this.badOnes-- > 0 ? bad : good),
			mode: this.mode,
			pushBaud: PUSH_BAUD,
		});
		this.badOnes = mutator.random.oneIn(10) ? TOO_MANY : 1 + mutator.random.below(3);
	}
}

/** A meter of mode C, or D when this is pushed, that sends nothing but this. */
export function goodMeter(transmission: Transmission): IECMeter {
	const mode = transmission.pushed ? "D" : "C";
	const telegram = splitTelegram(inMode(transmission.bytes, mode));
	return new IECMeter({ source: () => telegram, mode, pushBaud: PUSH_BAUD });
}

/** The transmission with the speed letter of the mode. */
function inMode(bytes: Uint8Array, mode: MeterMode): Uint8Array {
	const copy = bytes.slice();
	if (mode !== "D") copy[splitTelegram(bytes).slash + 4] = { A: 0x21, B: 0x45, C: 0x35 }[mode];
	return copy;
}

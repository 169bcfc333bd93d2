/**
 * A meter for the whole reader: it sends a damaged capture, a few times or more often than a reader tries, and then the
 * good one.
 */
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type MeterMode, splitTelegram } from "../../tools/meter/telegram.js";
import type { Mutator } from "./mutator.js";
import { split, type Transmission, transmissions } from "./transmissions.js";

export const PUSH_BAUD = 9600;
/** More than a reader requests, or receives within a minute. */
const TOO_MANY = 100;

/** Captures up to a number of characters, since each character is several events of the modelled line. */
export function meterTransmissions(lengthLimit: number): Transmission[] {
	return transmissions().filter(({ bytes, wrong }) => bytes.length <= lengthLimit && !wrong);
}

export class FaultyMeter {
	readonly machine: IECMeter;
	readonly transmission: Transmission;
	readonly mode: MeterMode;
	readonly damaged: Uint8Array;
	/** Damaged transmissions still to be sent. */
	badOnes = 0;

	/** One of `all`; in one of these modes, unless it is pushed. */
	constructor(mutator: Mutator, all: readonly Transmission[], modes: readonly MeterMode[]) {
		this.transmission = mutator.pick(all);
		this.mode = this.transmission.pushed ? "D" : mutator.pick(modes);
		const bytes = inMode(this.transmission.bytes, this.mode);
		this.damaged = mutator.mutate(bytes, mutator.pick(all).bytes);
		const good = splitTelegram(bytes);
		const bad = split(this.damaged);
		// The constructor asks the source once, before anything is sent.
		this.machine = new IECMeter({
			source: () => (this.badOnes-- > 0 ? bad : good),
			mode: this.mode,
			pushBaud: PUSH_BAUD,
		});
		this.badOnes = mutator.random.oneIn(10) ? TOO_MANY : 1 + mutator.random.below(3);
	}
}

/** A meter of mode C, or D for a pushed one, that sends only this. */
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

/**
 * The attempts of one readout: which speed to agree on, whether another conversation is worth it. For the meter reader.
 *
 * A meter that answers, but whose data do not come or come damaged, gets one speed less, step by step down to 300 Bd:
 * its identification may promise more than it, its head or the line can do. Anything else is tried again as it was.
 */

import { IEC_CHECK_WRONG, IEC_CUT, IEC_NO_BLOCK } from "../iec62056-21/failures.js";
import { BASE_BAUD, baudNumber, baudOf, MODE_C } from "../iec62056-21/ident.js";
import type { MeterSession } from "../iec62056-21/session.js";
import { type Failure, furthest } from "../readout/failure.js";

/** Conversations for one readout: each speed once, and two more. */
const ATTEMPT_LIMIT = 9;
/** Sign-ons that may stay unanswered, and failures at 300 Bd. */
const SAME_SPEED_FAILURES = 3;

export class Attempts {
	/** The highest speed to agree on, Bd: one of the standard's. */
	baudCeiling = BASE_BAUD;
	/** How many there were. */
	count = 0;
	/** The failure of the one that came furthest: it tells more than the last one. */
	furthest: Failure | undefined;
	#failures = 0;

	/** A new readout. `baudMax` is any number of Bd from 300 on. */
	begin(baudMax: number): void {
		this.baudCeiling = baudOf(baudNumber(baudMax));
		this.count = 0;
		this.furthest = undefined;
		this.#failures = 0;
	}

	/** There will be none more. */
	get exhausted(): boolean {
		return this.count >= ATTEMPT_LIMIT;
	}

	/** No further one, whatever comes of the present one. */
	exhaust(): void {
		this.count = ATTEMPT_LIMIT;
	}

	/** This conversation has failed. True when another is worth it, with `baudCeiling` as it is then. */
	failed(machine: MeterSession): boolean {
		const { failure } = machine;
		this.furthest = furthest(this.furthest, failure);
		if (this.exhausted) return false;
		const answered = failure === IEC_NO_BLOCK || failure === IEC_CUT || failure === IEC_CHECK_WRONG;
		const used = Math.min(machine.ident.baud, this.baudCeiling);
		if (answered && machine.mode === MODE_C && used > BASE_BAUD) {
			this.baudCeiling = baudOf(baudNumber(used) - 1);
			return true;
		}
		this.#failures++;
		return this.#failures < SAME_SPEED_FAILURES;
	}
}

/**
 * The attempts of one readout: which speed to agree on, whether another conversation is worth it. For the meter reader.
 *
 * A meter that answers, but whose data do not come or come damaged, gets one speed less, step by step down to 300 Bd:
 * its identification may promise more than it, its head or the line can do. Anything else is tried again as it was.
 */
import { BASE_BAUD, baudNumber, baudOf, MODE_C } from "../iec62056-21/ident.js";
import { type MeterSession, RESULT_CHECK_WRONG, RESULT_NO_BLOCK, RESULT_NONE } from "../iec62056-21/session.js";

/** Conversations for one readout: each speed once, and two more. */
const ATTEMPT_LIMIT = 9;
/** Sign-ons that may stay unanswered, and failures at 300 Bd. */
const SAME_SPEED_FAILURES = 3;

export class Attempts {
	/** The highest speed to agree on, Bd: one of the standard's. */
	baudCeiling = BASE_BAUD;
	/** How many there were. */
	count = 0;
	/** How far the best one came: RESULT_… of failures grow with it, and it tells more than the last one. */
	furthest = RESULT_NONE;
	#failures = 0;

	/** A new readout. `baudMax` is any number of Bd from 300 on. */
	begin(baudMax: number): void {
		this.baudCeiling = baudOf(baudNumber(baudMax));
		this.count = 0;
		this.furthest = RESULT_NONE;
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
		this.furthest = Math.max(this.furthest, machine.result);
		if (this.exhausted) return false;
		const answered = machine.result >= RESULT_NO_BLOCK && machine.result <= RESULT_CHECK_WRONG;
		const used = Math.min(machine.ident.baud, this.baudCeiling);
		if (answered && machine.mode === MODE_C && used > BASE_BAUD) {
			this.baudCeiling = baudOf(baudNumber(used) - 1);
			return true;
		}
		this.#failures++;
		return this.#failures < SAME_SPEED_FAILURES;
	}
}

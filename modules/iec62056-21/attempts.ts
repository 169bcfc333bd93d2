/**
 * The attempts of one readout: which speed to agree on, whether another conversation is worth it, what is remembered.
 *
 * A meter that answers, but whose data do not come or come damaged, gets one speed less, step by step down to 300 Bd:
 * its identification may promise more than it, its head or the line can do. Anything else is tried again as it was. A
 * lower speed that worked is remembered for that meter.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { IEC_CHECK_WRONG, IEC_CUT, IEC_NO_BLOCK } from "./failures.js";
import { BASE_BAUD, baudNumber, baudOf, MODE_C } from "./ident.js";
import type { MeterSession } from "./session.js";

/** Conversations for one readout: each speed once, and two more. */
const ATTEMPT_LIMIT = 9;
/** Sign-ons that may stay unanswered, and failures at 300 Bd. */
const SAME_SPEED_FAILURES = 3;

export interface SpeedSettings {
	/** The highest speed to agree on: any number of Bd from 300 on. */
	readonly baudMax: number;
	/** The remembered lower speed, Bd (0: none), and the identification of the meter it is for. */
	readonly learnedBaud: number;
	readonly learnedFor: Uint8Array;
	/** Remembers a lower speed for a meter, printable ASCII; 0 forgets it. */
	learn(baud: number, meterId: Uint8Array): void;
}

export class Attempts {
	/** The highest speed to agree on, Bd: one of the standard's. */
	baudCeiling: number;
	readonly #settings: SpeedSettings;
	/** Those that are over. */
	#count = 0;
	#failures = 0;

	constructor(settings: SpeedSettings) {
		const { baudMax, learnedBaud } = settings;
		this.#settings = settings;
		this.baudCeiling = baudOf(baudNumber(learnedBaud === 0 ? baudMax : Math.min(learnedBaud, baudMax)));
	}

	/** There will be none more. */
	get exhausted(): boolean {
		return this.#count >= ATTEMPT_LIMIT;
	}

	/** This conversation has failed. True when another is worth it, with `baudCeiling` as it is then. */
	failed(session: MeterSession): boolean {
		this.#count++;
		if (this.exhausted) return false;
		const { failure } = session;
		const answered = failure === IEC_NO_BLOCK || failure === IEC_CUT || failure === IEC_CHECK_WRONG;
		const used = Math.min(session.ident.baud, this.baudCeiling);
		if (answered && session.mode === MODE_C && used > BASE_BAUD) {
			this.baudCeiling = baudOf(baudNumber(used) - 1);
			return true;
		}
		this.#failures++;
		return this.#failures < SAME_SPEED_FAILURES;
	}

	/** Remembers a speed below the settings' own that this meter was read at, or forgets that of another meter. */
	learn(ident: Uint8Array): void {
		const { learnedBaud, baudMax, learnedFor } = this.#settings;
		// Some meters have control characters in their identification, which can't be stored as text.
		const meterId = ident.filter((character) => character >= 0x20 && character < 0x7f);
		const { baudCeiling } = this;
		const lowered = baudCeiling < baudOf(baudNumber(baudMax));
		if (learnedBaud !== 0 && !equalConstantTime(meterId, learnedFor)) this.#settings.learn(0, meterId);
		else if (lowered && baudCeiling !== learnedBaud) this.#settings.learn(baudCeiling, meterId);
	}
}

/**
 * The trial of a new firmware: decides whether it stays. The boot loader starts it once, and the one before at the next
 * start, whatever has ended it, unless it was confirmed by then. For firmware.ts.
 *
 *              looks: all works    looks: something    ten minutes    a restart is asked for:
 *                                  is missing          are over       all works    else
 *   PROVING    PROVEN              -                   FAILED         PROVEN       -: that is the way back
 *   PROVEN     -                   -                   -              -            -
 *   FAILED     -                   -                   -              -            -
 *
 *   PROVEN  the firmware is confirmed    FAILED  it is given up: the one before starts again
 *
 * It looks for the first time after YOUNG_MS, then every LOOK_MS. Who can ask for a restart before has got in, which is what
 * matters; without a confirmation any restart is a way back. Flash that refuses the confirmation is asked again. A fault, the
 * watchdog or a power cut needs no state: the next start is the one before.
 */
import type { Timed } from "../io/machine.js";

export const YOUNG_MS = 60_000;
export const LOOK_MS = 5000;
export const LIMIT_MS = 600_000;

const STATE_PROVING = 0;
const STATE_PROVEN = 1;
const STATE_FAILED = 2;

export interface TrialUser {
	/** What of the firmware does not work, in a word; empty: all works. */
	readonly missing: string;
	/** It stays. Throws when flash refuses. */
	confirm(): void;
	/** The one before is to start again; what was missing at the end. */
	giveUp(missing: string): void;
}

export class Trial implements Timed {
	/** For the driver. */
	deadlineMs: number;
	readonly #user: TrialUser;
	readonly #endMs: number;
	#state = STATE_PROVING;

	/** The firmware has started. */
	constructor(nowMs: number, user: TrialUser) {
		this.#user = user;
		this.deadlineMs = nowMs + YOUNG_MS;
		this.#endMs = nowMs + LIMIT_MS;
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Math.min(nowMs + LOOK_MS, Math.max(nowMs + 1, this.#endMs));
		const { missing } = this.#user;
		if (missing === "") this.confirm();
		else if (nowMs >= this.#endMs) {
			this.enter(STATE_FAILED);
			this.#user.giveUp(missing);
		}
	}

	/** Somebody wants the device to start anew, at once. */
	restarting(): void {
		if (this.#state === STATE_PROVING && this.#user.missing === "") this.confirm();
	}

	private confirm(): void {
		this.#user.confirm();
		this.enter(STATE_PROVEN);
	}

	/** The only way from one state to another. */
	private enter(state: number): void {
		this.#state = state;
		this.deadlineMs = Number.POSITIVE_INFINITY;
	}
}

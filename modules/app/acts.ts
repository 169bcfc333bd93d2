/**
 * What the gateway does a moment after it was asked to, so that the reply to whoever asked has left by then: being found
 * by another name, starting anew. For gateway.ts.
 *
 *              asked for    due
 *   IDLE       ASKED        –
 *   ASKED      ASKED        IDLE; `poll` gives the act
 *
 * Each of the acts is in one of the two; who asks again while it is ASKED gets it at the time that stands.
 */
import type { Timed } from "../io/machine.js";

export const ACT_NONE = 0;
export const ACT_RENAME = 1;
export const ACT_RESTART = 2;

const DELAY_MS = 1500;

export class Acts implements Timed {
	/** When it is due; Infinity: it is IDLE. */
	#renameMs = Number.POSITIVE_INFINITY;
	#restartMs = Number.POSITIVE_INFINITY;

	get deadlineMs(): number {
		return Math.min(this.#renameMs, this.#restartMs);
	}

	askRename(nowMs: number): void {
		if (this.#renameMs === Number.POSITIVE_INFINITY) this.#renameMs = nowMs + DELAY_MS;
	}

	askRestart(nowMs: number): void {
		if (this.#restartMs === Number.POSITIVE_INFINITY) this.#restartMs = nowMs + DELAY_MS;
	}

	/** What is due is found by `poll`. */
	advance(): void {}

	/** ACT_… that is due; ask until it is ACT_NONE. */
	poll(nowMs: number): number {
		if (nowMs >= this.#renameMs) {
			this.#renameMs = Number.POSITIVE_INFINITY;
			return ACT_RENAME;
		}
		if (nowMs >= this.#restartMs) {
			this.#restartMs = Number.POSITIVE_INFINITY;
			return ACT_RESTART;
		}
		return ACT_NONE;
	}
}

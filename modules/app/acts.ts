/**
 * What the gateway does a moment after it was asked to, so that the reply to whoever asked has left by then: being found
 * by another name, starting anew. For gateway.ts.
 *
 *              asked for    DELAY_MS later
 *   IDLE       ASKED        –
 *   ASKED      ASKED        IDLE, and it is done
 *
 * Each of the acts is in one of the two; asked for again while it is ASKED, it is done at the time that stands.
 */
import type { Drive, Driver } from "../io/driver.js";
import type { Timed } from "../io/machine.js";

/** Who does them. */
export interface Actor {
	rename(): void;
	restart(): void;
}

const DELAY_MS = 1500;

export class Acts implements Timed {
	readonly #actor: Actor;
	readonly #drive: Drive;
	/** When it is done; Infinity: it is IDLE. */
	#renameMs = Number.POSITIVE_INFINITY;
	#restartMs = Number.POSITIVE_INFINITY;

	constructor(driver: Driver, actor: Actor) {
		this.#actor = actor;
		this.#drive = driver.drive("gateway", this);
	}

	renameSoon(): void {
		this.#drive.tell((nowMs) => {
			this.#renameMs = Math.min(this.#renameMs, nowMs + DELAY_MS);
		});
	}

	restartSoon(): void {
		this.#drive.tell((nowMs) => {
			this.#restartMs = Math.min(this.#restartMs, nowMs + DELAY_MS);
		});
	}

	/** Nothing that was asked for is done any more. */
	stop(): void {
		this.#drive.stop();
	}

	/** For the driver. */
	get deadlineMs(): number {
		return Math.min(this.#renameMs, this.#restartMs);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		const isRenamed = nowMs >= this.#renameMs;
		const isRestarted = nowMs >= this.#restartMs;
		if (isRenamed) this.#renameMs = Number.POSITIVE_INFINITY;
		if (isRestarted) this.#restartMs = Number.POSITIVE_INFINITY;
		if (isRenamed) this.#actor.rename();
		if (isRestarted) this.#actor.restart();
	}
}

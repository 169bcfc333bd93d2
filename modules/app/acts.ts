/**
 * What the gateway does a moment after it was asked to, so that the reply to whoever asked has left by then: being found
 * and shown under another name, address or time, starting anew. For gateway.ts.
 *
 *              asked for    DELAY_MS later
 *   IDLE       ASKED        –
 *   ASKED      ASKED        IDLE, and it is done
 *
 * Each of the acts is in one of the two; asked for again while it is ASKED, it is done at the time that stands, or sooner.
 * For another address it is done READDRESS_MS after the last time at the earliest: a network that gives another one again
 * and again must not wear the flash.
 */
import type { Drive, Driver } from "../io/driver.js";
import type { Timed } from "../io/machine.js";

/** Carries them out. */
export interface Actor {
	/** Its certificate and its names in the network are to be those of now. */
	refresh(): void;
	restart(): void;
}

const DELAY_MS = 1500;
const READDRESS_MS = 600_000;

export class Acts implements Timed {
	readonly #actor: Actor;
	readonly #drive: Drive;
	/** When it is done; Infinity: it is IDLE. */
	#refreshMs = Number.POSITIVE_INFINITY;
	#restartMs = Number.POSITIVE_INFINITY;
	/** Before this it is not done for an address. */
	#readdressMs = 0;

	constructor(driver: Driver, actor: Actor) {
		this.#actor = actor;
		this.#drive = driver.drive("gateway", this);
	}

	/** The name or the time is another one. */
	refreshSoon(): void {
		this.#drive.tell((nowMs) => this.refreshAt(nowMs + DELAY_MS));
	}

	/** The address is another one. */
	readdressSoon(): void {
		this.#drive.tell((nowMs) => this.refreshAt(Math.max(nowMs + DELAY_MS, this.#readdressMs)));
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
		return Math.min(this.#refreshMs, this.#restartMs);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		const isRefreshed = nowMs >= this.#refreshMs;
		const isRestarted = nowMs >= this.#restartMs;
		if (isRefreshed) {
			this.#refreshMs = Number.POSITIVE_INFINITY;
			this.#readdressMs = nowMs + READDRESS_MS;
		}
		if (isRestarted) this.#restartMs = Number.POSITIVE_INFINITY;
		if (isRefreshed) this.#actor.refresh();
		if (isRestarted) this.#actor.restart();
	}

	private refreshAt(dueMs: number): void {
		this.#refreshMs = Math.min(this.#refreshMs, dueMs);
	}
}

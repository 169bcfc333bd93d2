/**
 * Delayed actions: refreshing certificate and network names, and restarting. The delay lets the reply to the client
 * leave first.
 *
 *              requested    DELAY_MS later
 *   IDLE       ASKED        –
 *   ASKED      ASKED        IDLE, action runs
 *
 * A request in ASKED can only make the action run earlier. No refresh runs while a restart is due: the start refreshes
 * everything, and a factory reset has erased the settings. A refresh for a new address runs at least READDRESS_MS after
 * the last one, to reduce wear of the flash.
 */
import type { Driver, Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";

export interface ActionTarget {
	refresh(): void;
	restart(): void;
}

const DELAY_MS = 1500;
const READDRESS_MS = 600_000;

export class DelayedActions implements Timed {
	readonly #actor: ActionTarget;
	readonly #task: Task;
	#refreshMs = Number.POSITIVE_INFINITY;
	#restartMs = Number.POSITIVE_INFINITY;
	#readdressMs = 0;

	constructor(driver: Driver, actor: ActionTarget) {
		this.#actor = actor;
		this.#task = driver.register("gateway", this);
	}

	refreshSoon(): void {
		this.#task.update((nowMs) => this.refreshAt(nowMs + DELAY_MS));
	}

	readdressSoon(): void {
		this.#task.update((nowMs) => this.refreshAt(Math.max(nowMs + DELAY_MS, this.#readdressMs)));
	}

	restartSoon(): void {
		this.#task.update((nowMs) => {
			this.#restartMs = Math.min(this.#restartMs, nowMs + DELAY_MS);
			this.#refreshMs = Number.POSITIVE_INFINITY;
		});
	}

	stop(): void {
		this.#task.stop();
	}

	get deadlineMs(): number {
		return Math.min(this.#refreshMs, this.#restartMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#refreshMs) {
			this.#refreshMs = Number.POSITIVE_INFINITY;
			this.#readdressMs = nowMs + READDRESS_MS;
			this.#actor.refresh();
		}
		if (nowMs >= this.#restartMs) {
			this.#restartMs = Number.POSITIVE_INFINITY;
			this.#actor.restart();
		}
	}

	private refreshAt(dueMs: number): void {
		if (this.#restartMs === Number.POSITIVE_INFINITY) this.#refreshMs = Math.min(this.#refreshMs, dueMs);
	}
}

/**
 * Delayed actions: a refresh of the certificate and the network names, and a restart of the device. During the delay,
 * the reply to the client who caused the action is sent. The network services are updated in the next tick, because
 * they are requested from deeply nested calls.
 *
 *              requested    DELAY_MS later
 *   IDLE       ASKED        –
 *   ASKED      ASKED        IDLE, action runs
 *
 * A request in ASKED can make the action run earlier, but not later. No refresh runs while a restart is pending,
 * because the start refreshes everything, and because a factory reset may have erased the settings. A refresh because
 * of a new address runs at least READDRESS_MS after the last refresh, to reduce wear of the flash.
 */
import type { Driver, Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";

export interface ActionTarget {
	refresh(): void;
	updateServices(): void;
	restart(): void;
}

const DELAY_MS = 1500;
const READDRESS_MS = 600_000;

export class DelayedActions implements Timed {
	readonly #actor: ActionTarget;
	readonly #task: Task;
	#refreshMs = Number.POSITIVE_INFINITY;
	#servicesMs = Number.POSITIVE_INFINITY;
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

	updateServicesSoon(): void {
		this.#task.update((nowMs) => {
			this.#servicesMs = nowMs;
		});
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
		return Math.min(this.#refreshMs, this.#servicesMs, this.#restartMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#refreshMs) {
			this.#refreshMs = Number.POSITIVE_INFINITY;
			this.#readdressMs = nowMs + READDRESS_MS;
			this.#actor.refresh();
		}
		if (nowMs >= this.#servicesMs) {
			this.#servicesMs = Number.POSITIVE_INFINITY;
			this.#actor.updateServices();
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

/**
 * Installs security updates by itself while the owner permits it: newer firmware of a higher security level, at night,
 * SECURITY_UPDATE_HOURS after the daily check (notice.ts) has found it. It starts the same download as a person would;
 * an attempt that fails is repeated an hour later, and in the following nights.
 *
 * The hour of an attempt is the local one; its minute is that of the start, at random, so that not all gateways of a
 * maker ask at once.
 */

import type { Core } from "../core/core.js";
import type { ScheduledMachine, Task } from "../io/driver.js";
import { isOnBattery } from "../power/supply.js";
import { SECURITY_UPDATE_HOURS } from "../product.js";
import { localMinutesAt } from "../time/wall-clock.js";
import { SECURITY_UPDATES_ENABLED, UPGRADE_FOUND_SECURITY } from "./security-fields.js";

const HOUR_MS = 3_600_000;
const HOUR_S = 3600;
/** Local hours of an attempt: from 2:00 to before 5:00. */
const FIRST_HOUR = 2;
const LAST_HOUR = 4;

export class SecurityUpdates implements ScheduledMachine {
	readonly #core: Core;
	readonly #install: () => void;
	readonly #task: Task;
	deadlineMs: number;

	/** Returns undefined unless the owner permits it. `install`: starts the download. */
	static open(core: Core, install: () => void): SecurityUpdates | undefined {
		return core.config.get(SECURITY_UPDATES_ENABLED) ? new SecurityUpdates(core, install) : undefined;
	}

	private constructor(core: Core, install: () => void) {
		this.#core = core;
		this.#install = install;
		this.deadlineMs = core.driver.nowMs() + (HOUR_MS * core.crypto.random(1)[0]) / 256;
		this.#task = core.driver.register("security", this);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = nowMs + HOUR_MS;
		const { clock, config, host, zone } = this.#core;
		const utcMs = clock.utcMs();
		const foundS = config.get(UPGRADE_FOUND_SECURITY);
		if (foundS === 0 || utcMs === undefined || isOnBattery(host.power)) return;
		const hour = Math.floor(localMinutesAt(zone, utcMs) / 60) % 24;
		const isDue = utcMs / 1000 - foundS >= SECURITY_UPDATE_HOURS * HOUR_S;
		if (isDue && hour >= FIRST_HOUR && hour <= LAST_HOUR) this.#install();
	}

	stop(): void {
		this.#task.stop();
	}
}

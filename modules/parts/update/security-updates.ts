/**
 * Installs security updates automatically, if the owner permits it. A security update is newer firmware with a higher
 * security level. It is installed at night, at least SECURITY_UPDATE_HOURS after the daily check (notice.ts) has found
 * it. The download is the same as one that a user starts. A failed attempt is repeated an hour later, and in the
 * following nights.
 *
 * Attempts are made in local hours. Their minute is chosen at random at each start, so that a maker's gateways do not
 * all send requests at the same time.
 */

import type { Core } from "../../core/core.js";
import type { ScheduledMachine, Task } from "../../io/driver.js";
import { isOnBattery } from "../../power/supply.js";
import { SECURITY_UPDATE_HOURS } from "../../product/product.js";
import { localMinutesAt } from "../../time/wall-clock.js";
import { SECURITY_UPDATES_ENABLED, UPGRADE_FOUND_SECURITY } from "./fields.js";

const HOUR_MS = 3_600_000;
const HOUR_S = 3600;
/** Local hours in which attempts are made: from 2:00 to before 5:00. */
const FIRST_HOUR = 2;
const LAST_HOUR = 4;

export class SecurityUpdates implements ScheduledMachine {
	readonly #core: Core;
	readonly #install: () => void;
	readonly #task: Task;
	deadlineMs: number;

	/** Returns undefined unless the owner permits security updates. `install` starts the download. */
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

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
 * It looks for the first time after YOUNG_MS, then every LOOK_MS. A client that can request a restart before
 * that has reached the device, which is proof enough; without a confirmation any restart goes back. Flash that refuses the confirmation is asked again. A fault, the
 * watchdog or a power cut needs no state: the next start is the one before.
 */

import { DIGEST_LENGTH } from "../auth/account.js";
import { ACCESS_DIGEST, ACCESS_SALT } from "../auth/fields.js";
import type { ConfigStore } from "../config/store.js";
import type { EventLog } from "../diagnostics/event-log.js";
import type { Update } from "../io/flash.js";
import type { HostInfo } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import type { NetworkManager } from "../wifi/manager.js";
import type { NetworkSettings } from "../wifi/settings.js";
import { EVENT_UPDATE_CONFIRMED, EVENT_UPDATE_FAILED } from "./log-events.js";

export const YOUNG_MS = 60_000;
export const LOOK_MS = 5000;
export const LIMIT_MS = 600_000;

const STATE_PROVING = 0;
const STATE_PROVEN = 1;
const STATE_FAILED = 2;

/** Settings without which nobody gets in: what of the others can't be read may have been so before. */
const NEEDED_ENTRIES: readonly string[] = Object.freeze(["access", "wifi", "network", "together"]);

export interface TrialHost {
	readonly update: Pick<Update, "confirm" | "rollBack">;
	readonly info: Pick<HostInfo, "firmwareVersion">;
}

export interface TrialParts {
	readonly config: Pick<ConfigStore, "get" | "damaged">;
	readonly events: Pick<EventLog, "note">;
	/** The port that is listened on; 0: there is none. */
	readonly serving: { readonly httpPort: number };
	readonly networkSettings: Pick<NetworkSettings, "wifiEnabled" | "station" | "accessPointEnabled">;
	/** Undefined where there is no radio. */
	readonly network: Pick<NetworkManager, "address" | "cable" | "accessPointOn" | "clients"> | undefined;
}

export class Trial implements Timed {
	/** For the driver. */
	deadlineMs: number;
	readonly #host: TrialHost;
	readonly #parts: TrialParts;
	readonly #endMs: number;
	#state = STATE_PROVING;

	/** The firmware has started. */
	constructor(host: TrialHost, parts: TrialParts, nowMs: number) {
		this.#host = host;
		this.#parts = parts;
		this.deadlineMs = nowMs + YOUNG_MS;
		this.#endMs = nowMs + LIMIT_MS;
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Math.min(nowMs + LOOK_MS, Math.max(nowMs + 1, this.#endMs));
		const missing = this.prove();
		if (missing === "" || nowMs < this.#endMs) return;
		this.enter(STATE_FAILED);
		this.#parts.events.note(EVENT_UPDATE_FAILED, missing);
		this.#host.update.rollBack();
	}

	/** Confirms it if all works. What does not, in a word; empty: it is confirmed, or given up. */
	prove(): string {
		if (this.#state !== STATE_PROVING) return "";
		const missing = this.missing;
		if (missing !== "") return missing;
		const { update, info } = this.#host;
		update.confirm();
		this.enter(STATE_PROVEN);
		this.#parts.events.note(EVENT_UPDATE_CONFIRMED, info.firmwareVersion);
		return "";
	}

	/**
	 * A network that is configured has to give its address, and so has a cable that was in, if Wi-Fi does not. An access point
	 * that only helps, since the network gives none, counts once somebody has joined it. Where nothing is configured there is
	 * the access point. Where Wi-Fi is off nothing of it can be seen.
	 */
	private get missing(): string {
		const { config, serving, network, networkSettings } = this.#parts;
		const { wifiEnabled, station, accessPointEnabled } = networkSettings;
		if (config.damaged.some((key) => NEEDED_ENTRIES.includes(key))) return "settings";
		if (config.get(ACCESS_SALT) === "" || config.get(ACCESS_DIGEST).length !== DIGEST_LENGTH) return "login";
		if (serving.httpPort === 0) return "server";
		if (network === undefined || network.address !== undefined) return "";
		if (network.cable?.isUsed) return "network";
		if (!wifiEnabled) return "";
		const isHelp = station !== undefined && !accessPointEnabled;
		return network.accessPointOn && (!isHelp || network.clients > 0) ? "" : "network";
	}

	/** The only way from one state to another. */
	private enter(state: number): void {
		this.#state = state;
		this.deadlineMs = Number.POSITIVE_INFINITY;
	}
}

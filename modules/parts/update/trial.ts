/**
 * Trial of a new firmware. The boot loader starts the new firmware one time. Unless it is confirmed, the next start
 * runs the previous firmware.
 *
 *                check: all works    check: something    ten minutes    restart requested:
 *                                    is missing          over           all works    otherwise
 *     PROVING    PROVEN              -                   FAILED         PROVEN       -: falls back
 *     PROVEN     -                   -                   -              -            -
 *     FAILED     -                   -                   -              -            -
 *
 *     PROVEN  the firmware is confirmed    FAILED  the firmware is rejected, and the previous one starts
 *
 * The first check is made after YOUNG_MS, further ones every LOOK_MS. If a client requests a restart before the first
 * check, the client has reached the device, which proves that the firmware works. If the confirmation fails because of
 * a flash error, the next check repeats it.
 */

import { DIGEST_LENGTH } from "../../auth/account.js";
import type { ConfigStore } from "../../config/store.js";
import type { EventLog } from "../../diagnostics/event-log.js";
import type { Update } from "../../io/flash.js";
import type { HostInfo } from "../../io/host.js";
import type { Timed } from "../../io/machine.js";
import type { NetworkManager } from "../../network/manager.js";
import { EVENT_UPDATE_CONFIRMED, EVENT_UPDATE_FAILED } from "../../update/log-events.js";
import { ACCESS_DIGEST, ACCESS_SALT } from "../auth/fields.js";
import type { NetworkSettings } from "../network/settings.js";

export const YOUNG_MS = 60_000;
export const LOOK_MS = 5000;
export const LIMIT_MS = 600_000;

const STATE_PROVING = 0;
const STATE_PROVEN = 1;
const STATE_FAILED = 2;

/**
 * Entries without which nobody can reach the device. Damage to other entries is ignored, because they may have been
 * damaged before the update.
 */
const NEEDED_ENTRIES: readonly string[] = Object.freeze(["access", "wifi", "network", "together"]);

export interface TrialHost {
	readonly update: Pick<Update, "confirm" | "rollBack">;
	readonly info: Pick<HostInfo, "firmwareVersion">;
}

export interface TrialParts {
	readonly config: Pick<ConfigStore, "get" | "damaged">;
	readonly events: Pick<EventLog, "note">;
	/** `httpPort` is the port of the server; 0 if the server is not listening. */
	readonly serving: { readonly httpPort: number };
	readonly networkSettings: Pick<NetworkSettings, "wifiEnabled" | "station" | "accessPointEnabled">;
	/** Network of a board with a radio; undefined on other boards. */
	readonly network: Pick<NetworkManager, "address" | "cable" | "accessPointOn" | "clients"> | undefined;
}

export class Trial implements Timed {
	deadlineMs: number;
	readonly #host: TrialHost;
	readonly #parts: TrialParts;
	readonly #endMs: number;
	#state = STATE_PROVING;

	constructor(host: TrialHost, parts: TrialParts, nowMs: number) {
		this.#host = host;
		this.#parts = parts;
		this.deadlineMs = nowMs + YOUNG_MS;
		this.#endMs = nowMs + LIMIT_MS;
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = nowMs < this.#endMs ? Math.min(nowMs + LOOK_MS, this.#endMs) : nowMs + LOOK_MS;
		const missing = this.prove();
		if (missing === "" || nowMs < this.#endMs) return;
		this.enter(STATE_FAILED);
		this.#parts.events.note(EVENT_UPDATE_FAILED, missing);
		this.#host.update.rollBack();
	}

	/**
	 * Checks the firmware, and confirms it if nothing is missing. Returns the failed check; "" if there is none, or if
	 * the trial is over.
	 */
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
	 * Name of the first failed check; "" if there is none. If a network is configured, it must have an address or a
	 * connected cable. The access point is sufficient too: without a configured network always, otherwise only if a
	 * client has joined it. If Wi-Fi is off and no cable is connected, the network is not checked.
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

	private enter(state: number): void {
		this.#state = state;
		this.deadlineMs = Number.POSITIVE_INFINITY;
	}
}

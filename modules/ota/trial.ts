/**
 * Trial of a new firmware. The boot loader starts it once; unless it is confirmed, the next start runs the previous
 * firmware.
 *
 *                check: all works    check: something    ten minutes    restart requested:
 *                                    is missing          over           all works    otherwise
 *     PROVING    PROVEN              -                   FAILED         PROVEN       -: falls back
 *     PROVEN     -                   -                   -              -            -
 *     FAILED     -                   -                   -              -            -
 *
 *     PROVEN  the firmware is confirmed    FAILED  it is rejected: the previous one starts again
 *
 * The first check is made after YOUNG_MS, further ones every LOOK_MS. If a client requests a restart before the first
 * check, it has reached the device, which is sufficient proof. If the flash refuses the confirmation, the next check
 * repeats it.
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

/** The device is unreachable without these entries. Others may have been damaged before the update. */
const NEEDED_ENTRIES: readonly string[] = Object.freeze(["access", "wifi", "network", "together"]);

export interface TrialHost {
	readonly update: Pick<Update, "confirm" | "rollBack">;
	readonly info: Pick<HostInfo, "firmwareVersion">;
}

export interface TrialParts {
	readonly config: Pick<ConfigStore, "get" | "damaged">;
	readonly events: Pick<EventLog, "note">;
	/** Port of the server; 0 while the server is not listening. */
	readonly serving: { readonly httpPort: number };
	readonly networkSettings: Pick<NetworkSettings, "wifiEnabled" | "station" | "accessPointEnabled">;
	/** Network of a board with a radio; otherwise undefined. */
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

	/** Returns the failed check; "" if the firmware is confirmed or rejected. */
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
	 * The first failed check, or "". A configured network must have an address, or a connected cable. A fallback access
	 * point counts once a client has joined it; without a configured network it always suffices. With Wi-Fi off and no
	 * cable, the network is not checked.
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

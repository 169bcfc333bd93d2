/** The running firmware, and the one that may take its place: its trial, the way back, the next update. For gateway.ts. */
import { DIGEST_LENGTH } from "../auth/account.js";
import { ACCESS_DIGEST, ACCESS_SALT } from "../config/access-fields.js";
import type { NetworkSettings } from "../config/network.js";
import type { ConfigStore } from "../config/store.js";
import type { EventLog } from "../diagnostics/event-log.js";
import { EVENT_UPDATE_CONFIRMED, EVENT_UPDATE_FAILED, EVENT_UPDATE_ROLLED_BACK } from "../diagnostics/events.js";
import type { Drive } from "../io/driver.js";
import { FIRMWARE_ON_TRIAL, type Update } from "../io/flash.js";
import type { Host, Storage } from "../io/host.js";
import { Updater, type UpdaterParts, type UpdaterWorld } from "../ota/updater.js";
import type { NetworkManager } from "../wifi/manager.js";
import type { Serving } from "./serving.js";
import { Trial, type TrialUser } from "./trial.js";

/** In the storage while the other slot holds a firmware that was given up, which was noted then. */
const NOTED_KEY = "rolled_back";
/** Settings without which nobody gets in: what of the others can't be read may have been so before. */
const KEYS_OF_ENTRY: readonly string[] = Object.freeze(["access", "wifi", "network", "together"]);

export interface FirmwareWorld extends UpdaterWorld {
	readonly storage: Storage;
}

export interface FirmwareParts extends UpdaterParts {
	readonly config: Pick<ConfigStore, "get" | "damaged">;
	readonly events: EventLog;
	readonly serving: Pick<Serving, "httpPort">;
	readonly networkSettings: Pick<NetworkSettings, "wifiEnabled" | "station" | "accessPointEnabled">;
	/** Undefined where there is no radio. */
	readonly network: Pick<NetworkManager, "station" | "accessPointOn" | "clients"> | undefined;
}

export class Firmware implements TrialUser {
	readonly updater: Updater;
	readonly #version: string;
	readonly #update: Update;
	readonly #parts: FirmwareParts;
	#trial: Trial | undefined;
	#drive: Drive | undefined;

	private constructor(host: Host & { update: Update }, world: FirmwareWorld, parts: FirmwareParts) {
		const { driver, storage } = world;
		const { update, info } = host;
		this.updater = new Updater(host, world, parts);
		this.#version = info.firmwareVersion;
		this.#update = update;
		this.#parts = parts;
		if (this.isOnTrial) {
			this.#trial = new Trial(driver.nowMs(), this);
			this.#drive = driver.drive("trial", this.#trial);
		}
		const { givenUp } = update;
		const isNoted = storage.get(NOTED_KEY) !== undefined;
		if (isNoted === (givenUp !== "")) return;
		if (isNoted) storage.delete(NOTED_KEY);
		else {
			parts.events.note(EVENT_UPDATE_ROLLED_BACK, givenUp);
			storage.set(NOTED_KEY, new Uint8Array(0));
		}
	}

	/** Undefined where there is no second place for firmware. */
	static open(host: Host, world: FirmwareWorld, parts: FirmwareParts): Firmware | undefined {
		return hasUpdate(host) ? new Firmware(host, world, parts) : undefined;
	}

	get isOnTrial(): boolean {
		return this.#update.state === FIRMWARE_ON_TRIAL;
	}

	/** The device is about to start anew since somebody wants that. */
	restarting(): void {
		this.#drive?.tell(() => this.#trial?.restarting());
	}

	stop(): void {
		this.#drive?.stop();
		this.updater.stop();
	}

	/** For Trial. */
	get missing(): string {
		const { config, serving } = this.#parts;
		if (config.damaged.some((key) => KEYS_OF_ENTRY.includes(key))) return "settings";
		if (config.get(ACCESS_SALT) === "" || config.get(ACCESS_DIGEST).length !== DIGEST_LENGTH) return "login";
		if (serving.httpPort === 0) return "server";
		return this.hasNetwork ? "" : "network";
	}

	/** For Trial. */
	confirm(): void {
		this.#update.confirm();
		this.#parts.events.note(EVENT_UPDATE_CONFIRMED, this.#version);
	}

	/** For Trial. */
	giveUp(missing: string): void {
		this.#parts.events.note(EVENT_UPDATE_FAILED, missing);
		this.#update.rollBack();
	}

	/**
	 * The network that is configured has given its address; an access point that only helps, since that is not so, counts
	 * once somebody has joined it. Without a network there is the access point. Where Wi-Fi is off nothing of it can be seen.
	 */
	private get hasNetwork(): boolean {
		const { network, networkSettings } = this.#parts;
		if (network === undefined || !networkSettings.wifiEnabled || network.station !== undefined) return true;
		const isHelp = networkSettings.station !== undefined && !networkSettings.accessPointEnabled;
		return network.accessPointOn && (!isHelp || network.clients > 0);
	}
}

function hasUpdate(host: Host): host is Host & { update: Update } {
	return host.update !== undefined;
}

/** The running firmware, and the one that may take its place: its trial, the way back, the next update. For gateway.ts. */
import { EVENT_UPDATE_ROLLED_BACK } from "../diagnostics/events.js";
import type { Drive } from "../io/driver.js";
import { FIRMWARE_ON_TRIAL, type Update } from "../io/flash.js";
import type { Host, Storage } from "../io/host.js";
import { Updater, type UpdaterParts, type UpdaterWorld } from "./updater.js";
import { Trial, type TrialParts } from "./trial.js";

/** In the storage while the other slot holds a firmware that was given up, which was noted then. */
const NOTED_KEY = "rolled_back";

export interface FirmwareWorld extends UpdaterWorld {
	readonly storage: Storage;
}

export class Firmware {
	readonly updater: Updater;
	readonly #update: Update;
	/** Both are there in a start on trial. */
	#trial: Trial | undefined;
	#drive: Drive | undefined;

	private constructor(host: Host & { update: Update }, world: FirmwareWorld, parts: TrialParts & UpdaterParts) {
		const { driver, storage } = world;
		const { update } = host;
		this.updater = new Updater(host, world, parts);
		this.#update = update;
		if (this.isOnTrial) {
			this.#trial = new Trial(host, parts, driver.nowMs());
			this.#drive = driver.drive("trial", this.#trial);
		}
		try {
			const { givenUp } = update;
			const isNoted = storage.get(NOTED_KEY) !== undefined;
			if (isNoted === (givenUp !== "")) return;
			if (!isNoted) parts.events.note(EVENT_UPDATE_ROLLED_BACK, givenUp);
			if (isNoted) storage.delete(NOTED_KEY);
			else storage.set(NOTED_KEY, new Uint8Array(0));
		} catch {
			// A start needs no write: it is noted at the next one again.
		}
	}

	/** Undefined where there is no second place for firmware. */
	static open(host: Host, world: FirmwareWorld, parts: TrialParts & UpdaterParts): Firmware | undefined {
		return hasUpdate(host) ? new Firmware(host, world, parts) : undefined;
	}

	get isOnTrial(): boolean {
		return this.#update.state === FIRMWARE_ON_TRIAL;
	}

	/** The device is about to start anew since somebody wants that. */
	restarting(): void {
		this.#drive?.tell(() => this.#trial?.prove());
	}

	stop(): void {
		this.#drive?.stop();
		this.updater.stop();
	}
}

function hasUpdate(host: Host): host is Host & { update: Update } {
	return host.update !== undefined;
}

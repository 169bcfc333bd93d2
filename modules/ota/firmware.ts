/** Trial of a new firmware, fallback, updates, and the daily check. */
import type { Core, Running } from "../core/core.js";
import type { Task } from "../io/driver.js";
import { FIRMWARE_ON_TRIAL, type Update } from "../io/flash.js";
import type { Host } from "../io/host.js";
import { NETWORK } from "../wifi/part.js";
import { EVENT_UPDATE_ROLLED_BACK } from "./log-events.js";
import { UpgradeNotice } from "./notice.js";
import { Trial } from "./trial.js";
import { Updater } from "./updater.js";

/** This key is stored once the fallback from the other slot's firmware has been logged. */
const NOTED_KEY = "rolled_back";

export class Firmware implements Running {
	readonly updater: Updater;
	/** Check for newer firmware; undefined in safe mode and without updates. */
	readonly notice: UpgradeNotice | undefined;
	readonly #update: Update;
	/** Defined only while the firmware is on trial. */
	#trial: Trial | undefined;
	#task: Task | undefined;

	private constructor(core: Core, host: Host & { update: Update }) {
		const { config, crypto, driver, events, info, ledger, live, storage, trace, tlsPermit } = core;
		const { update } = host;
		const restartSoon = () => core.restartSoon();
		const deps = { crypto, driver, info, storage, trace };
		this.updater = new Updater(host, deps, { events, ledger, live, restartSoon, tlsPermit });
		this.#update = update;
		const { manager, settings } = core.find(NETWORK);
		const { tlsClient } = host.network;
		if (core.safeMode === "" && tlsClient !== undefined && update.keys.length > 0) {
			const { clock, text } = core;
			const given = { clock, config, crypto, driver, events, info, ledger, live, power: host.power, text, tlsPermit };
			this.notice = new UpgradeNotice({ ...given, radio: manager }, tlsClient, update);
		}
		if (this.staysAwake) {
			const parts = { config, events, networkSettings: settings, network: manager, serving: core };
			this.#trial = new Trial(host, parts, driver.nowMs());
			this.#task = driver.register("trial", this.#trial);
		}
		try {
			const { givenUp } = update;
			const isNoted = storage.get(NOTED_KEY) !== undefined;
			if (isNoted === (givenUp !== "")) return;
			if (!isNoted) events.note(EVENT_UPDATE_ROLLED_BACK, givenUp);
			if (isNoted) storage.delete(NOTED_KEY);
			else storage.set(NOTED_KEY, new Uint8Array(0));
		} catch {
			// The start must not fail because of this; the next start logs again.
		}
	}

	/** Returns undefined if the host has no second OTA slot. */
	static open(core: Core): Firmware | undefined {
		return hasUpdate(core.host) ? new Firmware(core, core.host) : undefined;
	}

	/** On trial the firmware must prove that it reaches its network, and a sleep would end in a restart before that. */
	get staysAwake(): boolean {
		return this.#update.state === FIRMWARE_ON_TRIAL;
	}

	/** Tries to confirm the firmware before a restart. */
	restarting(): void {
		this.#task?.update(() => this.#trial?.prove());
	}

	stop(): void {
		this.notice?.stop();
		this.#task?.stop();
		this.updater.stop();
	}
}

function hasUpdate(host: Host): host is Host & { update: Update } {
	return host.update !== undefined;
}

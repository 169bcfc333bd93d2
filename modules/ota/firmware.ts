/** The running firmware, and the one that may take its place: its trial, the way back, the next update. */
import type { Core, Running } from "../core/core.js";
import type { Task } from "../io/driver.js";
import { FIRMWARE_ON_TRIAL, type Update } from "../io/flash.js";
import type { Host } from "../io/host.js";
import { NETWORK } from "../wifi/part.js";
import { EVENT_UPDATE_ROLLED_BACK } from "./log-events.js";
import { UpgradeNotice } from "./notice.js";
import { Trial } from "./trial.js";
import { Updater } from "./updater.js";

/** In the storage while the other slot holds a firmware that was given up, which was noted then. */
const NOTED_KEY = "rolled_back";

export class Firmware implements Running {
	readonly updater: Updater;
	/** Looks whether there is a newer one; undefined where no update could be taken, and in safe mode. */
	readonly notice: UpgradeNotice | undefined;
	readonly #update: Update;
	/** Both are there in a start on trial. */
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
			// A start needs no write: it is noted at the next one again.
		}
	}

	/** Undefined where there is no second place for firmware. */
	static open(core: Core): Firmware | undefined {
		return hasUpdate(core.host) ? new Firmware(core, core.host) : undefined;
	}

	/** It is on trial: it has to show that it gets into its network, and a wake would be a start before that. */
	get staysAwake(): boolean {
		return this.#update.state === FIRMWARE_ON_TRIAL;
	}

	/** The device is about to start anew since somebody wants that. */
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

/** Firmware of the device: trial of a new firmware, roll-back, updates, and the daily check. */
import { BUSY, NO_UPGRADE, UNSUPPORTED } from "../../api/errors.js";
import type { Core, Running } from "../../core/core.js";
import { type FileURL, parseFileURL } from "../../http/url.js";
import type { Task } from "../../io/driver.js";
import { FIRMWARE_ON_TRIAL, type Update } from "../../io/flash.js";
import type { Host } from "../../io/host.js";
import { Download, type DownloadServer } from "../../update/download.js";
import { EVENT_UPDATE_ROLLED_BACK } from "../../update/log-events.js";
import type { PieceUpload } from "../../update/piece-upload.js";
import { Updater } from "../../update/updater.js";
import { NETWORK } from "../network/part.js";
import { UpgradeNotice } from "./notice.js";
import { SecurityUpdates } from "./security-updates.js";
import { Trial } from "./trial.js";
import { upgradeURLOf, upgradeVersionOf } from "./upgrade.js";

/** Key in storage, which is present after the roll-back of the other slot's firmware was logged. */
const NOTED_KEY = "rolled_back";

export class Firmware implements Running {
	readonly updater: Updater;
	/** Check for newer firmware; undefined in safe mode, and if this build accepts no updates. */
	readonly notice: UpgradeNotice | undefined;
	readonly #core: Core;
	readonly #update: Update;
	upload: PieceUpload | undefined;
	#security: SecurityUpdates | undefined;
	#download: Download | undefined;
	#trial: Trial | undefined;
	#task: Task | undefined;

	private constructor(core: Core, host: Host & { update: Update }) {
		const { config, crypto, driver, events, info, ledger, storage, trace, tlsPermit } = core;
		const { update } = host;
		this.#core = core;
		const restartSoon = () => core.restartSoon();
		const deps = { crypto, driver, info, storage, trace };
		this.updater = new Updater(host, deps, { events, ledger, live: this, restartSoon, tlsPermit });
		this.#update = update;
		const { manager, settings } = core.find(NETWORK);
		const { tlsClient } = host.network;
		if (core.safeMode === "" && tlsClient !== undefined && update.keys.length > 0) {
			const { clock, text } = core;
			const given = {
				clock,
				config,
				crypto,
				driver,
				events,
				info,
				ledger,
				live: this,
				power: host.power,
				text,
				tlsPermit,
			};
			this.notice = new UpgradeNotice({ ...given, radio: manager }, tlsClient, update);
			this.watch();
		}
		if (this.staysAwake) {
			const parts = { config, events, networkSettings: settings, network: manager, serving: core };
			this.#trial = new Trial(host, parts, driver.nowMs());
			this.#task = driver.register("trial", this.#trial);
		}
		// A flash error must not prevent the start. At the next start, this is tried again.
		driver.guard("ota", () => {
			const { givenUp } = update;
			const isNoted = storage.get(NOTED_KEY) !== undefined;
			if (isNoted === (givenUp !== "")) return;
			if (!isNoted) events.note(EVENT_UPDATE_ROLLED_BACK, givenUp);
			if (isNoted) storage.delete(NOTED_KEY);
			else storage.set(NOTED_KEY, new Uint8Array(0));
		});
	}

	/** Creates the part's instance; returns undefined if the host has no second OTA slot. */
	static open(core: Core): Firmware | undefined {
		return hasUpdate(core.host) ? new Firmware(core, core.host) : undefined;
	}

	/** Applies changed settings. */
	settingsChanged(): void {
		this.notice?.settingsChanged();
		this.watch();
	}

	private watch(): void {
		this.#security?.stop();
		if (this.notice !== undefined) this.#security = SecurityUpdates.open(this.#core, () => void this.install());
	}

	changed(): void {
		this.#core.live.changed();
		this.#core.updateChanged();
	}

	/**
	 * Starts the installation of the version that the check has found. Returns "", or an error code of the API if the
	 * installation can't start.
	 */
	install(): string {
		const { config, info } = this.#core;
		if (this.notice === undefined) return UNSUPPORTED;
		const file = upgradeVersionOf(config, info) === "" ? undefined : parseFileURL(upgradeURLOf(config, info));
		return file === undefined ? NO_UPGRADE : this.download(file, undefined, undefined);
	}

	/**
	 * Starts the installation of a file. `server` has the same meaning as in Download. Returns "", or an error code of
	 * the API. `over` is called at the end, as described in DownloadDeps.
	 */
	download(file: FileURL, server: DownloadServer | undefined, over: ((version: string) => void) | undefined): string {
		const { driver, host, ledger, text, tlsPermit } = this.#core;
		const port = host.network.tlsClient;
		if (port === undefined) return UNSUPPORTED;
		if (this.#download !== undefined || this.updater.state !== "idle") return BUSY;
		const { updater } = this;
		updater.failure = "";
		const end = (version: string) => {
			this.#download = undefined;
			this.changed();
			over?.(version);
		};
		this.#download = new Download({ driver, ledger, text, tlsPermit, port, updater, over: end }, file, server);
		this.changed();
		return "";
	}

	stopDownload(): void {
		this.#download?.stop();
	}

	get state(): string {
		const { state } = this.updater;
		return this.#download !== undefined && state === "idle" ? "receiving" : state;
	}

	get latest(): string {
		const { config, info } = this.#core;
		return upgradeVersionOf(config, info) || info.firmwareVersion;
	}

	/** Progress of the installation in per cent, -1 if unknown; undefined if no installation is in progress. */
	get progress(): number | undefined {
		const { isBusy, received, total } = this.updater;
		if (!isBusy && this.#download === undefined) return undefined;
		return total > 0 && received < total ? Math.floor((100 * received) / total) : -1;
	}

	get isBusy(): boolean {
		return this.#download !== undefined;
	}

	/**
	 * True during a trial. A sleep ends with a restart, and a restart during the trial would start the previous firmware.
	 */
	get staysAwake(): boolean {
		return this.#update.state === FIRMWARE_ON_TRIAL;
	}

	whenRestarting(): void {
		this.#task?.update(() => this.#trial?.prove());
	}

	whenStopping(): void {
		this.#download?.stop();
		this.notice?.stop();
		this.#security?.stop();
		this.#task?.stop();
		this.updater.stop();
	}
}

function hasUpdate(host: Host): host is Host & { update: Update } {
	return host.update !== undefined;
}

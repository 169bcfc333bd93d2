/**
 * Runs one firmware update at a time, from any sender. The columns of the table are events:
 *
 *              begin        write, end: refused   end: whole   the driver's tick     abort
 *   IDLE       RECEIVING    –                     –            –                     –
 *   RECEIVING  refused      IDLE                  VERIFYING    –                     IDLE
 *   VERIFYING  refused      –                     –            RESTARTING, IDLE      –: the file is complete
 *   RESTARTING refused      –                     –            –                     –
 *
 * A fast sender replaces a slow one; a transfer by Zigbee, for example, takes hours.
 */

import type { EventLog } from "../diagnostics/event-log.js";
import type { Driver, ScheduledMachine, Task } from "../io/driver.js";
import { refusalLine } from "../io/fault.js";
import { FIRMWARE_ON_TRIAL } from "../io/flash.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import type { PermitClient, TLSPermit } from "../io/tls-permit.js";
import {
	INSTALL_CHECKING,
	INSTALL_INSTALLED,
	INSTALL_REFUSED,
	Installer,
	type InstallerDeps,
	type InstallerHost,
} from "./installer.js";
import { EVENT_UPDATE_INSTALLED, EVENT_UPDATE_REFUSED } from "./log-events.js";
import { INTERRUPTED, NO_MEMORY, ON_TRIAL, REFUSALS, TAKEN, UNDER_WAY } from "./refusals.js";

/**
 * Memory of the inflater's window, which some hosts allocate in chunks. On the chip, the inflater also needs 11 KB of
 * heap; without that, Update.inflater refuses.
 */
export const UPDATE_COST: Cost = Object.freeze({ slots: 120, chunkBytes: 6144 });

export interface UpdaterDeps extends InstallerDeps {
	readonly driver: Driver;
}

export interface UpdaterParts {
	readonly ledger: MemoryLedger;
	readonly events: Pick<EventLog, "note">;
	readonly live: { changed(): void };
	/**
	 * Permit for outgoing TLS connections. The updater takes it so that other outputs close their connection, because
	 * memory suffices for only one connection during an update.
	 */
	readonly tlsPermit: TLSPermit;
	/** Restarts soon after the call. */
	restartSoon(): void;
}

export interface Sender {
	readonly name: string;
	/**
	 * True for a transfer that takes hours. It resumes from `received`, another sender may replace it, and its sender
	 * decides when to restart.
	 */
	readonly isSlow?: true;
	/** True if the gateway downloads the file. The sender then holds the permit. */
	readonly isDownload?: true;
	/** True if the file must be newer than the running firmware. */
	readonly needsNewer?: boolean;
	/**
	 * Longest time without received bytes, ms, after which the transfer is cancelled. Undefined if the sender itself
	 * limits this time.
	 */
	readonly silenceMs?: number;
	/**
	 * Called with the result. After TAKEN, the file is installed with this version, and the device is about to restart.
	 * It is not called inside `begin()`, but it is also called after `abort()`.
	 */
	updated(refusal: number, version: string): void;
}

const IDLE = 0;
const RECEIVING = 1;
const VERIFYING = 2;
const RESTARTING = 3;
const NAMES = Object.freeze(["idle", "receiving", "verifying", "restarting"]);

/** Number of received bytes between two reports of the progress. */
const PROGRESS_STEP = 32_768;
/** Failure if a firmware did not pass its trial: code, blank, message. */
const ROLLED_BACK = "rolled_back The new firmware did not pass its trial: the one before it runs again.";
/** Number of bytes by which a file may be longer than the slot. */
const FILE_EXTRA = 4096;

export class Updater implements ScheduledMachine, PermitClient {
	readonly #deps: UpdaterDeps;
	readonly #parts: UpdaterParts;
	readonly #host: InstallerHost;
	#task: Task | undefined;
	#state = IDLE;
	#sender: Sender | undefined;
	#installer: Installer | undefined;
	#receivedMs = 0;
	#silentMs = Number.POSITIVE_INFINITY;
	/**
	 * Code of the last failure, a blank, and the message; empty after a success, and from the beginning of the next
	 * update.
	 */
	failure: string;

	constructor(host: InstallerHost, deps: UpdaterDeps, parts: UpdaterParts) {
		this.#host = host;
		this.failure = host.update.givenUp === "" ? "" : ROLLED_BACK;
		this.#deps = deps;
		this.#parts = parts;
	}

	/** Code of the last failure, or `rolled_back`; empty after a success. */
	get lastError(): string {
		return this.failure.split(" ", 1)[0];
	}

	get isOpen(): boolean {
		return this.#host.update.keys.length > 0;
	}

	/** Maximum length of a file, bytes. */
	get limit(): number {
		return this.#host.update.slot.size + FILE_EXTRA;
	}

	get state(): string {
		return this.#state === IDLE && this.isOnTrial ? "trial" : NAMES[this.#state];
	}

	get received(): number {
		return this.#installer?.received ?? 0;
	}

	/** Length of the file, bytes; 0 if unknown. */
	get total(): number {
		return this.#installer?.total ?? 0;
	}

	/**
	 * Begins an update. `total` is the file's length in bytes, or 0 if unknown. Returns a refusal or TAKEN. After TAKEN,
	 * `write()` and then `end()` or `abort()` must be called. Throws if the slot is inaccessible.
	 */
	begin(sender: Sender, total: number): number {
		const { ledger } = this.#parts;
		const isSlow = sender.isSlow === true;
		if (this.#sender?.isSlow && !isSlow) this.abort();
		if (this.#state !== IDLE) return UNDER_WAY;
		// During a trial, the other slot has the firmware for a roll-back and must not be overwritten.
		if (this.isOnTrial) return ON_TRIAL;
		const isDownload = sender.isDownload === true;
		// A download has checked the heap before it opened its connection, which now takes a part of it.
		const hasMemory = isDownload ? ledger.claim(UPDATE_COST) : ledger.claimWithHeap(UPDATE_COST);
		if (!hasMemory) return NO_MEMORY;
		try {
			this.#installer = new Installer(this.#deps, this.#host, total, isSlow, sender.needsNewer);
		} catch (error) {
			this.#deps.trace(refusalLine("update", error));
			ledger.release(UPDATE_COST);
			return NO_MEMORY;
		}
		this.#sender = sender;
		this.#receivedMs = this.#deps.driver.nowMs();
		this.#silentMs = this.#receivedMs + (sender.silenceMs ?? Number.POSITIVE_INFINITY);
		this.#task = this.#deps.driver.register("ota", this);
		this.failure = "";
		// A slow transfer does not take the permit, because other outputs would have to wait for hours.
		if (!isSlow && !isDownload) this.#parts.tlsPermit.request(this);
		this.enter(RECEIVING);
		return TAKEN;
	}

	/** Does nothing, because the transfer does not wait for the permit. */
	permitGranted(): void {}

	/** Does nothing, because other outputs must wait for the permit until the transfer is over. */
	permitRequested(): void {}

	write(bytes: Uint8Array, start: number, end: number): number {
		const installer = this.#installer;
		if (installer === undefined || this.#state !== RECEIVING) return end - start;
		const before = Math.floor(installer.received / PROGRESS_STEP);
		const accepted = installer.write(bytes, start, end);
		this.#receivedMs = this.#deps.driver.nowMs();
		this.settle(installer);
		if (Math.floor(installer.received / PROGRESS_STEP) > before) this.#parts.live.changed();
		return accepted;
	}

	end(): void {
		const installer = this.#installer;
		if (installer === undefined || this.#state !== RECEIVING) return;
		this.#task?.update(() => {
			installer.end();
			this.settle(installer);
		});
	}

	abort(): void {
		const installer = this.#installer;
		if (installer === undefined || this.#state !== RECEIVING) return;
		installer.close(INTERRUPTED);
		this.settle(installer);
	}

	/** Reports an update that failed before `begin()`. `failure`: code, blank, message. `more`: text for the log. */
	fail(failure: string, more: string): void {
		this.failure = failure;
		this.#parts.events.note(EVENT_UPDATE_REFUSED, `${this.lastError}${more}`);
		this.#parts.live.changed();
	}

	/** True from `begin()` to the restart or to a failure. */
	get isBusy(): boolean {
		return this.#state !== IDLE;
	}

	get deadlineMs(): number {
		return this.#state === VERIFYING ? 0 : this.#silentMs;
	}

	advance(nowMs: number): void {
		const installer = this.#installer;
		const silenceMs = this.#sender?.silenceMs;
		if (this.#state === RECEIVING && silenceMs !== undefined) {
			this.#silentMs = this.#receivedMs + silenceMs;
			if (nowMs >= this.#silentMs) this.abort();
		}
		if (installer === undefined || this.#state !== VERIFYING) return;
		installer.advance();
		this.settle(installer);
	}

	/** Restarts the device; it has an effect only in RESTARTING. */
	restart(): void {
		this.#parts.restartSoon();
	}

	/** Ends a transfer. A slow transfer is not reported as interrupted, because it resumes at the next start. */
	stop(): void {
		if (this.#sender?.isSlow) this.#installer?.close(INTERRUPTED);
		else this.abort();
		this.#task?.stop();
	}

	private get isOnTrial(): boolean {
		return this.#host.update.state === FIRMWARE_ON_TRIAL;
	}

	private settle(installer: Installer): void {
		const { state, refusal } = installer;
		if (state === INSTALL_CHECKING && this.#state === RECEIVING) this.enter(VERIFYING);
		if (state !== INSTALL_INSTALLED && state !== INSTALL_REFUSED) return;
		const { ledger, events, tlsPermit } = this.#parts;
		const sender = this.#sender;
		this.#task?.stop();
		this.#installer = this.#sender = this.#task = undefined;
		ledger.release(UPDATE_COST);
		tlsPermit.release(this);
		this.failure = REFUSALS[refusal];
		const isTaken = refusal === TAKEN;
		const kind = isTaken ? EVENT_UPDATE_INSTALLED : EVENT_UPDATE_REFUSED;
		events.note(kind, `${isTaken ? installer.version : this.lastError} from ${sender?.name}`);
		this.enter(isTaken ? RESTARTING : IDLE);
		sender?.updated(refusal, installer.version);
		if (isTaken && sender?.isSlow === undefined) this.restart();
	}

	private enter(state: number): void {
		this.#state = state;
		this.#parts.live.changed();
	}
}

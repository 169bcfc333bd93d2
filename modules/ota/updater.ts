/**
 * The one update of the firmware that may be under way, whoever sends the file: what of it is shown, kept and logged.
 *
 *               begin        write, end: refused   end: whole   the driver's turn     abort
 *  IDLE         RECEIVING    –                     –            –                     –
 *  RECEIVING    refused      IDLE                  VERIFYING    –                     IDLE
 *  VERIFYING    refused      –                     –            RESTARTING, IDLE      –: nothing of the file is missing
 *  RESTARTING   refused      –                     –            –                     –
 *
 * A file that comes slowly (over hours, by radio) gives way to one that does not: it is interrupted.
 */

import type { EventLog } from "../diagnostics/event-log.js";
import type { Driver, ScheduledMachine, Task } from "../io/driver.js";
import { FIRMWARE_ON_TRIAL } from "../io/flash.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import type { PermitClient, TLSPermit } from "../publish/tls-permit.js";
import {
	INSTALL_CHECKING,
	INSTALL_INSTALLED,
	INSTALL_REFUSED,
	Installer,
	type InstallerDeps,
	type InstallerHost,
} from "./installer.js";
import { EVENT_UPDATE_INSTALLED, EVENT_UPDATE_REFUSED } from "./log-events.js";
import { codeOf, INTERRUPTED, NO_MEMORY, ON_TRIAL, TAKEN, UNDER_WAY } from "./refusals.js";

/**
 * Taking a firmware file: the window of what is unpacked, which stands in chunks on some hosts. Beside that about 11 KB of
 * heap on the chip, for which the host has the last word (Update.inflater).
 */
export const UPDATE_COST: Cost = Object.freeze({ slots: 120, chunkBytes: 6144 });

export interface UpdaterDeps extends InstallerDeps {
	readonly driver: Driver;
}

export interface UpdaterParts {
	readonly ledger: MemoryLedger;
	readonly events: Pick<EventLog, "note">;
	/** Told when `state`, `received`, `total` or `lastError` is another. */
	readonly live: { changed(): void };
	/** Connections to others give way while a file comes: there is memory for one or the other. */
	readonly tlsPermit: TLSPermit;
	/** Starts anew, soon and not inside the call. */
	restartSoon(): void;
}

/** Sender of a file. */
export interface Sender {
	/** For the log. */
	readonly name: string;
	/**
	 * The file takes hours: what was interrupted goes on, others may displace it, and it says itself when to restart. It
	 * sends what stands at `received`, which leaps to where an interrupted file goes on.
	 */
	readonly isSlow?: true;
	/** It is over; TAKEN: the firmware is installed, and the device about to restart. Not inside `begin`; after `abort` too. */
	updated(refusal: number): void;
}

const IDLE = 0;
const RECEIVING = 1;
const VERIFYING = 2;
const RESTARTING = 3;
const NAMES = Object.freeze(["idle", "receiving", "verifying", "restarting"]);

/** `received` is told each time that so many bytes have come. */
const TOLD_EACH = 32_768;
/** Code of an update whose firmware was given up. */
const ROLLED_BACK = "rolled_back";
/** A slot's image in a file may have so much beside it. */
const FILE_EXTRA = 4096;

export class Updater implements ScheduledMachine, PermitClient {
	readonly #deps: UpdaterDeps;
	readonly #parts: UpdaterParts;
	readonly #host: InstallerHost;
	/** In RECEIVING and VERIFYING. */
	#task: Task | undefined;
	#state = IDLE;
	#sender: Sender | undefined;
	/** There in RECEIVING and VERIFYING. */
	#installer: Installer | undefined;
	/** Code of what came of the last update, or `rolled_back`; empty: all went well. */
	lastError: string;

	constructor(host: InstallerHost, deps: UpdaterDeps, parts: UpdaterParts) {
		this.#host = host;
		this.lastError = host.update.givenUp === "" ? "" : ROLLED_BACK;
		this.#deps = deps;
		this.#parts = parts;
	}

	/** This build takes updates. */
	get isOpen(): boolean {
		return this.#host.update.keys.length > 0;
	}

	/** Bytes of the longest file. */
	get limit(): number {
		return this.#host.update.slot.size + FILE_EXTRA;
	}

	/** The state's word in the API. */
	get state(): string {
		return this.#state === IDLE && this.isOnTrial ? "trial" : NAMES[this.#state];
	}

	/** Bytes of the file that came. */
	get received(): number {
		return this.#installer?.received ?? 0;
	}

	/** Bytes of the whole file; 0 while that is not known. */
	get total(): number {
		return this.#installer?.total ?? 0;
	}

	/**
	 * A file comes, of `total` bytes, or 0 where nobody knows. TAKEN: `write`, then `end` or `abort`. Throws what a slot
	 * throws that can't be had.
	 */
	begin(sender: Sender, total: number): number {
		const { ledger } = this.#parts;
		const isSlow = sender.isSlow === true;
		if (this.#sender?.isSlow && !isSlow) this.abort();
		if (this.#state !== IDLE) return UNDER_WAY;
		// The boot loader would have nothing left to go back to.
		if (this.isOnTrial) return ON_TRIAL;
		if (!ledger.claim(UPDATE_COST)) return NO_MEMORY;
		this.#installer = new Installer(this.#deps, this.#host, total, isSlow);
		this.#sender = sender;
		this.#task = this.#deps.driver.register("ota", this);
		this.lastError = "";
		// A file that takes hours would keep hub and broker waiting.
		if (!isSlow) this.#parts.tlsPermit.request(this);
		this.enter(RECEIVING);
		return TAKEN;
	}

	/** For Turn: an output may have sent its last bytes by now. The file did not wait for that. */
	permitGranted(): void {}

	/** For Turn: the outputs wait until the file is over. */
	permitRequested(): void {}

	/** The file's next bytes: as Installer.write. */
	write(bytes: Uint8Array, start: number, end: number): number {
		const installer = this.#installer;
		if (installer === undefined || this.#state !== RECEIVING) return end - start;
		const before = Math.floor(installer.received / TOLD_EACH);
		const taken = installer.write(bytes, start, end);
		this.settle(installer);
		if (Math.floor(installer.received / TOLD_EACH) > before) this.#parts.live.changed();
		return taken;
	}

	/** The file is over. */
	end(): void {
		const installer = this.#installer;
		if (installer === undefined || this.#state !== RECEIVING) return;
		this.#task?.update(() => {
			installer.end();
			this.settle(installer);
		});
	}

	/** The rest of the file will not come. */
	abort(): void {
		const installer = this.#installer;
		if (installer === undefined || this.#state !== RECEIVING) return;
		installer.close(INTERRUPTED);
		this.settle(installer);
	}

	/** For the driver: what lies in flash is looked at in turns. */
	get deadlineMs(): number {
		return this.#state === VERIFYING ? 0 : Number.POSITIVE_INFINITY;
	}

	/** For the driver. */
	advance(): void {
		const installer = this.#installer;
		if (installer === undefined || this.#state !== VERIFYING) return;
		installer.advance();
		this.settle(installer);
	}

	/** In RESTARTING: now. */
	restart(): void {
		this.#parts.restartSoon();
	}

	/** The device ends. A file that comes slowly goes on at the next start, which is nothing to tell of. */
	stop(): void {
		if (this.#sender?.isSlow) this.#installer?.close(INTERRUPTED);
		else this.abort();
		this.#task?.stop();
	}

	private get isOnTrial(): boolean {
		return this.#host.update.state === FIRMWARE_ON_TRIAL;
	}

	/** Looks at what has become of the file. */
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
		this.lastError = codeOf(refusal);
		const isTaken = refusal === TAKEN;
		const kind = isTaken ? EVENT_UPDATE_INSTALLED : EVENT_UPDATE_REFUSED;
		events.note(kind, `${isTaken ? installer.version : this.lastError} from ${sender?.name}`);
		this.enter(isTaken ? RESTARTING : IDLE);
		sender?.updated(refusal);
		if (isTaken && sender?.isSlow === undefined) this.restart();
	}

	private enter(state: number): void {
		this.#state = state;
		this.#parts.live.changed();
	}
}

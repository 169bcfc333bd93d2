/**
 * Applies signed settings files (file.ts). All settings of a file and its counter are stored in one write, or nothing
 * is stored. The settings are checked by the rules of their routes, like those of a backup (parts/system/restore.ts). A file
 * is applied in a later tick, because too little stack is left inside the call that delivers it.
 */

import type { BackupGroup } from "../../api/backup-group.js";
import type { LongText } from "../../api/body.js";
import { BUSY, UNSUPPORTED } from "../../api/errors.js";
import { asciiBytes } from "../../bytes/ascii.js";
import { decodeHex } from "../../bytes/hex.js";
import { type Put, put, type Setting } from "../../config/schema.js";
import { StorageRefusal } from "../../config/watched-storage.js";
import type { Core } from "../../core/core.js";
import { kind } from "../../diagnostics/events.js";
import type { ScheduledMachine, Task } from "../../io/driver.js";
import type { Part } from "../../part/part.js";
import {
	BAD_SIGNATURE,
	counterOf,
	FILE_COST,
	FILE_LIMIT,
	INVALID_FILE,
	isFor,
	isTrusted,
	REPLAY,
	SETTINGS_AT,
	settingsEnd,
	WRONG_DEVICE,
} from "../../provision/file.js";
import type { OutputFailure } from "../../publish/connect-failures.js";
import type { OutputDeps } from "../../publish/output.js";
import { WIFI_ON_TRIAL } from "../network/fields.js";
import { VisitingPart } from "../publish/visiting-part.js";
import { RESTORE_COST, restore } from "../system/restore.js";
import { RestoreReader } from "../system/restore-reader.js";
import {
	PROVISION_APPLIED,
	PROVISION_CERTIFICATE,
	PROVISION_COUNTER,
	PROVISION_GROUP,
	PROVISION_URL,
} from "./fields.js";
import { type FileClient, FileExchange } from "./file-exchange.js";
import { FileSource, type FileTaker } from "./file-source.js";

/** A file was applied. The event's details are its counter and the way of delivery. */
export const EVENT_PROVISION_APPLIED = kind(40, "provision_applied", { isPlain: true, needsLogin: true });
/** A file was refused. The event's details are the code and the way of delivery. */
export const EVENT_PROVISION_REFUSED = kind(41, "provision_refused", { isPlain: true });

export const PROVISION_EVENTS = Object.freeze([EVENT_PROVISION_APPLIED, EVENT_PROVISION_REFUSED]);

/** Way of delivery of the file in the factory data. That file is applied only if no other file was applied before. */
const BY_FACTORY = "factory";
const BY_MQTT = "mqtt";

const RETRY_MS = 2000;
const TRIES = 30;
/** Pause before the next signature is checked if the last one was wrong, because a check takes much time on a chip. */
const WRONG_PAUSE_MS = 2000;

/** Message for each reason to refuse a complete file. */
const REFUSALS: Readonly<Record<string, string>> = Object.freeze({
	[UNSUPPORTED]: "This firmware was built without a key for settings files.",
	[INVALID_FILE]: "The file is not a signed settings file, or it is incomplete: sign it again.",
	[BAD_SIGNATURE]: "No key that this gateway trusts has signed the file.",
	[WRONG_DEVICE]: "The file is for another gateway or group.",
	[REPLAY]: "The counter of the file is not higher than that of the last one: sign it with a higher one.",
});

/** A file that is to be applied. */
interface Job {
	readonly file: Uint8Array;
	readonly way: string;
	readonly client: FileClient | undefined;
	tries: number;
	/** Certificates in the file. */
	readonly texts: LongText[];
	readonly task: Task;
}

export class Provisioning extends VisitingPart<FileSource> implements FileTaker, ScheduledMachine {
	/** Code of the last refusal since the start; "" if there was none, or if a file was applied after it. */
	refused = "";
	readonly #parts: readonly Part[];
	#job: Job | undefined;
	/** Time from which a signature may be checked. */
	#checkableMs = 0;
	deadlineMs = 0;

	constructor(core: Core, parts: readonly Part[]) {
		super(core, PROVISION_CERTIFICATE);
		this.#parts = parts;
		const isNew = this.receiver !== undefined && core.config.get(PROVISION_COUNTER) === 0;
		const given = isNew ? core.host.settingsFile?.() : undefined;
		if (given !== undefined) this.offer(new Uint8Array(given), BY_FACTORY);
		this.start(true);
	}

	/** `off`, `none` (no file was applied yet), `applied`, or the code of the last refusal. */
	get state(): string {
		const { config, info } = this.core;
		if (info.settingsKeys === "") return "off";
		if (this.refused !== "") return this.refused;
		return config.get(PROVISION_COUNTER) > 0 ? "applied" : "none";
	}

	outputChanged(failure: OutputFailure | undefined): void {
		if (failure !== undefined) this.core.events.note(EVENT_PROVISION_REFUSED, `${failure.code} by url`);
	}

	/** Receiver of files over MQTT; undefined if this firmware trusts no key. */
	get receiver(): this | undefined {
		return this.core.info.settingsKeys === "" ? undefined : this;
	}

	/** Returns true if enough memory is free for a file of this length. The caller must allocate it immediately. */
	mayKeep(length: number, cost = FILE_COST): boolean {
		return this.#job === undefined && length <= FILE_LIMIT + 256 && this.core.ledger.fits(cost);
	}

	/** Receives a message over MQTT (FileReceiver in mqtt/session.ts). */
	took(file: Uint8Array | undefined, length: number): void {
		if (file !== undefined) this.offer(file, BY_MQTT);
		else this.note(length > FILE_LIMIT ? INVALID_FILE : BUSY, BY_MQTT);
	}

	/**
	 * Applies a file soon, logs the result, and replies to `client`. Without a client, a file that has the counter of the
	 * last file is ignored without a log event, because it may be delivered repeatedly. `way`: way of delivery, one word.
	 */
	offer(file: Uint8Array, way: string, client?: FileClient): void {
		const { config, driver } = this.core;
		const isKnown = client === undefined && counterOf(file) === (config.get(PROVISION_COUNTER) || -1);
		if (this.#job !== undefined && client !== undefined) new FileExchange(this.core, client).busy();
		if (this.#job !== undefined || isKnown) return;
		this.deadlineMs = driver.nowMs();
		const task = driver.register("provision", this);
		this.#job = { file, way, client, tries: TRIES, texts: [], task };
	}

	/**
	 * Reading and restoring are separate steps and not nested, because otherwise too little stack would be left to check
	 * certificates.
	 */
	advance(nowMs: number): void {
		const job = this.#job;
		if (job === undefined || nowMs < this.deadlineMs) return;
		const { ledger } = this.core;
		const { client, file, way } = job;
		const refusal = this.refusalOf(file);
		const mustWait = refusal === "" && nowMs < this.#checkableMs;
		this.deadlineMs = mustWait ? this.#checkableMs : nowMs + RETRY_MS;
		if (mustWait) return;
		const hasMemory = ledger.claim(RESTORE_COST);
		if (!hasMemory && client === undefined && --job.tries > 0) return;
		const exchange = new FileExchange(this.core, client);
		try {
			if (!hasMemory) exchange.busy();
			else if (this.isAccepted(file, refusal, exchange))
				restore(exchange, this.#parts, this.read(file), this.putsOf(file));
		} catch (error) {
			if (!(error instanceof StorageRefusal)) throw error;
			exchange.fail(500, "internal", error.sentence);
		} finally {
			if (hasMemory) ledger.release(RESTORE_COST);
			this.finish();
		}
		this.note(exchange.code, way);
	}

	override whenStopping(): void {
		this.finish();
		super.whenStopping();
	}

	protected open(deps: OutputDeps, isStart: boolean): FileSource | undefined {
		const isOn = this.receiver !== undefined && this.core.config.get(PROVISION_URL) !== "";
		return isOn ? new FileSource(deps, this, isStart) : undefined;
	}

	private finish(): void {
		const job = this.#job;
		for (const text of job?.texts ?? []) text.close();
		job?.task.stop();
		this.#job = undefined;
	}

	/**
	 * Logs the result of a file. A repeated refusal is not logged, because a broker may send a bad file after each
	 * connection.
	 */
	private note(code: string, way: string): void {
		const { config, events, live } = this.core;
		// The unit is still in the factory, where the owner's network can't be reached, so a trial of the Wi-Fi settings
		// would fail.
		if (code === "" && way === BY_FACTORY) config.note([put(WIFI_ON_TRIAL, false)]);
		if (code === "") events.note(EVENT_PROVISION_APPLIED, `${config.get(PROVISION_COUNTER)} by ${way}`);
		else if (this.refused !== code) events.note(EVENT_PROVISION_REFUSED, `${code} by ${way}`);
		this.refused = code;
		live.changed();
	}

	/** Checks the signature of a file, unless it has another fault. Returns false if the file is refused. */
	private isAccepted(file: Uint8Array, found: string, exchange: FileExchange): boolean {
		let refusal = found;
		if (refusal === "" && !this.isSigned(file)) {
			refusal = BAD_SIGNATURE;
			this.#checkableMs = this.core.driver.nowMs() + WRONG_PAUSE_MS;
		}
		if (refusal !== "") exchange.fail(statusOf(refusal), refusal, REFUSALS[refusal]);
		return refusal === "";
	}

	private isSigned(file: Uint8Array): boolean {
		const { crypto, info } = this.core;
		const keys = info.settingsKeys.split(" ").map((digits) => decodeHex(asciiBytes(digits), 0, digits.length)!);
		return isTrusted(file, keys, crypto);
	}

	private read(file: Uint8Array): RestoreReader {
		const core = this.core;
		const parts = this.#parts;
		const openerOf = (group: BackupGroup) => () => {
			const part = parts.find(({ backup }) => backup.includes(group));
			const opened = group.table.long!.open(core, (part && core.find(part)) as never);
			this.#job?.texts.push(opened);
			return new OpenText(opened);
		};
		const reader = new RestoreReader(core.config, core.text, parts, () => {}, openerOf);
		reader.write(file, SETTINGS_AT, settingsEnd(file));
		reader.end();
		return reader;
	}

	/** Returns the counter and time of a file, which are stored together with its settings. */
	private putsOf(file: Uint8Array): Put[] {
		const appliedS = Math.floor((this.core.clock.utcMs() ?? 0) / 1000);
		return [put(PROVISION_COUNTER, counterOf(file)), put(PROVISION_APPLIED, appliedS)];
	}

	/** Returns "" if a file is for this gateway and newer than the last file; otherwise the code of the refusal. */
	private refusalOf(file: Uint8Array): string {
		const { config, info } = this.core;
		if (info.settingsKeys === "") return UNSUPPORTED;
		const counter = counterOf(file);
		if (counter === 0) return INVALID_FILE;
		if (!isFor(file, [info.serial, config.get(PROVISION_GROUP)])) return WRONG_DEVICE;
		return counter > config.get(PROVISION_COUNTER) ? "" : REPLAY;
	}
}

function statusOf(refusal: string): number {
	if (refusal === UNSUPPORTED) return 501;
	return refusal === REPLAY ? 409 : 400;
}

/** A certificate that stays open until all settings were changed. */
class OpenText implements LongText {
	readonly #inner: LongText;

	constructor(inner: LongText) {
		this.#inner = inner;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#inner.write(bytes, start, end);
	}

	end(): Setting | undefined {
		return this.#inner.end();
	}

	close(): void {}
}

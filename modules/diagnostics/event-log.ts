/**
 * Log of the newest events, in memory and in flash, for `GET system/log` and the diagnostic report. A detail is an
 * address, a name or a code, never a secret.
 *
 * Memory holds the newest MEMORY_LIMIT bytes of records. If an event happens again within SAME_S, the count in its
 * record is incremented, and the record moves to the end. Flash stores only the first occurrence. At most FLASH_BURST
 * records can be stored in quick succession, and then one per FLASH_S seconds.
 *
 * An attacker who is not logged in must not be able to displace the traces of an intrusion:
 * - In memory, refused logins have one record for each of the last REFUSED_LIMIT addresses, and one record without a
 *   detail for all other addresses. Flash stores at most REFUSED_BURST records of refused logins in quick succession,
 *   and then one per REFUSED_S seconds.
 * - RESERVED of the FLASH_BURST writes are reserved for events that need a login (events.ts).
 * - The count in a flash record of a refused login includes all refused logins since the previous such record.
 *
 * For the metrics, the record of a start contains the number of starts with the same cause. If flash has no record of a
 * cause any more, counting starts again at 1.
 */

import { faultLine } from "../io/fault.js";
import type { Partition } from "../io/flash.js";
import type { Clock } from "../io/host.js";
import { EventFlash, WRITES_A_DAY } from "./event-flash.js";
import {
	countAt,
	detailEnd,
	dropDetail,
	type EventMoment,
	hasDetail,
	isSameEvent,
	lengthAt,
	makeRecord,
	seal,
	setCount,
	setStarts,
	startsAt,
	UNIT,
	uptimeAt,
} from "./event-record.js";
import { EVENT_LOGIN_REFUSED, EVENT_STARTED, type EventKind } from "./events.js";

export const MEMORY_LIMIT = 2048;
const SAME_S = 600;
const CAUSES_LIMIT = 12;
const OTHER_CAUSES = "other";
const FLASH_BURST = 40;
const FLASH_S = 86_400 / WRITES_A_DAY;
/** Number of the FLASH_BURST writes that only events that need a login may use. */
const RESERVED = 20;
/** Number of addresses whose refused logins have a record of their own in memory. */
export const REFUSED_LIMIT = 8;
const REFUSED_BURST = 8;
const REFUSED_S = 3600;
const NONE = -1;

export interface EventLogDeps {
	readonly clock: Pick<Clock, "monotonicMs" | "utcMs">;
	trace(message: string): void;
}

export class EventLog {
	readonly #deps: EventLogDeps;
	readonly #bytes = new Uint8Array(MEMORY_LIMIT);
	readonly #flash: EventFlash | undefined;
	/**
	 * Monotonic time at the start of the firmware. It need not be 0, because on some chips the monotonic clock
	 * continues across a restart.
	 */
	readonly #startedMs: number;
	#length = 0;
	#ownFrom = 0;
	/** Number of flash writes that are permitted now. */
	#credit = FLASH_BURST;
	#creditAtS = 0;
	/** Number of flash writes for refused logins that are permitted now. */
	#refusedCredit = REFUSED_BURST;
	#refusedCreditAtS = 0;
	/** Number of refused logins that the records in flash do not count yet. */
	#refused = 0;
	dropped = 0;
	/** Number of starts by cause, from the records in flash. */
	readonly starts = new Map<string, number>();

	/** `partition` is undefined on a device where events do not survive a restart. */
	constructor(deps: EventLogDeps, partition: Partition | undefined) {
		this.#deps = deps;
		this.#startedMs = deps.clock.monotonicMs();
		if (partition === undefined) return;
		this.#flash = new EventFlash(partition);
		this.attempt(() =>
			this.#flash?.load((bytes, start, end) => {
				this.append(bytes.subarray(start, end));
				if (bytes[start] === EVENT_STARTED.number) this.countStart(bytes, start);
			}),
		);
		this.#ownFrom = this.#length;
		this.dropped = 0;
	}

	get uptimeS(): number {
		return Math.floor((this.#deps.clock.monotonicMs() - this.#startedMs) / 1000);
	}

	/** Logs an event. `detail` is ASCII text without secrets; it is cut to DETAIL_LIMIT characters. */
	note(kind: EventKind, detail = ""): void {
		const { number } = kind;
		const { clock } = this.#deps;
		const { uptimeS } = this;
		const timeS = Math.floor((clock.utcMs() ?? 0) / 1000);
		const moment = { timeS, uptimeS };
		const record = makeRecord(number, detail, moment);
		if (number === EVENT_STARTED.number) setStarts(record, this.countStart(record, 0));
		if (kind === EVENT_LOGIN_REFUSED) this.#refused++;
		const before = this.find(record, uptimeS);
		if (before < 0) this.keep(kind, record, moment);
		else {
			setCount(record, countAt(this.#bytes, before) + 1);
			this.remove(before);
		}
		this.append(record);
	}

	copy(): Uint8Array {
		return this.#bytes.slice(0, this.#length);
	}

	erase(): void {
		this.#length = this.#ownFrom = 0;
		this.starts.clear();
		this.attempt(() => this.#flash?.erase());
	}

	/**
	 * Returns the position of a record of the same event that is at most SAME_S old and was made since the start, or
	 * -1.
	 */
	private find(record: Uint8Array, uptimeS: number): number {
		const bytes = this.#bytes;
		for (let at = this.#ownFrom; at < this.#length; at += lengthAt(bytes, at)) {
			if (isSameEvent(bytes, at, record) && uptimeS - uptimeAt(bytes, at) <= SAME_S) return at;
		}
		return -1;
	}

	/**
	 * Counts a start. If its record already contains the number of starts with its cause, adopts this number. Returns
	 * the number.
	 */
	private countStart(bytes: Uint8Array, at: number): number {
		const { starts } = this;
		let cause = "";
		for (let i = at + UNIT; i < detailEnd(bytes, at); i++) cause += String.fromCharCode(bytes[i]);
		if (!starts.has(cause) && starts.size >= CAUSES_LIMIT) cause = OTHER_CAUSES;
		const count = startsAt(bytes, at) || (starts.get(cause) ?? 0) + 1;
		starts.set(cause, count);
		return count;
	}

	private append(record: Uint8Array): void {
		while (this.#length + record.length > MEMORY_LIMIT) {
			this.remove(0);
			this.dropped++;
		}
		this.#bytes.set(record, this.#length);
		this.#length += record.length;
		if (record[0] === EVENT_LOGIN_REFUSED.number) this.foldRefused();
	}

	/**
	 * Merges the records of refused logins from all addresses but the last REFUSED_LIMIT into one record, at the
	 * position of the newest of them.
	 */
	private foldRefused(): void {
		const bytes = this.#bytes;
		const isRefused = (at: number) => bytes[at] === EVENT_LOGIN_REFUSED.number;
		let excess = -REFUSED_LIMIT;
		for (let at = 0; at < this.#length; at += lengthAt(bytes, at)) if (isRefused(at) && hasDetail(bytes, at)) excess++;
		let count = 0;
		let sum = NONE;
		for (let at = 0; at < this.#length; at += lengthAt(bytes, at)) {
			if (!isRefused(at) || (hasDetail(bytes, at) && excess-- <= 0)) continue;
			count += countAt(bytes, at);
			const length = lengthAt(bytes, at);
			dropDetail(bytes, at);
			this.cut(at + UNIT, at + length);
			if (sum !== NONE) {
				this.cut(sum, sum + UNIT);
				at -= UNIT;
			}
			sum = at;
		}
		if (sum !== NONE) setCount(bytes, count, sum);
	}

	private remove(at: number): void {
		this.cut(at, at + lengthAt(this.#bytes, at));
	}

	private cut(from: number, to: number): void {
		this.#bytes.copyWithin(from, to, this.#length);
		this.#length -= to - from;
		if (from < this.#ownFrom) this.#ownFrom -= to - from;
	}

	private keep(kind: EventKind, record: Uint8Array, moment: EventMoment): void {
		const { uptimeS } = moment;
		const earned = Math.floor((uptimeS - this.#creditAtS) / FLASH_S);
		this.#creditAtS += earned * FLASH_S;
		this.#credit = Math.min(FLASH_BURST, this.#credit + earned);
		const spared = kind.needsLogin ? 0 : RESERVED;
		if (this.#credit <= spared) return;
		if (kind === EVENT_LOGIN_REFUSED) {
			const refusedEarned = Math.floor((uptimeS - this.#refusedCreditAtS) / REFUSED_S);
			this.#refusedCreditAtS += refusedEarned * REFUSED_S;
			this.#refusedCredit = Math.min(REFUSED_BURST, this.#refusedCredit + refusedEarned);
			if (this.#refusedCredit === 0) return;
			this.#refusedCredit--;
			this.writeRefused(record);
			setCount(record, 1);
			return;
		}
		// Two writes are needed: one for the refused logins and one for the event itself.
		if (spared === 0 && this.#refused > 0 && this.#credit > 1)
			this.writeRefused(makeRecord(EVENT_LOGIN_REFUSED.number, "", moment));
		this.write(record);
	}

	private writeRefused(record: Uint8Array): void {
		setCount(record, this.#refused);
		seal(record);
		this.#refused = 0;
		this.write(record);
	}

	private write(record: Uint8Array): void {
		this.#credit--;
		this.attempt(() => this.#flash?.append(record));
	}

	private attempt(action: () => void): void {
		try {
			action();
		} catch (error) {
			this.#deps.trace(faultLine("log", error));
		}
	}
}

export class EventCursor {
	readonly bytes: Uint8Array;
	at = 0;
	#next = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	next(): boolean {
		this.at = this.#next;
		if (this.at + UNIT > this.bytes.length) return false;
		this.#next += lengthAt(this.bytes, this.at);
		return true;
	}
}

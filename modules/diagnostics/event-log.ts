/**
 * What has happened to the gateway: the newest events in memory, and over restarts in flash, for `GET system/log` and the
 * diagnostic report. A detail is an address, a name or a code; secrets never come here.
 *
 * Memory: MEMORY_LIMIT bytes of records; the oldest fall out. An event that comes again within SAME_S is counted in its
 * record, which moves to the end. Flash gets each record once, when it first comes, FLASH_BURST of them at once and one each
 * FLASH_S seconds beyond that; what is more stands in memory only.
 *
 * A stranger must not displace the traces of an intruder:
 * - Refused logins have a record for each of the last REFUSED_LIMIT addresses, and one without a detail that counts all
 *   others: 9 records however many come. Flash gets REFUSED_BURST of them at once and one each REFUSED_S seconds.
 * - What needs no login leaves RESERVED of the writes of FLASH_BURST to events that do (events.ts).
 * - A record of a refused login in flash counts all that were refused since the one before it, from whatever address.
 *   Refusals that flash has not counted yet get a record, without a detail, before the next event that needs a login: so
 *   an attack that led to a login is told of after a power cut too.
 *
 * Starts are counted by their causes, for the metrics, without a write of their own: each start's record holds the number of
 * starts by that cause. A cause that has not come again while flash was filled anew is forgotten, and counted from 1 again.
 */

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
/** Causes of starts that are told apart. */
const CAUSES_LIMIT = 12;
const OTHER_CAUSES = "other";
const FLASH_BURST = 40;
const FLASH_S = 86_400 / WRITES_A_DAY;
/** The part of FLASH_BURST that is reserved. */
const RESERVED = 20;
/** Addresses with a record of their own in memory. */
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
	/** The clock at the start; it goes on over a restart of some chips. */
	readonly #startedMs: number;
	#length = 0;
	/** Where the events of this start begin. */
	#ownFrom = 0;
	/** What may be written to flash, and since when it was counted. */
	#credit = FLASH_BURST;
	#creditAtS = 0;
	/** The same for refused logins, and how many of them flash has not counted. */
	#refusedCredit = REFUSED_BURST;
	#refusedCreditAtS = 0;
	#refused = 0;
	/** Events that have fallen out of memory since the start. */
	dropped = 0;
	/** How many starts there were for which cause, as far as flash knows. */
	readonly starts = new Map<string, number>();

	/** `partition`: undefined where events are not kept over restarts. */
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

	/** Seconds since the start. */
	get uptimeS(): number {
		return Math.floor((this.#deps.clock.monotonicMs() - this.#startedMs) / 1000);
	}

	/** `detail`: ASCII, as much of it as DETAIL_LIMIT; no secret. */
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

	/** All records, the oldest first, as event-record.ts has them: a copy. */
	copy(): Uint8Array {
		return this.#bytes.slice(0, this.#length);
	}

	/** Nothing that was noted is known any more. */
	erase(): void {
		this.#length = this.#ownFrom = 0;
		this.starts.clear();
		this.attempt(() => this.#flash?.erase());
	}

	/** The same one, if it has come within SAME_S since the start; -1: it has not. */
	private find(record: Uint8Array, uptimeS: number): number {
		const bytes = this.#bytes;
		for (let at = this.#ownFrom; at < this.#length; at += lengthAt(bytes, at)) {
			if (isSameEvent(bytes, at, record) && uptimeS - uptimeAt(bytes, at) <= SAME_S) return at;
		}
		return -1;
	}

	/** One more for its cause, or as many as its record says; returns how many. */
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

	/** Adds up the records of refused logins beyond the last REFUSED_LIMIT addresses in one, at the place of the newest of them. */
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

	/** Writes to flash what there is credit for. */
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
		// The event's own write comes first: it must not lack credit.
		if (spared === 0 && this.#refused > 0 && this.#credit > 1)
			this.writeRefused(makeRecord(EVENT_LOGIN_REFUSED.number, "", moment));
		this.write(record);
	}

	/** The record counts all refused logins that flash does not know of yet. */
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

	/** Flash that does not work keeps nobody from what he is doing. */
	private attempt(action: () => void): void {
		try {
			action();
		} catch (error) {
			this.#deps.trace(`log: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
}

/** Walks through a copy of the records. */
export class EventCursor {
	readonly bytes: Uint8Array;
	/** Where the current record begins. */
	at = 0;
	#next = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	/** Goes to the next record; false at the end. */
	next(): boolean {
		this.at = this.#next;
		if (this.at + UNIT > this.bytes.length) return false;
		this.#next += lengthAt(this.bytes, this.at);
		return true;
	}
}

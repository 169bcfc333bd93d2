/**
 * Safe mode (decision 61): three starts within ten minutes that a fault has ended before they had run for a minute, and
 * the next one starts only what its owner needs to get in: network, login, log, restart, factory reset. For gateway.ts.
 *
 *               fault before      a minute      ten minutes     an hour        asked to
 *               the next start                                                 start anew
 *   YOUNG       counted           HEALTHY       -               -              all is forgotten
 *   HEALTHY     not counted       -             a start that    -              all is forgotten
 *                                               was counted is
 *                                               forgotten
 *   safe mode   counted while     HEALTHY       likewise        leaves it by   all is forgotten
 *               YOUNG                                           itself
 *
 * What is a fault the host says (`Ending`): panic, watchdog, a supply that breaks down; no power cut, no reset by hand, no
 * end that was asked for. Time is counted in minutes that a start has run, each start as one at least: nobody else knows
 * the time over a restart. It leaves safe mode by itself since a meter that nobody looks after should be read again; a
 * fault that is still there brings it back.
 *
 * Kept in retained memory, which a power cut clears:
 *
 *   offset  bytes  what
 *   0       1      layout, 1
 *   1       1      1: the start that runs is YOUNG
 *   2       ...    of each counted start, oldest first: minutes since (1), length of the cause (1), cause
 *
 * Limits: COUNTED starts, CAUSE_LIMIT characters of each cause. Any bytes may stand there at a start.
 */
import type { Drive, Driver } from "../io/driver.js";
import type { Retained } from "../io/flash.js";
import type { Ending, TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";

/** Starts that lead to safe mode. */
const COUNTED = 3;
const CAUSE_LIMIT = 60;
const MINUTE_MS = 60_000;
const FORGOTTEN_MINUTES = 10;
const SAFE_MINUTES = 60;

const LAYOUT = 1;
const HEADER_LENGTH = 2;
const ITEM_HEADER_LENGTH = 2;
const QUESTION_MARK = 0x3f;

export interface StartsOptions {
	readonly driver: Driver;
	readonly text: TextCodec;
	readonly retained: Retained;
	/** Of the program before. Undefined: nobody knows, and it is not counted. */
	readonly ending: Ending | undefined;
	readonly user: {
		/** It has run in safe mode for an hour: it is to start anew. */
		leaveSafeMode(): void;
	};
}

export class Starts implements Timed {
	/** How the counted starts have ended, "; " between; empty: this is no safe mode. */
	readonly safeMode: string;
	readonly #retained: Retained;
	readonly #user: StartsOptions["user"];
	readonly #drive: Drive;
	/** Minutes that this start has run. */
	#minutes = 0;
	/** When the next one is over; Infinity: there is nothing to count or forget. */
	#minuteMs: number;

	constructor({ driver, text, retained, ending, user }: StartsOptions) {
		this.#retained = retained;
		this.#user = user;
		const before = retained.read();
		const items = older(before);
		if (ending?.isFault === true && before?.[0] === LAYOUT && before[1] === 1) add(items, text.encode(ending.cause));
		this.safeMode = items.length === COUNTED ? causesIn(items, text) : "";
		this.write(1, items);
		this.#minuteMs = driver.nowMs() + MINUTE_MS;
		this.#drive = driver.drive("starts", this);
	}

	/** The end that comes is asked for: whatever has been counted counts no more. */
	askedFor(): void {
		this.write(0, []);
	}

	stop(): void {
		this.#drive.stop();
	}

	/** For the driver. */
	get deadlineMs(): number {
		return this.#minuteMs;
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.#minuteMs) return;
		this.#minutes++;
		const items = older(this.#retained.read());
		this.write(0, items);
		const isOver = this.safeMode === "" ? items.length === 0 : this.#minutes >= SAFE_MINUTES;
		this.#minuteMs = isOver ? Number.POSITIVE_INFINITY : nowMs + MINUTE_MS;
		if (isOver && this.safeMode !== "") this.#user.leaveSafeMode();
	}

	/** Memory that takes nothing keeps nobody from starting: nothing is counted then. */
	private write(isYoung: number, items: readonly Uint8Array[]): void {
		const record = new Uint8Array(items.reduce((length, item) => length + item.length, HEADER_LENGTH));
		record[0] = LAYOUT;
		record[1] = isYoung;
		let at = HEADER_LENGTH;
		for (const item of items) {
			record.set(item, at);
			at += item.length;
		}
		try {
			this.#retained.write(record);
		} catch {
			// As said.
		}
	}
}

/** What the record counts, a minute later: an array of its items. None when it is no record. */
function older(record: Uint8Array | undefined): Uint8Array[] {
	const items: Uint8Array[] = [];
	if (record === undefined || record[0] !== LAYOUT) return items;
	for (let at = HEADER_LENGTH; at + ITEM_HEADER_LENGTH <= record.length; ) {
		const item = record.slice(at, at + ITEM_HEADER_LENGTH + record[at + 1]);
		at += item.length;
		// One that is cut off.
		item[1] = item.length - ITEM_HEADER_LENGTH;
		if (++item[0] < FORGOTTEN_MINUTES) items.push(item);
	}
	return items.slice(-COUNTED);
}

/** A start has ended by a fault, just now. */
function add(items: Uint8Array[], cause: Uint8Array): void {
	const item = new Uint8Array(ITEM_HEADER_LENGTH + Math.min(cause.length, CAUSE_LIMIT));
	item[1] = item.length - ITEM_HEADER_LENGTH;
	item.set(cause.subarray(0, item[1]), ITEM_HEADER_LENGTH);
	items.push(item);
	if (items.length > COUNTED) items.shift();
}

/** All causes as one text; what is no printable ASCII is a question mark. */
function causesIn(items: readonly Uint8Array[], text: TextCodec): string {
	let causes = "";
	for (const item of items) {
		for (let i = ITEM_HEADER_LENGTH; i < item.length; i++)
			if (item[i] < 0x20 || item[i] > 0x7e) item[i] = QUESTION_MARK;
		causes += `${causes === "" ? "" : "; "}${text.decode(item, ITEM_HEADER_LENGTH)}`;
	}
	return causes;
}

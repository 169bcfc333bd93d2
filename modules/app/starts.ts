/**
 * Safe mode (docs/decisions.md): three starts within ten minutes that a fault has ended before they had run for a minute, and
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
 *   2       3      minutes since each counted start, newest first; FORGOTTEN_MINUTES: there is none
 *   5       ...    how they have ended, newest first, "; " between; UTF-8
 *
 * Limit: CAUSES_LIMIT characters of causes. Any bytes may stand there at a start.
 */
import type { Drive, Driver } from "../io/driver.js";
import type { Retained } from "../io/flash.js";
import type { Ending, TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";

const CAUSES_LIMIT = 80;
const MINUTE_MS = 60_000;
const FORGOTTEN_MINUTES = 10;
const SAFE_MINUTES = 60;

const LAYOUT = 1;
const YOUNG_OFFSET = 1;
const NEWEST_OFFSET = 2;
const OLDEST_OFFSET = 4;
const HEADER_LENGTH = 5;
const UNKNOWN = "unknown";

export interface StartsWorld {
	readonly driver: Driver;
	readonly text: TextCodec;
}

export interface StartsUser {
	/** It has run in safe mode for an hour: it is to start anew. */
	restartSoon(): void;
}

export class Starts implements Timed {
	/** How the counted starts have ended, newest first; empty: this is no safe mode. */
	readonly safeMode: string;
	/** To be stopped with all others. */
	readonly drive: Drive;
	/** When the next minute is over; Infinity: there is nothing to count or forget. For the driver. */
	deadlineMs: number;
	readonly #retained: Retained;
	readonly #user: StartsUser;
	/** What is retained. */
	#record: Uint8Array;
	/** Minutes that this start has run. */
	#minutes = 0;

	/** `ending` is that of the program before; undefined: nobody knows, and it is not counted. */
	constructor({ driver, text }: StartsWorld, retained: Retained, ending: Ending | undefined, user: StartsUser) {
		this.#retained = retained;
		this.#user = user;
		const before = retained.read();
		this.#record = before?.[0] === LAYOUT && before.length >= HEADER_LENGTH ? before : noRecord();
		this.age();
		let causes = "";
		try {
			causes = text.decode(this.#record, HEADER_LENGTH);
		} catch {
			// Cut off between the bytes of a character, or never written by us.
		}
		if (ending?.isFault === true && this.#record[YOUNG_OFFSET] === 1) {
			causes = `${ending.cause}${causes === "" ? "" : "; "}${causes}`.slice(0, CAUSES_LIMIT);
			const bytes = text.encode(causes).subarray(0, retained.size - HEADER_LENGTH);
			const record = new Uint8Array(HEADER_LENGTH + bytes.length);
			record.set(this.#record.subarray(NEWEST_OFFSET, OLDEST_OFFSET), NEWEST_OFFSET + 1);
			record.set(bytes, HEADER_LENGTH);
			this.#record = record;
		}
		this.safeMode = this.#record[OLDEST_OFFSET] < FORGOTTEN_MINUTES ? causes || UNKNOWN : "";
		this.keep(1);
		this.deadlineMs = driver.nowMs() + MINUTE_MS;
		this.drive = driver.drive("starts", this);
	}

	/** The end that comes is asked for: whatever has been counted counts no more. */
	askedFor(): void {
		this.#record = noRecord();
		this.keep(0);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.#minutes++;
		this.age();
		this.keep(0);
		const isSafe = this.safeMode !== "";
		const isOver = isSafe ? this.#minutes >= SAFE_MINUTES : this.#record[NEWEST_OFFSET] >= FORGOTTEN_MINUTES;
		this.deadlineMs = isOver ? Number.POSITIVE_INFINITY : nowMs + MINUTE_MS;
		if (isOver && isSafe) this.#user.restartSoon();
	}

	/** A minute has gone by. */
	private age(): void {
		const record = this.#record;
		for (let i = NEWEST_OFFSET; i < HEADER_LENGTH; i++) record[i] = Math.min(record[i] + 1, FORGOTTEN_MINUTES);
		if (record[NEWEST_OFFSET] === FORGOTTEN_MINUTES) this.#record = record.slice(0, HEADER_LENGTH);
	}

	/** Memory that takes nothing keeps nobody from starting: nothing is counted then. */
	private keep(isYoung: number): void {
		this.#record[0] = LAYOUT;
		this.#record[YOUNG_OFFSET] = isYoung;
		try {
			this.#retained.write(this.#record);
		} catch {
			// As said.
		}
	}
}

function noRecord(): Uint8Array {
	return new Uint8Array(HEADER_LENGTH).fill(FORGOTTEN_MINUTES);
}

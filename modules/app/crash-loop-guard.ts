/**
 * Crash-loop guard (safe mode). If three starts within ten minutes each end with a fault in their first minute, the
 * next start runs only what is needed for repair: network, login, log, restart, factory reset.
 *
 *               fault before      a minute      ten minutes     an hour        planned
 *               the next start                                                 restart
 *   YOUNG       counted           HEALTHY       -               -              counts cleared
 *   HEALTHY     not counted       -             counted starts  -              counts cleared
 *                                               expire
 *   safe mode   counted while     HEALTHY       likewise        restart        counts cleared
 *               YOUNG
 *
 * A panic, a watchdog reset or a brownout is a fault (`Ending`). A power cut, a manual reset or a planned restart is
 * not. The clock is lost in a restart, so the ten minutes are counted as minutes of running time, and each start counts
 * as at least one minute.
 *
 * The guard's state is in retained memory, which a power cut clears:
 *
 *   offset  bytes  content
 *   0       1      layout, 1
 *   1       1      1 while the current start is YOUNG
 *   2       3      minutes since each of the three counted starts, newest first; FORGOTTEN_MINUTES: no start
 *   5       ...    causes of the faults that ended these starts, newest first, separated by "; ", UTF-8
 *
 * Limit: CAUSES_LIMIT characters of causes. At the start of the firmware, retained memory may contain arbitrary bytes.
 */
import type { Driver, Task } from "../io/driver.js";
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
const PART = "starts";

export interface CrashLoopDeps {
	readonly driver: Driver;
	readonly text: TextCodec;
}

export interface CrashLoopListener {
	/** Called after an hour in safe mode. */
	restartSoon(): void;
}

export class CrashLoopGuard implements Timed {
	readonly safeMode: string;
	readonly task: Task;
	/** Time at which the current minute ends, monotonic ms; Infinity if there is nothing to count or expire. */
	deadlineMs: number;
	readonly #driver: Driver;
	readonly #retained: Retained;
	readonly #user: CrashLoopListener;
	#record: Uint8Array;
	#minutes = 0;

	/** `ending` is the end of the previous start; undefined (unknown) does not count as a fault. */
	constructor(
		{ driver, text }: CrashLoopDeps,
		retained: Retained,
		ending: Ending | undefined,
		user: CrashLoopListener,
	) {
		this.#driver = driver;
		this.#retained = retained;
		this.#user = user;
		const before = retained.read();
		this.#record = before?.[0] === LAYOUT && before.length >= HEADER_LENGTH ? before : noRecord();
		this.age();
		let causes = "";
		try {
			causes = text.decode(this.#record, HEADER_LENGTH);
		} catch {
			// The causes remain empty, because the stored text is cut or arbitrary.
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
		this.save(1);
		this.deadlineMs = driver.nowMs() + MINUTE_MS;
		this.task = driver.register(PART, this);
	}

	/** Call before a planned restart. Clears the counts. */
	plannedRestart(): void {
		this.#record = noRecord();
		this.save(0);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.#minutes++;
		this.age();
		this.save(0);
		const isSafe = this.safeMode !== "";
		const isOver = isSafe ? this.#minutes >= SAFE_MINUTES : this.#record[NEWEST_OFFSET] >= FORGOTTEN_MINUTES;
		this.deadlineMs = isOver ? Number.POSITIVE_INFINITY : nowMs + MINUTE_MS;
		if (isOver && isSafe) this.#user.restartSoon();
	}

	private age(): void {
		const record = this.#record;
		for (let i = NEWEST_OFFSET; i < HEADER_LENGTH; i++) record[i] = Math.min(record[i] + 1, FORGOTTEN_MINUTES);
		if (record[NEWEST_OFFSET] === FORGOTTEN_MINUTES) this.#record = record.slice(0, HEADER_LENGTH);
	}

	/** A failed write must not prevent a start. */
	private save(isYoung: number): void {
		this.#record[0] = LAYOUT;
		this.#record[YOUNG_OFFSET] = isYoung;
		this.#driver.guard(PART, () => this.#retained.write(this.#record));
	}
}

function noRecord(): Uint8Array {
	return new Uint8Array(HEADER_LENGTH).fill(FORGOTTEN_MINUTES);
}

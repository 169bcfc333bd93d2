/**
 * Runs machines and policies as tasks. Only the driver uses the clock, the timer and the guard; machines get the time
 * as an argument.
 *
 * A machine changes only inside `update()` or `fromHost()` of its task; `drain()` then performs its outputs, before its
 * deadline is read. A deadline that changes at another time is logged as a programming error.
 *
 * A task costs seven XS slots.
 */
import type { Clock, Timers } from "./host.js";
import type { Timed } from "./machine.js";

/** Hosts support delays of up to 2^31 ms. A later deadline is checked when the timer expires. */
const TIMER_LIMIT_MS = 86_400_000;

export interface DriverDeps {
	readonly clock: Clock;
	readonly timers: Timers;
	/** `part` names the task. */
	guard(part: string, run: () => void): void;
}

export interface ScheduledMachine extends Timed {
	/** Performs all outputs of the machine. It is called again if it changes the machine itself. */
	drain?(nowMs: number): void;
}

export class Driver {
	readonly #deps: DriverDeps;
	/** Head of a linked list of tasks, newest first. A list takes no chunk memory. */
	#first: Task | undefined;
	#timer: number | undefined;
	#timerAtMs = Number.POSITIVE_INFINITY;
	readonly #fire = () => {
		this.#timer = undefined;
		this.#timerAtMs = Number.POSITIVE_INFINITY;
		this.advance();
	};

	constructor(deps: DriverDeps) {
		this.#deps = deps;
	}

	register(part: string, machine: ScheduledMachine): Task {
		const task = new Task(this, part, machine);
		task.next = this.#first;
		this.#first = task;
		this.arm(machine.deadlineMs);
		return task;
	}

	nowMs(): number {
		return this.#deps.clock.monotonicMs();
	}

	guard(part: string, run: () => void): void {
		this.#deps.guard(part, run);
	}

	failed(part: string, error: unknown): void {
		this.#deps.guard(part, () => {
			throw error;
		});
	}

	arm(deadlineMs: number): void {
		if (deadlineMs >= this.#timerAtMs || deadlineMs === Number.POSITIVE_INFINITY) return;
		const { timers } = this.#deps;
		if (this.#timer !== undefined) timers.clear(this.#timer);
		const nowMs = this.nowMs();
		this.#timerAtMs = Math.min(deadlineMs, nowMs + TIMER_LIMIT_MS);
		// The clock has whole milliseconds, so an earlier timer would fire again and again.
		this.#timer = timers.set(this.#fire, Math.max(0, Math.ceil(this.#timerAtMs - nowMs)));
	}

	remove(task: Task): void {
		if (this.#first === task) this.#first = task.next;
		else {
			let before = this.#first;
			while (before !== undefined && before.next !== task) before = before.next;
			if (before !== undefined) before.next = task.next;
		}
		if (this.#first !== undefined || this.#timer === undefined) return;
		this.#deps.timers.clear(this.#timer);
		this.#timer = undefined;
		this.#timerAtMs = Number.POSITIVE_INFINITY;
	}

	/** Runs each due task once. A task that is due again waits for the next timer, so that the host can run in between. */
	private advance(): void {
		const nowMs = this.nowMs();
		// Removed tasks keep `next`. New tasks are at the head of the list and not due, so they are not missed.
		for (let task = this.#first; task !== undefined; task = task.next) task.advanceIfDue(nowMs);
		let earliestMs = Number.POSITIVE_INFINITY;
		for (let task = this.#first; task !== undefined; task = task.next)
			earliestMs = Math.min(earliestMs, task.deadlineMs);
		this.arm(earliestMs);
	}
}

const BUSY = 1;
const CHANGED = 2;
const STOPPED = 4;

export class Task {
	readonly part: string;
	next: Task | undefined;
	readonly #driver: Driver;
	readonly #machine: ScheduledMachine;
	#seenMs: number;
	/** BUSY, CHANGED and STOPPED, together to save memory. */
	#flags = 0;

	constructor(driver: Driver, part: string, machine: ScheduledMachine) {
		this.#driver = driver;
		this.part = part;
		this.#machine = machine;
		this.#seenMs = machine.deadlineMs;
	}

	get deadlineMs(): number {
		return this.#seenMs;
	}

	/** Calls `change`, then performs the outputs. Exceptions of `change` are thrown after that. */
	update<Result>(change: (nowMs: number) => Result): Result {
		const nowMs = this.#driver.nowMs();
		if (this.#flags & BUSY) {
			this.#flags |= CHANGED;
			return change(nowMs);
		}
		this.begin();
		try {
			return change(nowMs);
		} finally {
			this.end(nowMs);
		}
	}

	/** Like `update()`, for callbacks of the host: logs exceptions. It has no effect after `stop()`. */
	fromHost(change: (nowMs: number) => void): void {
		if (this.#flags & STOPPED) return;
		// The driver's guard would take too much of the chip's small stack here.
		try {
			this.update(change);
		} catch (error) {
			this.#driver.failed(this.part, error);
		}
	}

	stop(): void {
		this.#flags |= STOPPED;
		this.#driver.remove(this);
	}

	advanceIfDue(nowMs: number): void {
		if (nowMs < this.#seenMs || this.#flags & STOPPED) return;
		try {
			this.begin();
			try {
				this.#machine.advance(nowMs);
			} finally {
				this.end(nowMs);
			}
		} catch (error) {
			this.#driver.failed(this.part, error);
		}
	}

	private begin(): void {
		if (this.#machine.deadlineMs !== this.#seenMs) {
			this.#driver.failed(this.part, new Error("a machine was changed past its driver"));
		}
		this.#flags |= BUSY;
	}

	/** Uses `nowMs`, because reading the clock again would take as long as the rest of the function. */
	private end(nowMs: number): void {
		try {
			do {
				this.#flags &= ~CHANGED;
				if ((this.#flags & STOPPED) === 0) this.#machine.drain?.(nowMs);
			} while (this.#flags & CHANGED);
		} finally {
			this.#flags &= ~BUSY;
			this.#seenMs = this.#machine.deadlineMs;
			if ((this.#flags & STOPPED) === 0) this.#driver.arm(this.#seenMs);
		}
	}
}

/**
 * Runs the gateway's machines and policies as tasks; the only place with the clock, the timer and the guard. The code
 * below it (protocol machines, the meter reader, Wi-Fi, mDNS, SNTP, HTTP) takes the time as an argument and announces
 * its next call by `deadlineMs`.
 *
 * A machine may change only inside `update()` or `fromHost()` of its task (Drive). Each change is followed by `drain()`, which
 * performs all outputs of the machine; only then is its deadline read. A machine changed by other means is detected in
 * its next tick, by a deadline that differs from the last known one, and logged as a programming error.
 *
 * One host timer serves all tasks, set at or before the earliest deadline. A deadline that moves later (as with each
 * received piece) leaves the timer unchanged; when it fires too early, it is set again. Cost: seven XS slots per task.
 */
import type { Clock, Timers } from "./host.js";
import type { Timed } from "./machine.js";

/** Maximum timer delay: hosts count no further than 2^31 ms. A later deadline is checked again then. */
const TIMER_LIMIT_MS = 86_400_000;

export interface DriverDeps {
	readonly clock: Clock;
	readonly timers: Timers;
	/** Runs a host callback; catches and logs programming errors. `part` names the task in the log. */
	guard(part: string, run: () => void): void;
}

/** A machine run as a task. */
export interface ScheduledMachine extends Timed {
	/**
	 * Performs all outputs of the machine. Called after each change. It may change its own machine, and is then called
	 * again.
	 */
	drain?(nowMs: number): void;
}

export class Driver {
	readonly #deps: DriverDeps;
	/** Head of a linked list, newest first: an array would take a chunk. */
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

	/** Runs `machine` as a task until the task is stopped; `part` names it in the log. */
	register(part: string, machine: ScheduledMachine): Task {
		const task = new Task(this, part, machine);
		task.next = this.#first;
		this.#first = task;
		this.arm(machine.deadlineMs);
		return task;
	}

	/** Returns the monotonic time for information; a change of a machine must use the time passed by its task. */
	nowMs(): number {
		return this.#deps.clock.monotonicMs();
	}

	guard(part: string, run: () => void): void {
		this.#deps.guard(part, run);
	}

	/** Logs a programming error. */
	failed(part: string, error: unknown): void {
		this.#deps.guard(part, () => {
			throw error;
		});
	}

	/** Requests a tick at `deadlineMs`. */
	arm(deadlineMs: number): void {
		if (deadlineMs >= this.#timerAtMs || deadlineMs === Number.POSITIVE_INFINITY) return;
		const { timers } = this.#deps;
		if (this.#timer !== undefined) timers.clear(this.#timer);
		const nowMs = this.nowMs();
		this.#timerAtMs = Math.min(deadlineMs, nowMs + TIMER_LIMIT_MS);
		this.#timer = timers.set(this.#fire, Math.max(0, this.#timerAtMs - nowMs));
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

	/** Runs each due task once. A task that is due again at once waits for the next timer, so that the host can run. */
	private advance(): void {
		const nowMs = this.nowMs();
		// A removed task keeps its `next`; new tasks are at the head and not due yet.
		for (let task = this.#first; task !== undefined; task = task.next) task.advanceIfDue(nowMs);
		let earliestMs = Number.POSITIVE_INFINITY;
		for (let task = this.#first; task !== undefined; task = task.next)
			earliestMs = Math.min(earliestMs, task.deadlineMs);
		this.arm(earliestMs);
	}
}

/** The machine is being changed or drained. */
const BUSY = 1;
/** The machine was changed in its own `drain()`. */
const CHANGED = 2;
const STOPPED = 4;

/** A task: one machine run by the driver. */
export class Task {
	readonly part: string;
	next: Task | undefined;
	readonly #driver: Driver;
	readonly #machine: ScheduledMachine;
	/** Deadline of the machine after its last drain. */
	#seenMs: number;
	/** BUSY, CHANGED, STOPPED: one number for all three, because each field costs memory in every task. */
	#flags = 0;

	constructor(driver: Driver, part: string, machine: ScheduledMachine) {
		this.#driver = driver;
		this.part = part;
		this.#machine = machine;
		this.#seenMs = machine.deadlineMs;
	}

	/** Last known deadline, monotonic ms. */
	get deadlineMs(): number {
		return this.#seenMs;
	}

	/** Changes the machine; returns the result of `change`. Passes on its exceptions after the drain. */
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

	/** Changes the machine from a host callback; catches and logs exceptions. Does nothing after `stop()`. */
	fromHost(change: (nowMs: number) => void): void {
		if (this.#flags & STOPPED) return;
		// Not wrapped in a guard, because each call uses some of the chip's small stack.
		try {
			this.update(change);
		} catch (error) {
			this.#driver.failed(this.part, error);
		}
	}

	/** Stops the task; the machine is neither advanced nor drained afterwards. */
	stop(): void {
		this.#flags |= STOPPED;
		this.#driver.remove(this);
	}

	/** Called by Driver in a tick of its own. */
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

	/** `nowMs` is the time of the change: reading the clock again costs as much as the rest. */
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

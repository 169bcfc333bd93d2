/**
 * Drives the machines and policies of the gateway: the one place with the clock, the timer and the guard. What is below
 * it (protocol machines, the meter reader, Wi-Fi, mDNS, SNTP, HTTP) takes the time as an argument and tells by
 * `deadlineMs` when it wants to be called again.
 *
 * The rule: a machine changes only in `update` or `fromHost` of its drive. Each change is followed by its `drain`, in which all that
 * the machine has to say is carried out, and only then is its deadline looked at. A machine that was changed past its
 * driver is found at its next turn, by a deadline other than the one seen last; that is logged as a mistake of ours.
 *
 * One timer of the host serves all: it stands at or before the earliest deadline. A deadline that moves away (as it does
 * with each piece that arrives) leaves it where it is; firing early, it is set anew. Cost: seven slots a machine.
 */
import type { Clock, Timers } from "./host.js";
import type { Timed } from "./machine.js";

/** Hosts count no further than 2^31 ms; a deadline that is further off is looked at again then. */
const TIMER_LIMIT_MS = 86_400_000;

export interface DriverDeps {
	readonly clock: Clock;
	readonly timers: Timers;
	/** Runs a callback of the host, and catches and logs our own mistakes; `part` names the one to blame. */
	guard(part: string, run: () => void): void;
}

/** What is driven. */
export interface ScheduledMachine extends Timed {
	/**
	 * Carries out what it has to say, until there is no more. Called after each change; it may tell the same machine
	 * something, and is then called again.
	 */
	drain?(nowMs: number): void;
}

export class Driver {
	readonly #deps: DriverDeps;
	/** The newest of a chain: an array would take a chunk. */
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

	/** Drives `machine` until the drive is stopped; `part` names it in the log. */
	register(part: string, machine: ScheduledMachine): Task {
		const task = new Task(this, part, machine);
		task.next = this.#first;
		this.#first = task;
		this.arm(machine.deadlineMs);
		return task;
	}

	/** For whoever only wants to know; what changes a machine is given the time by its drive. */
	nowMs(): number {
		return this.#deps.clock.monotonicMs();
	}

	guard(part: string, run: () => void): void {
		this.#deps.guard(part, run);
	}

	/** For Drive: logs a mistake of ours. */
	failed(part: string, error: unknown): void {
		this.#deps.guard(part, () => {
			throw error;
		});
	}

	/** For Drive: a machine wants to be called at `deadlineMs`. */
	arm(deadlineMs: number): void {
		if (deadlineMs >= this.#timerAtMs || deadlineMs === Number.POSITIVE_INFINITY) return;
		const { timers } = this.#deps;
		if (this.#timer !== undefined) timers.clear(this.#timer);
		const nowMs = this.nowMs();
		this.#timerAtMs = Math.min(deadlineMs, nowMs + TIMER_LIMIT_MS);
		this.#timer = timers.set(this.#fire, Math.max(0, this.#timerAtMs - nowMs));
	}

	/** For Drive. */
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

	/** Calls all whose time has come, once each: one that wants to be called again at once lets the host have its turn. */
	private advance(): void {
		const nowMs = this.nowMs();
		// One that leaves the chain still knows its next; what is new stands in front and has not waited yet.
		for (let task = this.#first; task !== undefined; task = task.next) task.advanceIfDue(nowMs);
		let earliestMs = Number.POSITIVE_INFINITY;
		for (let task = this.#first; task !== undefined; task = task.next)
			earliestMs = Math.min(earliestMs, task.deadlineMs);
		this.arm(earliestMs);
	}
}

/** The machine is being changed or drained. */
const BUSY = 1;
/** It was changed in its own drain. */
const CHANGED = 2;
const STOPPED = 4;

/** One machine in the hands of the driver. */
export class Task {
	/** The machine's name in the log. */
	readonly part: string;
	/** The driver's. */
	next: Task | undefined;
	readonly #driver: Driver;
	readonly #machine: ScheduledMachine;
	/** The machine's deadline after its last drain. */
	#seenMs: number;
	/** BUSY, CHANGED, STOPPED: one number for the three, since each drive pays for a field. */
	#flags = 0;

	constructor(driver: Driver, part: string, machine: ScheduledMachine) {
		this.#driver = driver;
		this.part = part;
		this.#machine = machine;
		this.#seenMs = machine.deadlineMs;
	}

	/** As the driver has seen it last. */
	get deadlineMs(): number {
		return this.#seenMs;
	}

	/** Changes the machine; gives what `change` gives. What it throws goes to the caller, after the drain. */
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

	/** As `update`, for callbacks of the host: what is thrown is caught and logged. Nothing happens once it is stopped. */
	fromHost(change: (nowMs: number) => void): void {
		if (this.#flags & STOPPED) return;
		// Not by a guard around it: each call takes from a stack that is short on the chip.
		try {
			this.update(change);
		} catch (error) {
			this.#driver.failed(this.part, error);
		}
	}

	/** The machine is neither advanced nor drained any more. */
	stop(): void {
		this.#flags |= STOPPED;
		this.#driver.remove(this);
	}

	/** For Driver, which calls it in a turn of its own. */
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

	/** The time is that of the change: reading the clock costs as much as the rest. */
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

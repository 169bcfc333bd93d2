/**
 * Drives the machines and policies of the gateway: the one place with the clock, the timer and the guard. What is below
 * it (protocol machines, the meter reader, Wi-Fi, mDNS, SNTP, HTTP) takes the time as an argument and tells by
 * `deadlineMs` when it wants to be called again.
 *
 * The rule: a machine changes only in `tell` or `run` of its drive. Each change is followed by a drain, in which all that
 * the machine has to say is carried out, and only then is its deadline looked at. A machine that was changed past its
 * driver is found at its next turn, by a deadline other than the one seen last; that is logged as a mistake of ours.
 *
 * One timer of the host serves all: it stands at or before the earliest deadline. A deadline that moves away (as it does
 * with each piece that arrives) leaves it where it is; firing early, it is set anew. Cost: eight slots a machine.
 */
import type { Clock, Timers } from "./host.js";
import type { Timed } from "./machine.js";

export interface DriverWorld {
	readonly clock: Clock;
	readonly timers: Timers;
	/** Runs a callback of the host, and catches and logs our own mistakes; `part` names the one to blame. */
	guard(part: string, run: () => void): void;
}

export class Driver {
	readonly #world: DriverWorld;
	readonly #drives: Drive[] = [];
	#timer: number | undefined;
	#timerAtMs = Number.POSITIVE_INFINITY;
	readonly #fire = () => {
		this.#timer = undefined;
		this.#timerAtMs = Number.POSITIVE_INFINITY;
		this.advance();
	};

	constructor(world: DriverWorld) {
		this.#world = world;
	}

	/**
	 * Drives `machine` until the drive is stopped. `drain` carries out what it has to say, until there is no more; it may
	 * tell the same machine something, and is then called again. It is called on the machine, so that a method of it needs
	 * no function of its own.
	 */
	drive(part: string, machine: Timed, drain?: (nowMs: number) => void): Drive {
		const drive = new Drive(this, part, machine, drain);
		this.#drives.push(drive);
		this.arm(machine.deadlineMs);
		return drive;
	}

	/** For whoever only wants to know; what changes a machine is given the time by its drive. */
	nowMs(): number {
		return this.#world.clock.monotonicMs();
	}

	guard(part: string, run: () => void): void {
		this.#world.guard(part, run);
	}

	/** For Drive: a machine wants to be called at `deadlineMs`. */
	arm(deadlineMs: number): void {
		if (deadlineMs >= this.#timerAtMs) return;
		const { timers } = this.#world;
		if (this.#timer !== undefined) timers.clear(this.#timer);
		this.#timerAtMs = deadlineMs;
		this.#timer = timers.set(this.#fire, Math.max(0, deadlineMs - this.nowMs()));
	}

	/** For Drive. */
	remove(drive: Drive): void {
		const at = this.#drives.indexOf(drive);
		if (at >= 0) this.#drives.splice(at, 1);
		if (this.#drives.length > 0 || this.#timer === undefined) return;
		this.#world.timers.clear(this.#timer);
		this.#timer = undefined;
		this.#timerAtMs = Number.POSITIVE_INFINITY;
	}

	/** Calls all whose time has come, once each: one that wants to be called again at once lets the host have its turn. */
	private advance(): void {
		const nowMs = this.nowMs();
		// From the end, since one that stops leaves the list; what is new has not waited yet.
		for (let i = this.#drives.length - 1; i >= 0; i--) this.#drives[i]?.advanceIfDue(nowMs);
		let earliestMs = Number.POSITIVE_INFINITY;
		for (let i = 0; i < this.#drives.length; i++) earliestMs = Math.min(earliestMs, this.#drives[i].deadlineMs);
		this.arm(earliestMs);
	}
}

/** The machine is being changed or drained. */
const BUSY = 1;
/** It was changed in its own drain. */
const CHANGED = 2;
const STOPPED = 4;

/** One machine in the hands of the driver. */
export class Drive {
	readonly #driver: Driver;
	readonly #part: string;
	readonly #machine: Timed;
	readonly #drain: ((nowMs: number) => void) | undefined;
	/** The machine's deadline after its last drain. */
	#seenMs: number;
	/** BUSY, CHANGED, STOPPED: one number for the three, since each drive pays for a field. */
	#flags = 0;

	constructor(driver: Driver, part: string, machine: Timed, drain: ((nowMs: number) => void) | undefined) {
		this.#driver = driver;
		this.#part = part;
		this.#machine = machine;
		this.#drain = drain;
		this.#seenMs = machine.deadlineMs;
	}

	/** The machine's name in the log. */
	get part(): string {
		return this.#part;
	}

	/** As the driver has seen it last. */
	get deadlineMs(): number {
		return this.#seenMs;
	}

	/** Changes the machine; gives what `change` gives. What it throws goes to the caller, after the drain. */
	tell<Result>(change: (nowMs: number) => Result): Result {
		if (this.#flags & BUSY) {
			this.#flags |= CHANGED;
			return change(this.#driver.nowMs());
		}
		if (this.#machine.deadlineMs !== this.#seenMs) this.complain();
		this.#flags |= BUSY;
		try {
			return change(this.#driver.nowMs());
		} finally {
			this.settle();
		}
	}

	/** As `tell`, for callbacks of the host: what is thrown is caught and logged. Nothing happens once it is stopped. */
	run(change: (nowMs: number) => void): void {
		if (this.#flags & STOPPED) return;
		this.#driver.guard(this.#part, () => this.tell(change));
	}

	/** The machine is neither advanced nor drained any more. */
	stop(): void {
		this.#flags |= STOPPED;
		this.#driver.remove(this);
	}

	/** For Driver. */
	advanceIfDue(nowMs: number): void {
		if (nowMs >= this.#seenMs) this.run((ms) => this.#machine.advance(ms));
	}

	private settle(): void {
		try {
			do {
				this.#flags &= ~CHANGED;
				if ((this.#flags & STOPPED) === 0) this.#drain?.call(this.#machine, this.#driver.nowMs());
			} while (this.#flags & CHANGED);
		} finally {
			this.#flags &= ~BUSY;
			this.#seenMs = this.#machine.deadlineMs;
			if ((this.#flags & STOPPED) === 0) this.#driver.arm(this.#seenMs);
		}
	}

	private complain(): void {
		this.#driver.guard(this.#part, () => {
			throw new Error("a machine was changed past its driver");
		});
	}
}

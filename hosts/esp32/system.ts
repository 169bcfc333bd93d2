/** Access to the chip (system.c). */
import type { Clock, Ending } from "../../modules/io/host.js";

export class System {
	static trace(line: string): void {
		native("xs_system_trace").call(this, line);
	}
	static monotonicMs(): number {
		return native("xs_system_monotonic").call(this);
	}
	/** Milliseconds since 1970, or since power-on if the clock was never set. */
	static utcMs(): number {
		return native("xs_system_utc").call(this);
	}
	static setUTC(utcMs: number): void {
		native("xs_system_set_utc").call(this, utcMs);
	}
	static mac(): string {
		return native("xs_system_mac").call(this);
	}
	/**
	 * Calls `target.onButton(pressed)` when the button changes. GPIO `pin` is low while the button is pressed. Throws an
	 * Error if the pin cannot be watched.
	 */
	static watchButton(target: object, pin: number): void {
		native("xs_power_button").call(this, target, pin);
	}
	/** Never returns. */
	static restart(): void {
		native("xs_system_restart").call(this);
	}
	/** Restarts; the next start reports `reason`. */
	static fail(reason: string): void {
		native("xs_system_fail").call(this, reason);
	}
	static ending(): Ending {
		const ended = System.#ended();
		return { cause: ended[0], isFault: ended[1], isLowVoltage: ended[2] };
	}
	static #ended(): readonly [cause: string, isFault: boolean, isLowVoltage: boolean] {
		return native("xs_system_ending").call(this);
	}
	static switchedOn(): boolean {
		return native("xs_system_switched_on").call(this);
	}
	/** Stores the reason of an abort, so that the next start reports it. Call once. */
	static watchAborts(): void {
		native("xs_system_watch_aborts").call(this);
	}
}

/**
 * 2020-01-01. An earlier time means that the clock was not set: the clock begins at 1970 after each power cut, and no
 * unit runs for 50 years without a power cut.
 */
const EARLIEST_UTC_MS = 1_577_836_800_000;

export class ChipClock implements Clock {
	#set = System.utcMs() >= EARLIEST_UTC_MS;

	monotonicMs(): number {
		return System.monotonicMs();
	}

	utcMs(): number | undefined {
		return this.#set ? System.utcMs() : undefined;
	}

	setUTC(utcMs: number): void {
		System.setUTC(utcMs);
		this.#set = true;
	}
}

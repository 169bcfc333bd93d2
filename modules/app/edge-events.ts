/** Log entries made when a state changes. */
import type { EventLog } from "../diagnostics/event-log.js";
import {
	EVENT_CLOCK,
	EVENT_METER_FAILED,
	EVENT_METER_READ,
	EVENT_NETWORK_DOWN,
	EVENT_NETWORK_UP,
} from "../diagnostics/events.js";

export interface InitialState {
	/** True after a wake by the timer; network changes are then not logged. */
	readonly isRoutine: boolean;
	readonly isClockSet: boolean;
	readonly meterFailure: string | undefined;
}

export class EdgeEvents {
	readonly #events: EventLog;
	readonly #isRoutine: boolean;
	/** Failure code; "" after a good readout; undefined while unknown. */
	meterFailure: string | undefined;
	#ip = "";
	#isByCable = false;
	#isClockSet: boolean;

	constructor(events: EventLog, { isRoutine, isClockSet, meterFailure }: InitialState) {
		this.#events = events;
		this.#isRoutine = isRoutine;
		this.#isClockSet = isClockSet;
		this.meterFailure = meterFailure;
	}

	/** Returns whether address or interface changed. `ip`: "" without a network. */
	networkChanged(ip: string, isByCable: boolean): boolean {
		if (ip === this.#ip && isByCable === this.#isByCable) return false;
		this.#ip = ip;
		this.#isByCable = isByCable;
		if (!this.#isRoutine) this.#events.note(ip === "" ? EVENT_NETWORK_DOWN : EVENT_NETWORK_UP, ip);
		return true;
	}

	clockChanged(): void {
		if (!this.#isClockSet) this.#events.note(EVENT_CLOCK);
		this.#isClockSet = true;
	}

	meterChanged(code: string): void {
		if (code === this.meterFailure) return;
		this.meterFailure = code;
		this.#events.note(code === "" ? EVENT_METER_READ : EVENT_METER_FAILED, code);
	}
}

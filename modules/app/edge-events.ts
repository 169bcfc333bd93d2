/** Makes log entries when the network, the clock or the result of the readouts changes. */
import type { EventLog } from "../diagnostics/event-log.js";
import {
	EVENT_CLOCK,
	EVENT_METER_FAILED,
	EVENT_METER_READ,
	EVENT_NETWORK_DOWN,
	EVENT_NETWORK_UP,
} from "../diagnostics/events.js";

export interface InitialState {
	/** True if the timer has woken the device. Network changes are not logged then. */
	readonly isRoutine: boolean;
	readonly isClockSet: boolean;
	readonly meterFailure: string | undefined;
}

export class EdgeEvents {
	readonly #events: EventLog;
	readonly #isRoutine: boolean;
	/** Failure code of the last readout; "" after a good readout; undefined before the first one. */
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

	/** Returns whether the address or the interface has changed. `ip` is "" without a network. */
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
		const before = this.meterFailure ?? "";
		this.meterFailure = code;
		if (code === before) return;
		this.#events.note(code === "" ? EVENT_METER_READ : EVENT_METER_FAILED, code);
	}
}

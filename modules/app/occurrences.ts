/** What the gateway notes in its log only when it is something else than before. For gateway.ts. */
import type { EventLog } from "../diagnostics/event-log.js";
import {
	EVENT_CLOCK,
	EVENT_METER_FAILED,
	EVENT_METER_READ,
	EVENT_NETWORK_DOWN,
	EVENT_NETWORK_UP,
} from "../diagnostics/events.js";

/** What is known at the start, of before it. */
export interface KnownBefore {
	/** It was woken for a reading: that it comes and goes in the network then is no event. */
	readonly isRoutine: boolean;
	readonly isClockSet: boolean;
	/** As `meterFailure`. */
	readonly meterFailure: string | undefined;
}

export class Occurrences {
	readonly #events: EventLog;
	readonly #isRoutine: boolean;
	/** Code of what is wrong with the meter; empty: nothing; undefined: nobody knows yet. */
	meterFailure: string | undefined;
	/** Our address in the network. */
	#ip = "";
	/** It is the Ethernet port's. */
	#isByCable = false;
	#isClockSet: boolean;

	constructor(events: EventLog, { isRoutine, isClockSet, meterFailure }: KnownBefore) {
		this.#events = events;
		this.#isRoutine = isRoutine;
		this.#isClockSet = isClockSet;
		this.meterFailure = meterFailure;
	}

	/** `ip` is empty in no network. Whether that is another address than before, or the same one by another way. */
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

	/** Empty: the meter was read. */
	meterChanged(code: string): void {
		if (code === this.meterFailure) return;
		this.meterFailure = code;
		this.#events.note(code === "" ? EVENT_METER_READ : EVENT_METER_FAILED, code);
	}
}

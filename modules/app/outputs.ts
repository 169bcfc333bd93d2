/** What readings leave by, made here and told together: for gateway.ts. Not in safe mode. */
import type { EventLog } from "../diagnostics/event-log.js";
import { EVENT_HUB_BACK, EVENT_HUB_FAILED } from "../diagnostics/events.js";
import { Hub, type HubUser, type HubWorld } from "../hub/hub.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import { Turn } from "../publish/turn.js";

export interface OutputsWorld extends Omit<HubWorld, "hubUser" | "turn"> {
	readonly events: EventLog;
	guard(part: string, run: () => void): void;
}

export class Outputs implements HubUser {
	readonly #world: OutputsWorld;
	/** Undefined where the host makes no connections. */
	readonly hub: Hub | undefined;

	/** `world` is kept, and gets what the outputs have of their own. */
	constructor(world: OutputsWorld) {
		this.#world = world;
		const shared = Object.assign(world, { hubUser: this, turn: new Turn() });
		if (world.ports.tcpClient !== undefined) this.hub = new Hub(shared);
	}

	/** A meter has given a good readout. */
	measured(): void {
		this.#world.guard("hub", () => this.hub?.measured());
	}

	stop(): void {
		this.hub?.stop();
	}

	/** For Hub. */
	hubChanged(failure: OutputFailure | undefined): void {
		const { events } = this.#world;
		if (failure === undefined) events.note(EVENT_HUB_BACK);
		else events.note(EVENT_HUB_FAILED, failure.code);
	}
}

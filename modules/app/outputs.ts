/** What readings leave by, made here and told together: for gateway.ts. Not in safe mode. */
import type { EventLog } from "../diagnostics/event-log.js";
import { EVENT_HUB_BACK, EVENT_HUB_FAILED, EVENT_MQTT_FAILED, EVENT_MQTT_SENT } from "../diagnostics/events.js";
import { Hub, type HubUser, type HubWorld } from "../hub/hub.js";
import { MQTTService, type MQTTUser, type MQTTWorld } from "../mqtt/service.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import { Turn } from "../publish/turn.js";
import type { Readout } from "../readout/readout.js";

export interface OutputsWorld extends Omit<HubWorld & MQTTWorld, "hubUser" | "mqttUser" | "turn"> {
	readonly events: EventLog;
	guard(part: string, run: () => void): void;
}

export class Outputs implements HubUser, MQTTUser {
	readonly #world: OutputsWorld;
	/** Undefined where the host makes no connections. */
	readonly hub: Hub | undefined;
	readonly mqtt: MQTTService | undefined;

	/** `world` is kept, and gets what the outputs have of their own. */
	constructor(world: OutputsWorld) {
		this.#world = world;
		const shared = Object.assign(world, { hubUser: this, mqttUser: this, turn: new Turn() });
		if (world.ports.tcpClient === undefined) return;
		this.hub = new Hub(shared);
		this.mqtt = new MQTTService(shared);
		// Without a radio there is always a network.
		if (world.radio === undefined) this.mqtt.networkChanged(true);
	}

	/** A meter has given a good readout. */
	measured(readout: Readout): void {
		this.#world.guard("hub", () => this.hub?.measured());
		this.#world.guard("mqtt", () => this.mqtt?.measured(readout));
	}

	/** We have another address in a network, or none. */
	networkChanged(isUp: boolean): void {
		if (isUp) this.hub?.networkUp();
		this.mqtt?.networkChanged(isUp);
	}

	stop(): void {
		this.hub?.stop();
		this.mqtt?.stop();
	}

	/** For Hub. */
	hubChanged(failure: OutputFailure | undefined): void {
		const { events } = this.#world;
		if (failure === undefined) events.note(EVENT_HUB_BACK);
		else events.note(EVENT_HUB_FAILED, failure.code);
	}

	/** For MQTTService. */
	mqttChanged(failure: OutputFailure | undefined): void {
		const { events } = this.#world;
		if (failure === undefined) events.note(EVENT_MQTT_SENT);
		else events.note(EVENT_MQTT_FAILED, failure.code);
	}
}

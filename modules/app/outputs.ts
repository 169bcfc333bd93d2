/** What makes connections to others, made here and told together: for gateway.ts. Not in safe mode. */
import type { Live } from "../core/live.js";
import type { EventLog } from "../diagnostics/event-log.js";
import { EVENT_HUB_BACK, EVENT_HUB_FAILED, EVENT_MQTT_FAILED, EVENT_MQTT_SENT } from "../diagnostics/events.js";
import { Hub, type HubUser, type HubWorld } from "../hub/hub.js";
import type { Update } from "../io/flash.js";
import { MQTTService, type MQTTUser, type MQTTWorld } from "../mqtt/service.js";
import { type NoticeWorld, UpgradeNotice } from "../ota/notice.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import { Turn } from "../publish/turn.js";
import type { Readout } from "../readout/readout.js";

/** What the gateway has of its own for them. */
export interface OutputsParts
	extends Pick<
		HubWorld & MQTTWorld,
		| "config"
		| "hubCertificates"
		| "ledger"
		| "mqttCertificates"
		| "names"
		| "networkSettings"
		| "ports"
		| "power"
		| "radio"
		| "reader"
		| "saving"
	> {
	readonly events: Pick<EventLog, "note">;
	readonly live: Pick<Live, "changed">;
	/** Undefined where the host takes no updates. */
	readonly update: Update | undefined;
}

export interface OutputsWorld
	extends Omit<HubWorld & MQTTWorld & NoticeWorld, keyof OutputsParts | "hubUser" | "mqttUser" | "turn"> {
	guard(part: string, run: () => void): void;
}

export class Outputs implements HubUser, MQTTUser {
	readonly #world: OutputsWorld & OutputsParts;
	/** Undefined where the host makes no connections. */
	readonly hub: Hub | undefined;
	readonly mqtt: MQTTService | undefined;
	/** Which of them has a connection by TLS. */
	readonly turn = new Turn();
	/** Undefined where no update could be taken. */
	readonly upgrade: UpgradeNotice | undefined;

	/** They see `parts` over `world` and not in it: others have parts of the same names there. */
	constructor(world: OutputsWorld, parts: OutputsParts) {
		const shared: HubWorld & MQTTWorld & NoticeWorld & OutputsWorld & OutputsParts = Object.assign(
			Object.create(world),
			parts,
			{
				hubUser: this,
				mqttUser: this,
				turn: this.turn,
			},
		);
		this.#world = shared;
		if (parts.ports.tcpClient === undefined) return;
		this.hub = new Hub(shared);
		this.mqtt = new MQTTService(shared);
		// Without a radio there is always a network.
		if (parts.radio === undefined) this.mqtt.networkChanged(true);
		const { ports, update } = parts;
		if (ports.tlsClient === undefined || update === undefined || update.keys.length === 0) return;
		this.upgrade = new UpgradeNotice(shared, ports.tlsClient, update);
	}

	/** A meter has given a good readout. */
	measured(readout: Readout): void {
		this.#world.guard("hub", () => this.hub?.measured());
		this.#world.guard("mqtt", () => this.mqtt?.measured(readout));
	}

	/** The meter was to be read, and was not. */
	meterFailed(): void {
		this.hub?.meterFailed();
	}

	/** Something waits to be sent, or is on its way. */
	get busy(): boolean {
		return this.hub?.busy === true || this.mqtt?.busy === true;
	}

	/** We have another address in a network, or none. */
	networkChanged(isUp: boolean): void {
		if (isUp) this.hub?.networkUp();
		this.mqtt?.networkChanged(isUp);
	}

	stop(): void {
		this.hub?.stop();
		this.mqtt?.stop();
		this.upgrade?.stop();
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

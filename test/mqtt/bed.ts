/** The MQTT client alone, on virtual time. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { type Put, put } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import type { Core } from "../../modules/core/core.js";
import type { EventKind } from "../../modules/diagnostics/events.js";
import { Driver } from "../../modules/io/driver.js";
import type { Clock, Network, Power } from "../../modules/io/host.js";
import { type Memory, MemoryLedger } from "../../modules/io/memory.js";
import { TLSPermit } from "../../modules/io/tls-permit.js";
import { JSONWriter } from "../../modules/json/writer.js";
import { MQTT_CERTIFICATE, MQTT_ENABLED, MQTT_PASSWORD, MQTT_URL, MQTT_USER } from "../../modules/parts/mqtt/fields.js";
import { MQTTService } from "../../modules/parts/mqtt/service.js";
import type { OutputDeps } from "../../modules/publish/output.js";
import type { Readout } from "../../modules/readout/readout.js";
import { recordsOfBlock } from "../readout/block.js";
import { BROKER_ADDRESS, ScriptedBroker } from "./broker.js";

const names = readFileSync(new URL("../../../modules/resources/obis-names.bin", import.meta.url));

export const BASE = "smgw/virtual0001";
export const DISCOVERY_TOPIC = "homeassistant/device/smgw_virtual0001/config";
export const BLOCK = "1-0:1.8.0*255(001234.567*kWh)\r\n1-0:2.8.0*255(000001.000*kWh)\r\n1-0:16.7.0*255(-0.421*kW)";
/** Time in which new entities are announced and their values sent, ms. */
export const SENT_MS = 4000;
export const READ_UTC_MS = Date.UTC(2026, 10, 22, 10);

export interface BedOptions {
	storage?: VirtualStorage;
	memory?: Memory;
	seed?: number;
	/** Default: none. */
	startDelayMs?: number;
	/** False: the unit has no MQTT settings, and there is no broker. */
	isSet?: boolean;
	/** Default: the driver of virtual time. */
	driver?: Driver;
	clock?: Clock;
	ports?: Pick<Network, "tcpClient" | "tlsClient">;
	power?: Power;
	radio?: OutputDeps["radio"];
	peaks?: NonNullable<OutputDeps["peaks"]>;
	/** Set for a unit that sleeps. */
	saving?: { awakeUntilMs: number };
	/** Default: a host without updates. */
	firmware?: OutputDeps["firmware"];
}

export class Bed {
	readonly world: VirtualWorld;
	readonly config: ConfigStore;
	readonly tlsPermit = new TLSPermit();
	readonly service: MQTTService;
	readonly broker: ScriptedBroker;
	/** Reported codes of failures; "" when a failure is over. */
	readonly reports: string[] = [];
	readonly ledger: MemoryLedger;
	/** Commands that were carried out, and reasons for ignored ones. */
	readonly ran: string[] = [];
	readonly ignored: string[] = [];
	readonly metering = { freshSecs: 0 };
	/** Text of the present problem. */
	problem = "";
	/** `measured`: the last readout, even one from before MQTT was enabled. */
	readonly outcomes: { measured: Readout | undefined; failure: unknown; isOld: boolean } = {
		measured: undefined,
		failure: undefined,
		isOld: false,
	};

	constructor(options: BedOptions = {}) {
		const { storage, memory, seed = 1, isSet = true } = options;
		this.world = new VirtualWorld({ seed, ...(storage === undefined ? {} : { storage }) });
		const { world } = this;
		this.config = new ConfigStore(world.storage, world.text, ENTRIES);
		this.ledger = new MemoryLedger(memory);
		const { clock, crypto, info, network, text, timers } = world;
		const problem = () => this.problem;
		const guard = (_part: string, run: () => void) => run();
		if (isSet) this.set(put(MQTT_ENABLED, true), put(MQTT_URL, `mqtt://${BROKER_ADDRESS}`));
		const shared = {
			driver: options.driver ?? new Driver({ clock, timers, guard }),
			clock: options.clock ?? clock,
			config: this.config,
			crypto,
			firmware: options.firmware,
			info,
			ledger: this.ledger,
			metering: this.metering,
			names,
			networkSettings: { hostname: "gateway" },
			ports: options.ports ?? network,
			reader: { outcomes: this.outcomes },
			...(options.peaks === undefined ? {} : { peaks: options.peaks }),
			power: options.power,
			get problem() {
				return problem();
			},
			radio: options.radio,
			saving: options.saving,
			text,
			tlsPermit: this.tlsPermit,
			writer: new JSONWriter(text),
		};
		const events = { note: (_: EventKind, code = "") => this.reports.push(code) };
		const { config, ledger } = this;
		const core = { config, events, ledger, storage: world.storage } as unknown as Core;
		const commands = (command: string, whyNot: string) =>
			void (whyNot === "" ? this.ran.push(command) : this.ignored.push(whyNot));
		this.service = new MQTTService(core, shared, commands, options.startDelayMs);
		this.broker = new ScriptedBroker(world);
	}

	/** Changes settings before the service exists, or without notifying it. */
	set(...puts: Put[]): void {
		this.config.change(puts);
	}

	setLogin(user: string, password: string): void {
		this.set(put(MQTT_USER, user), put(MQTT_PASSWORD, password));
	}

	trust(pem: Uint8Array): void {
		const writer = this.service.certificates.open()!;
		writer.write(pem, 0, pem.length);
		this.set(put(MQTT_CERTIFICATE, writer.end()!));
		writer.close();
	}

	/** Connects the network. */
	start(ms = 1000): this {
		this.service.whenNetworkChanged(true);
		this.advance(ms);
		return this;
	}

	/** The gateway has a new readout, and publishes it. */
	publish(block?: string, meterId?: string): this {
		this.measured(block, meterId).advance(SENT_MS);
		return this;
	}

	/** The meter can't be read, or its momentary values have become too old. */
	fail(isOld = false): this {
		this.outcomes.failure = "timeout";
		this.outcomes.isOld = isOld;
		this.service.whenMeterFailed();
		return this;
	}

	measured(block = BLOCK, meterId = "TST5METER"): this {
		this.outcomes.failure = undefined;
		this.outcomes.isOld = false;
		this.service.whenMeasured(readoutOf(block, meterId));
		return this;
	}

	advance(ms: number): void {
		this.world.advance(ms);
	}

	/** Advances time until the next connection; returns the time taken, ms. */
	untilMet(limitMs = 7_200_000): number {
		const { time } = this.world;
		const fromMs = time.nowMs;
		const count = this.broker.sessions.length;
		assert.ok(
			time.runWhile(() => this.broker.sessions.length === count, fromMs + limitMs),
			"no connection was made",
		);
		return time.nowMs - fromMs;
	}

	/** Serves the broker again. */
	restore(): void {
		this.broker.serve(this.world);
	}

	stop(): void {
		this.service.whenStopping();
	}
}

export function readoutOf(block: string, meterId = "TST5METER"): Readout {
	return {
		protocol: "IEC62056-21",
		meterId: new Uint8Array(Buffer.from(meterId)),
		mode: 0x43,
		baud: 9600,
		utcMs: READ_UTC_MS,
		status: 0,
		records: recordsOfBlock(block),
	};
}

/**
 * The hub's policy in virtual time, with a server that stores states as Home Assistant's REST API does, or misbehaves.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { VirtualServer } from "../../hosts/node/virtual-servers.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { Core } from "../../modules/core/core.js";
import type { EventKind } from "../../modules/diagnostics/events.js";
import { History } from "../../modules/history/history.js";
import { Driver } from "../../modules/io/driver.js";
import type { Power } from "../../modules/io/host.js";
import { MemoryLedger, RESERVE } from "../../modules/io/memory.js";
import { TLSPermit } from "../../modules/io/tls-permit.js";
import { JSONWriter } from "../../modules/json/writer.js";
import {
	HUB_CERTIFICATE,
	HUB_ENABLED,
	HUB_LANG,
	HUB_STATISTICS,
	HUB_TOKEN,
	HUB_URL,
} from "../../modules/parts/hub/fields.js";
import { Hub } from "../../modules/parts/hub/hub.js";
import type { OutputFailure } from "../../modules/publish/connect-failures.js";
import type { SendTest } from "../../modules/publish/output.js";
import type { Readout } from "../../modules/readout/readout.js";
import { lastingPair } from "../api/server-identity.js";
import { guard } from "../faults.js";
import { zoneOf } from "../history/unit.js";
import { recordsOfBlock } from "../readout/block.js";

export const START_UTC_MS = Date.UTC(2026, 10, 22, 11);
export const ADDRESS = "192.0.2.7";
export const TOKEN = "canary-token-of-the-hub";
const names = readFileSync(new URL("../../../modules/resources/obis-names.bin", import.meta.url));
const HEAD_END = "\r\n\r\n";

export interface HubState {
	readonly state: string;
	readonly attributes: Readonly<Record<string, unknown>>;
}

/** A server that stores states. It replies 201 to a new state, 200 to a known one, and 401 to a wrong token. */
export class StateServer {
	readonly states = new Map<string, HubState>();
	/** Accepted states, such as `201 sensor.x 5`. */
	readonly log: string[] = [];
	/** Heads of all requests. */
	readonly heads: string[] = [];
	connections = 0;
	/** Called before the default reply, which is sent only if this function returns false. */
	answer: ((peer: VirtualClient, request: number) => boolean) | undefined;
	/** Time from a request to its reply, ms. */
	delayMs = 5;
	requests = 0;
	/** Takes over a connection with a GET request. */
	upgrade: ((peer: VirtualClient, head: string) => void) | undefined;
	readonly world: VirtualWorld;

	constructor(world: VirtualWorld) {
		this.world = world;
	}

	serve(port: number, more: VirtualServer = {}): void {
		const onConnection = (peer: VirtualClient) => {
			more.onConnection?.(peer);
			this.accept(peer);
		};
		this.world.servers.serve(ADDRESS, port, { ...more, onConnection });
	}

	/** Returns the log and clears it. */
	takeLog(): string[] {
		return this.log.splice(0);
	}

	/** Forgets all states, as a restart does. */
	forget(): void {
		this.states.clear();
	}

	private accept(peer: VirtualClient): void {
		this.connections++;
		peer.onReceived = () => {
			const { text } = peer;
			const end = text.indexOf(HEAD_END);
			if (end < 0) return;
			const head = text.slice(0, end);
			if (head.startsWith("GET ")) {
				peer.discard(Buffer.byteLength(head) + HEAD_END.length);
				this.upgrade?.(peer, `${head}${HEAD_END}`);
				return;
			}
			const length = Number(/^Content-Length: (\d+)$/m.exec(head)?.[1]);
			const bytes = peer.received;
			const size = Buffer.byteLength(head) + HEAD_END.length + length;
			if (bytes.length < size) return;
			const body = Buffer.from(bytes.subarray(size - length, size)).toString();
			peer.discard(size);
			this.heads.push(head);
			const number = ++this.requests;
			this.world.time.set(() => {
				if (peer.isClosed || this.answer?.(peer, number)) return;
				this.take(peer, head, body);
			}, this.delayMs);
		};
	}

	private take(peer: VirtualClient, head: string, body: string): void {
		const id = /^POST (?:\/sub)?\/api\/states\/(\S+) HTTP\/1\.1\r\n/.exec(head)?.[1];
		if (!head.includes(`\r\nAuthorization: Bearer ${TOKEN}\r\n`)) {
			reply(peer, "401 Unauthorized");
			return;
		}
		const state = JSON.parse(body) as HubState;
		if (
			id === undefined ||
			!/^(?!.+__)(?!_)[\da-z_]+(?<!_)\.(?!_)[\da-z_]+(?<!_)$/.test(id) ||
			state.state.length > 255
		) {
			reply(peer, "400 Bad Request");
			return;
		}
		const isNew = !this.states.has(id);
		this.states.set(id, state);
		this.log.push(`${isNew ? 201 : 200} ${id} ${state.state}`);
		reply(peer, isNew ? "201 Created" : "200 OK", body);
	}
}

export function reply(peer: VirtualClient, status: string, body = "", fields = ""): void {
	peer.send(`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${fields}\r\n${body}`);
}

export const OWN_CERTIFICATE = lastingPair("hub.lan");

export interface BedOptions {
	readonly url?: string;
	readonly token?: string;
	readonly enabled?: boolean;
	readonly certificate?: Uint8Array | undefined;
	readonly language?: string;
	readonly power?: Power;
	readonly utcMs?: number | undefined;
	/** Flash with a history, and other stored data. Statistics are sent only if both are given. */
	readonly flash?: VirtualFlash;
	readonly storage?: VirtualStorage;
}

export class HubBed {
	readonly world: VirtualWorld;
	readonly server: StateServer;
	readonly hub: Hub;
	readonly tlsPermit = new TLSPermit();
	readonly history: History | undefined;
	readonly backfill = { filledS: 0 };
	/** Changes of the output's state. */
	readonly events: string[] = [];
	readonly settings: Record<string, unknown>;
	readonly outcomes: { measured: Readout | undefined; failure: unknown; isOld: boolean } = {
		measured: undefined,
		failure: undefined,
		isOld: false,
	};
	/** The radio; undefined if the gateway has none. */
	radio: { address: unknown; station: { rssi: number } | undefined } | undefined;
	/** Whether the memory ledger grants memory. */
	hasMemory = true;
	/** Number of memory slots that the hub requested last. */
	promised = 0;
	readonly ledger = new MemoryLedger({
		suffices: (slots) => {
			this.promised = slots - RESERVE.slots;
			return this.hasMemory;
		},
	});

	constructor(options: BedOptions = {}) {
		const { utcMs = START_UTC_MS, power } = options;
		this.world = new VirtualWorld({ seed: 5, ...("utcMs" in options && options.utcMs === undefined ? {} : { utcMs }) });
		this.world.names.set("hub.lan", ADDRESS);
		this.server = new StateServer(this.world);
		this.settings = {
			[HUB_ENABLED.name]: options.enabled ?? true,
			[HUB_URL.name]: options.url ?? `http://${ADDRESS}:8123`,
			[HUB_TOKEN.name]: options.token ?? TOKEN,
			[HUB_LANG.name]: options.language ?? "en",
			[HUB_STATISTICS.name]: options.flash !== undefined,
			[HUB_CERTIFICATE.name]: new Uint8Array(0),
		};
		const { clock, timers, crypto, network } = this.world;
		const driver = new Driver({
			clock,
			timers,
			guard,
		});
		const bed = this;
		const text = new NodeText();
		const shared = {
			driver,
			clock,
			crypto,
			text,
			writer: new JSONWriter(text),
			ports: network,
			config: { get: (field: { name: string }) => bed.settings[field.name] } as never,
			ledger: this.ledger,
			tlsPermit: this.tlsPermit,
			reader: { outcomes: this.outcomes },
			get radio() {
				return bed.radio;
			},
			networkSettings: { hostname: "Smart-Gateway" },
			power,
			names,
			info: this.world.info,
			problem: "",
			firmware: undefined,
			metering: { freshSecs: 0 },
			saving: undefined,
		};
		const { certificate, flash, storage = new VirtualStorage() } = options;
		const events = { note: (_: EventKind, code = "back") => this.events.push(code) };
		const core = { config: shared.config, events, ledger: this.ledger, storage } as unknown as Core;
		const zone = zoneOf("Europe/Berlin");
		const historyDeps = { driver, storage, trace: () => {} };
		this.history = flash && History.open({ deps: historyDeps, ledger: this.ledger, zone, flash });
		const { history } = this;
		this.hub = new Hub(core, shared, history && { backfill: this.backfill, history, storage });
		if (certificate !== undefined) this.trust(certificate);
	}

	/** Stores the certificate of the server, without notifying the hub. */
	trust(pem: Uint8Array): void {
		const writer = this.hub.certificates.open()!;
		writer.write(pem, 0, pem.length);
		this.settings[HUB_CERTIFICATE.name] = writer.end()!;
		writer.close();
	}

	/** A bed whose hub can be reached at the default address. */
	static served(options?: BedOptions): HubBed {
		const bed = new HubBed(options);
		bed.server.serve(8123);
		return bed;
	}

	/** Makes a new readout of this block. */
	read(block: string): this {
		const utcMs = this.world.time.utcMs() ?? 0;
		const meterId = Buffer.from('/ISk5"MT');
		this.outcomes.measured = {
			protocol: "IEC62056-21",
			meterId,
			mode: 0x43,
			baud: 9600,
			utcMs,
			status: 0,
			records: recordsOfBlock(block),
		};
		this.outcomes.failure = undefined;
		this.outcomes.isOld = false;
		this.history?.whenMeasured(this.outcomes.measured);
		this.hub.whenMeasured();
		return this;
	}

	/** The meter can't be read, or its momentary values have become too old. */
	fail(isOld = false): this {
		this.outcomes.failure = "timeout";
		this.outcomes.isOld = isOld;
		this.hub.whenMeterFailed();
		return this;
	}

	advance(ms: number): void {
		this.world.advance(ms);
	}

	/** Result and duration of a test. */
	test(limitMs = 90_000): { failure: OutputFailure | undefined; status: number; ms: number } | undefined {
		const sinceMs = this.world.time.nowMs;
		let result: { failure: OutputFailure | undefined; status: number; ms: number } | undefined;
		const test: SendTest = {
			finished: (failure, status) => {
				assert.equal(result, undefined, "the test has finished twice");
				result = { failure, status, ms: this.world.time.nowMs - sinceMs };
			},
		};
		if (!this.hub.test(test)) return undefined;
		this.world.time.runWhile(() => result === undefined, sinceMs + limitMs);
		assert.ok(result, "the test does not finish");
		return result;
	}
}

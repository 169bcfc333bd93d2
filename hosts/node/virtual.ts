/**
 * The virtual world is a whole Host in one process with virtual time. Tests run the gateway and its parts in it.
 *
 *   const world = new VirtualWorld({ seed: 1 });
 *   world.serial.meter.connect(meter);            // any sans-io machine, at the end of a modelled wire
 *   new Gateway(world).start();
 *   world.advance(5000);                          // all events of five seconds happen in order
 *   const reply = world.request("/api/v1/…");     // advances the time until the reply is complete
 *
 * Nothing happens until the test advances the time, and the same seed gives the same run. An exception in a callback of
 * the gateway is rethrown by `advance`, `run` or `request`.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Crypto } from "../../modules/io/crypto.js";
import type { EthernetPort } from "../../modules/io/ethernet.js";
import type { Sleep } from "../../modules/io/flash.js";
import type {
	CoprocessorPort,
	Ending,
	Host,
	HostInfo,
	LEDPort,
	Network,
	Power,
	Resources,
	SerialPort,
	TextCodec,
} from "../../modules/io/host.js";
import type { WiFiPort } from "../../modules/io/wifi.js";
import type { BootLoader } from "../simulated/boot-loader.js";
import { POWER_ON, StoredRetained } from "../simulated/ending.js";
import { SimulatedButton } from "./button.js";
import { NodeCrypto, NodeText } from "./platform.js";
import { SeededRandom } from "./random.js";
import { VirtualFlash } from "./virtual-flash.js";
import { VirtualLine, type VirtualLineOptions } from "./virtual-line.js";
import { type VirtualClient, VirtualListenerPort } from "./virtual-network.js";
import { encodeRequest, takeReply, type VirtualReply, type VirtualRequest } from "./virtual-request.js";
import { VirtualServers } from "./virtual-servers.js";
import { VirtualStorage } from "./virtual-storage.js";
import { VirtualTime } from "./virtual-time.js";
import { VirtualResolver, VirtualUDPPort } from "./virtual-udp.js";
import type { VirtualSlots } from "./virtual-update.js";

export interface VirtualOptions extends VirtualLineOptions {
	seed?: number;
	/** Clock and timers, which several worlds may share. Default: new ones. */
	time?: VirtualTime;
	/** Outgoing connections. Default: connections to `servers`. */
	clients?: Pick<Network, "tcpClient" | "tlsClient">;
	/** Time of the clock at the start. Default: the clock was never set. */
	utcMs?: number;
	/** Storage of a previous virtual world, for a restart. */
	storage?: VirtualStorage;
	flash?: VirtualFlash;
	/**
	 * Firmware slots: new ones, or for a restart those of the previous world. Without slots the unit accepts no updates.
	 */
	slots?: VirtualSlots;
	retained?: VirtualRetained;
	/** End of the previous program. Default: the power was switched on. */
	ending?: Ending;
	resources?: ReadonlyMap<string, Uint8Array>;
	info?: Partial<HostInfo>;
	/** True if there is a TLS listener. Default: true. */
	https?: boolean;
	/** True if there are UDP and name resolution. Default: true. */
	udp?: boolean;
	/** True if the unit has a button. Default: true. */
	button?: boolean;
	/** True if the power was switched on. If given, the unit has no button. */
	switchedOn?: boolean;
	console?: (time: VirtualTime) => SerialPort;
	zigbee?: (time: VirtualTime) => CoprocessorPort;
	led?: LEDPort;
	/** Signed settings file that the factory data contain. */
	settingsFile?: Uint8Array;
	/** Free memory of the XS machine. Default: memory always suffices. */
	memory?: NonNullable<Host["memory"]>;
	/** Power supply and sensors. Default: nothing is measured. */
	power?: Power;
	/** Cause of the start, WAKE_…, for a unit that can sleep. */
	wakeReason?: number;
	wifi?: (timers: VirtualTime) => WiFiPort;
	ethernet?: (timers: VirtualTime) => EthernetPort;
}

interface VirtualNetwork extends Network {
	readonly http: VirtualListenerPort;
	readonly https?: VirtualListenerPort;
	tcpListener(port: number): VirtualListenerPort;
	readonly udp?: VirtualUDPPort;
}

/** Default time limit of `request`, in virtual time. */
export const REPLY_TIMEOUT_MS = 70_000;

export class VirtualWorld implements Host {
	readonly info: HostInfo;
	readonly time: VirtualTime;
	readonly clock: VirtualTime;
	readonly timers: VirtualTime;
	readonly serial: { readonly meter: VirtualLine; readonly zigbee?: CoprocessorPort; readonly console?: SerialPort };
	readonly network: VirtualNetwork;
	readonly udp: VirtualUDPPort;
	readonly names: Map<string, string>;
	readonly servers: VirtualServers;
	readonly storage: VirtualStorage;
	readonly flash: VirtualFlash;
	readonly retained: VirtualRetained;
	readonly ending: Ending;
	readonly crypto: Crypto;
	readonly text: TextCodec = new NodeText();
	readonly resources: Resources;
	readonly wifi?: WiFiPort;
	readonly ethernet?: EthernetPort;
	readonly button?: SimulatedButton;
	readonly switchedOn?: boolean;
	readonly led?: LEDPort;
	readonly settingsFile: () => ArrayBuffer | undefined;
	readonly memory?: NonNullable<Host["memory"]>;
	readonly power?: Power;
	readonly sleep?: Sleep;
	readonly update?: BootLoader;
	/** Called with each trace of all worlds, for tests. */
	static onTrace: (message: string) => void = () => {};

	readonly traced: string[] = [];
	readonly #tcpListeners = new Map<number, VirtualListenerPort>();

	constructor(options: VirtualOptions = {}) {
		this.time = options.time ?? new VirtualTime();
		this.clock = this.timers = this.time;
		const random = new SeededRandom(options.seed ?? 1);
		const crypto = new SeededCrypto(random);
		this.crypto = crypto;
		const { settingsFile, slots } = options;
		this.settingsFile = () => settingsFile && Uint8Array.from(settingsFile).buffer;
		if (slots !== undefined) this.update = slots.start(crypto, () => this.restart());
		this.info = {
			board: "virtual",
			chip: "none",
			serial: "VIRTUAL0001",
			labelPassword: "label-password",
			firmwareVersion: this.update?.image?.version ?? "0.0.0",
			builtUtcMs: Date.UTC(2026, 0, 31, 12, 34, 56),
			manufacturer: "Smart-Meter Gateway project",
			model: "Virtual",
			deviceId: 1,
			hostname: "gateway",
			timeServers: "",
			reportKey: "",
			settingsKeys: "",
			upgradeUrl: "",
			...options.info,
		};
		if (options.utcMs !== undefined) this.time.setUTC(options.utcMs);
		this.serial = {
			meter: new VirtualLine(this.time, new SeededRandom(random.next()), options),
			...(options.zigbee === undefined ? {} : { zigbee: options.zigbee(this.time) }),
			...(options.console === undefined ? {} : { console: options.console(this.time) }),
		};
		const resolver = new VirtualResolver(this.time);
		this.udp = new VirtualUDPPort(this.time);
		this.names = resolver.names;
		this.servers = new VirtualServers(this.time, resolver);
		this.network = {
			http: new VirtualListenerPort(this.time, 80, false),
			...(options.https === false ? {} : { https: new VirtualListenerPort(this.time, 443, true) }),
			tcpListener: (port) => {
				const known = this.#tcpListeners.get(port) ?? new VirtualListenerPort(this.time, port, false);
				this.#tcpListeners.set(port, known);
				return known;
			},
			...(options.clients ?? { tcpClient: this.servers.tcpClient, tlsClient: this.servers.tlsClient }),
			...(options.udp === false ? {} : { udp: this.udp, resolve: (name, done) => resolver.resolve(name, done) }),
		};
		if (options.switchedOn !== undefined) this.switchedOn = options.switchedOn;
		else if (options.button !== false) this.button = new SimulatedButton(this.time);
		if (options.led !== undefined) this.led = options.led;
		if (options.memory !== undefined) this.memory = options.memory;
		this.storage = options.storage ?? new VirtualStorage();
		this.retained = options.retained ?? new VirtualRetained();
		this.ending = options.ending ?? POWER_ON;
		this.flash = options.flash ?? new VirtualFlash(options.seed);
		if (options.power !== undefined) this.power = options.power;
		const { wakeReason } = options;
		if (wakeReason !== undefined) this.sleep = { wakeReason, begin: (ms) => this.fallAsleep(ms) };
		if (options.wifi !== undefined) this.wifi = options.wifi(this.time);
		if (options.ethernet !== undefined) this.ethernet = options.ethernet(this.time);
		this.resources = options.resources ?? readResources();
	}

	/**
	 * Length and beginning of the sleep, in virtual time. Undefined while awake. During the sleep the program has ended.
	 */
	asleep: { readonly ms: number; readonly sinceMs: number } | undefined;

	onRestart: (() => void) | undefined;

	private fallAsleep(ms: number): void {
		this.timers.set(() => {
			this.asleep ??= { ms, sinceMs: this.time.nowMs };
		}, 0);
	}

	restart(): void {
		this.timers.set(() => this.onRestart?.(), 0);
	}

	trace(message: string): void {
		this.traced.push(message);
		VirtualWorld.onTrace(message);
	}

	advance(ms: number): void {
		this.time.advance(ms);
	}

	run(untilMs: number): void {
		this.time.run(untilMs);
	}

	/**
	 * Connects a client to the TLS listener. Connects it to the plain listener if `secure` is false or there is no TLS
	 * listener.
	 */
	connect(secure = true, address?: string): VirtualClient {
		const port = secure ? (this.network.https ?? this.network.http) : this.network.http;
		const client = port.connect(address);
		if (client === undefined) throw new Error("connection refused");
		return client;
	}

	/** Sends a request over a new connection, or over that of `client`. Advances the time until the reply is complete. */
	request(path: string, request: VirtualRequest & { client?: VirtualClient; timeoutMs?: number } = {}): VirtualReply {
		const client = request.client ?? this.connect();
		client.send(encodeRequest(path, request));
		const reply = this.awaitReply(client, request.method === "HEAD", request.timeoutMs);
		if (request.client === undefined) client.close();
		return reply;
	}

	awaitReply(client: VirtualClient, isHead = false, timeoutMs = REPLY_TIMEOUT_MS): VirtualReply {
		let seen = -1;
		let reply: VirtualReply | undefined;
		const isMissing = () => {
			const now = client.receivedCount * 2 + Number(client.isClosed);
			if (now !== seen) reply = takeReply(client, isHead);
			seen = now;
			return reply === undefined && !client.isClosed;
		};
		const isDone = this.time.runWhile(isMissing, this.time.nowMs + timeoutMs);
		if (reply !== undefined) return reply;
		const what = isDone ? "closed without a whole reply" : `no whole reply in ${timeoutMs} ms`;
		throw new Error(`${what}: ${JSON.stringify(client.text)}`);
	}
}

/** Memory that survives a restart but not a power cut. */
export class VirtualRetained extends StoredRetained {
	readonly #storage: VirtualStorage;

	constructor(storage = new VirtualStorage()) {
		super(storage);
		this.#storage = storage;
	}

	lose(): void {
		for (const key of this.#storage.keys()) this.#storage.delete(key);
	}
}

/** Cryptography with real SHA-256 and HMAC but reproducible random bytes. */
class SeededCrypto extends NodeCrypto {
	readonly #random: SeededRandom;

	constructor(random: SeededRandom) {
		super();
		this.#random = random;
	}

	override random(length: number): Uint8Array {
		return this.#random.bytes(length);
	}
}

function readResources(): Resources {
	const folder = new URL("../../../modules/resources/", import.meta.url);
	const resources = new Map<string, Uint8Array>();
	try {
		for (const name of readdirSync(folder)) {
			if (name.endsWith(".bin")) resources.set(name, new Uint8Array(readFileSync(new URL(name, folder))));
		}
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
	}
	return resources;
}

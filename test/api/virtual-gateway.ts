/** The gateway in virtual time with a modelled meter. An hour takes milliseconds, and each run is the same. */

import { NodeText } from "../../hosts/node/platform.js";
import { type VirtualOptions, VirtualRetained, VirtualWorld } from "../../hosts/node/virtual.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import { BENCH_PASSWORD, BENCH_SSID, TextAir } from "../../hosts/simulated/air.js";
import { POWER_ON, SLEPT } from "../../hosts/simulated/ending.js";
import { createWiFiPort } from "../../hosts/simulated/radio.js";
import { Gateway } from "../../modules/app/gateway.js";
import { presetNetwork } from "../../modules/app/preset.js";
import { WAKE_TIMER } from "../../modules/io/flash.js";
import type { Ending } from "../../modules/io/host.js";
import { networkWithCable } from "../../modules/parts/network/cable-part.js";
import { zigbeeBridge } from "../../modules/parts/zigbee/bridge-part.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { Follower, type FollowOptions } from "./follower.js";
import { type Exchange, type MeterSetup, PASSWORD, TestGateway, type WireRequest } from "./gateway.js";

/** Source address of an access-point client. */
export const AP_CLIENT = "192.168.4.2";
/** Source address of other clients. */
export const LAN_CLIENT = "192.0.2.10";
export const START_UTC_MS = Date.UTC(2026, 10, 20, 6);

const REBOOT_LIMIT_MS = 5000;
/** Time until a new hostname is in use, ms. */
const RENAME_MS = 2000;

/** The station scans rarely, so that a test can let a year pass. */
export const RADIO = Object.freeze({
	lease: Object.freeze({ ip: "192.0.2.20", netmask: "255.255.255.0", gateway: "192.0.2.1" }),
	accessPointKey: "access-point-key",
	beaconMs: 30_000,
});

export interface GatewayOptions extends VirtualOptions {
	/** Whether there is a radio, as in the simulator; default: true. */
	readonly radio?: boolean;
}

export class VirtualGateway extends TestGateway {
	readonly hostname = "gateway";
	clientAddress: string;
	world: VirtualWorld;
	/** Called with each further world before the gateway starts in it, to restore the setup of the earlier world. */
	onWorld: ((world: VirtualWorld) => void) | undefined;
	#gateway: Gateway;
	readonly #options: VirtualOptions;
	#air = "";
	#meter: MeterSetup | undefined;
	#starts = 0;
	#wantsRestart = false;

	constructor(mode: "client" | "ap" = "client", options: GatewayOptions = { utcMs: START_UTC_MS }) {
		super();
		this.clientAddress = mode === "ap" ? AP_CLIENT : LAN_CLIENT;
		const { radio = true, storage = new VirtualStorage(), ...rest } = options;
		const air = new TextAir(() => this.#air);
		const wifi = (timers: VirtualTime) => createWiFiPort({ air, timers, ...RADIO });
		const info = { ...options.info, labelPassword: PASSWORD, hostname: this.hostname };
		this.#options = { ...(radio ? { wifi } : {}), ...rest, storage, info };
		if (radio && options.wifi === undefined && mode === "client" && storage.keys().length === 0)
			presetNetwork(storage, new NodeText(), { ssid: BENCH_SSID, password: BENCH_PASSWORD });
		this.world = new VirtualWorld(this.#options);
		this.#gateway = this.#begin();
	}

	/** A new gateway, with a token of its owner. */
	static async loggedIn(...args: ConstructorParameters<typeof VirtualGateway>): Promise<VirtualGateway> {
		const gateway = new VirtualGateway(...args);
		await gateway.login();
		return gateway;
	}

	/** The running gateway, for tests of its composition. */
	get core(): Gateway {
		return this.#gateway;
	}

	get diagnosis(): string {
		return this.world.traced.join("\n");
	}

	get httpsPort(): number {
		return 443;
	}

	authority(): string {
		return "gateway.local";
	}

	send({ method, path, headers, body, chunked, secure, from }: WireRequest): Exchange {
		const client = this.world.connect(secure, from ?? this.clientAddress);
		if (body === undefined) client.send(encodeRequest(path, { method, headers }));
		else if (!chunked) client.send(encodeRequest(path, { method, headers, body }));
		else {
			client.send(encodeRequest(path, { method, headers: { ...headers, "Transfer-Encoding": "chunked" } }));
			// The body is sent in two chunks, so that a limit must count both.
			const middle = body.length >> 1;
			for (const piece of [body.subarray(0, middle), body.subarray(middle)]) {
				if (piece.length === 0) continue;
				client.send(`${piece.length.toString(16)}\r\n`);
				client.send(piece);
				client.send("\r\n");
			}
			client.send("0\r\n\r\n");
		}
		return {
			reply: async () => {
				const reply = this.world.awaitReply(client, method === "HEAD");
				client.close();
				return { status: reply.status, headers: reply.headers, text: reply.text };
			},
			abandon: () => client.close(),
		};
	}

	follow({ token = this.token, secure = true, headers = {} }: FollowOptions = {}): Follower {
		const client = this.world.connect(secure, this.clientAddress);
		const follower = new Follower(() => client.close());
		client.onReceived = () => follower.take(client.received, client.isClosed);
		client.send(encodeRequest("/api/v1/events", { headers: { Authorization: `Bearer ${token}`, ...headers } }));
		return follower;
	}

	setAir(text: string): void {
		this.#air = text;
	}

	/** Only passes the time, because no client here checks the certificate. */
	async renamed(): Promise<void> {
		this.world.advance(RENAME_MS);
	}

	async pass(ms: number): Promise<void> {
		this.world.advance(ms);
	}

	async connectMeter(setup: MeterSetup | undefined): Promise<void> {
		this.#meter = setup;
		const line = this.world.serial.meter;
		if (setup === undefined) {
			line.connect(undefined);
			line.unplug();
			return;
		}
		const { telegram, echo, isPaced: _, ...options } = setup;
		line.plugIn();
		line.echo = echo ?? false;
		line.connect(new IECMeter({ source: () => splitTelegram(telegram), ...options }));
	}

	async restart(damaged?: string, ending?: Ending): Promise<void> {
		this.#gateway.stop();
		if (damaged !== undefined) this.world.storage.set(damaged, Uint8Array.of(1, 2, 3));
		await this.#startAnew(ending === undefined ? {} : { ending });
	}

	/** Ends the sleep by the timer, or for another `reason` (WAKE_…) after `ms`. */
	async wake(reason = WAKE_TIMER, ms = this.world.asleep!.ms): Promise<void> {
		const { asleep, time } = this.world;
		if (asleep === undefined) throw new Error("the gateway does not sleep");
		// The old world's time has continued since the sleep began.
		const sleptMs = ms - (time.nowMs - asleep.sinceMs);
		await this.#startAnew({ wakeReason: reason, ending: SLEPT }, sleptMs);
	}

	/** Cuts the power, if flash has not done so, and restores it after `offMs`. The clock is set at once. */
	async losePower(offMs: number): Promise<void> {
		this.#gateway.stop();
		this.world.flash.powerUp();
		await this.#startAnew({ ending: POWER_ON, retained: new VirtualRetained() }, offMs);
	}

	async #startAnew(options: VirtualOptions, offMs = 0): Promise<void> {
		const { storage, retained, flash } = this.world;
		const utcMs = this.world.time.utcMs();
		// Each start has different random numbers.
		const seed = 1000 + ++this.#starts;
		const { switchedOn } = this.#options;
		this.world = new VirtualWorld({
			...this.#options,
			storage,
			retained,
			flash,
			seed,
			...(utcMs === undefined ? {} : { utcMs: utcMs + offMs }),
			...(switchedOn === undefined ? {} : { switchedOn: false }),
			...options,
		});
		if (this.#meter !== undefined) await this.connectMeter(this.#meter);
		this.onWorld?.(this.world);
		this.#gateway = this.#begin();
	}

	async restartWithout(entry: string): Promise<void> {
		this.world.storage.delete(entry);
		await this.restart();
	}

	async rebooted(): Promise<void> {
		for (let waitedMs = 0; !this.#wantsRestart; waitedMs += 100) {
			if (waitedMs > REBOOT_LIMIT_MS) throw new Error("the gateway does not restart");
			this.world.advance(100);
		}
		await this.restart();
	}

	#begin(): Gateway {
		this.#wantsRestart = false;
		this.world.onRestart = () => {
			this.#wantsRestart = true;
		};
		const gateway = new Gateway(this.world, [zigbeeBridge(), networkWithCable()]);
		gateway.start();
		return gateway;
	}

	async stop(): Promise<void> {
		this.#gateway.stop();
	}
}

/**
 * A process with some gateways of the fleet: the firmware's modules in the virtual world, whose clock follows the
 * computer's, and with real sockets for outgoing connections. fleet.ts starts it, and asks it by messages.
 */
import { readdirSync, readFileSync } from "node:fs";
import tls from "node:tls";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { Gateway } from "../../modules/app/gateway.js";
import { MQTT } from "../../modules/parts/mqtt/part.js";
import { MQTT_UP } from "../../modules/parts/mqtt/publisher.js";
import { Household } from "../../tools/meter/household.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { SIGNER } from "../update/firmware-files.js";
import { ConnectionLog } from "./connection-log.js";
import { PacedTime } from "./paced-time.js";
import { type Counts, type Question, type Share, serialOf, sum } from "./share.js";

/** Updates are not installed: a slot that holds no image suffices. Without a key, gateways do not poll hawkBit. */
const SLOT_SIZE = 4096;
const SECOND_MS = 1000;
const FAULT = /^fault: |failed/;

function readResources(): ReadonlyMap<string, Uint8Array> {
	const folder = new URL("../../../modules/resources/", import.meta.url);
	const names = readdirSync(folder).filter((name) => name.endsWith(".bin"));
	return new Map(names.map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]));
}

class Worker {
	readonly #time = new PacedTime();
	readonly #log = new ConnectionLog(this.#time);
	readonly #gateways: Gateway[] = [];
	readonly #worlds: VirtualWorld[] = [];
	#perSecond: number[] = [];
	#published = 0;

	start({ first, count, utcMs, settings }: Share): void {
		this.#time.setUTC(utcMs);
		const resources = readResources();
		const telegram = new Household({ utcMs, mode: "C", baud: 9600 }).telegram(0);
		for (let number = first; number < first + count; number++) {
			const storage = new VirtualStorage();
			for (const [key, value] of settings) storage.set(key, new Uint8Array(Buffer.from(value, "base64")));
			const world = new VirtualWorld({
				time: this.#time,
				clients: this.#log.ports(),
				seed: number + 1,
				storage,
				resources,
				flash: new VirtualFlash(number + 1),
				slots: new VirtualSlots({ size: SLOT_SIZE, keys: [SIGNER.point] }),
				info: { serial: serialOf(number) },
			});
			world.serial.meter.connect(new IECMeter({ source: () => telegram }));
			const gateway = new Gateway(world);
			gateway.start();
			this.#gateways.push(gateway);
			this.#worlds.push(world);
		}
		this.#count();
	}

	pace(speed: number): void {
		this.#time.pace(speed);
	}

	counts(): Counts {
		const publishers = this.#publishers;
		const { user, system } = process.cpuUsage();
		const counts = {
			virtualMs: this.#time.nowMs,
			connected: publishers.filter(({ state }) => state === MQTT_UP).length,
			sessions: sum(publishers.map(({ connections }) => connections)),
			published: sum(publishers.map(({ published }) => published)),
			perSecond: this.#perSecond,
			connections: this.#log.take(),
			traffic: this.#log.traffic(),
			cpuMs: (user + system) / 1000,
			memoryBytes: process.memoryUsage().rss,
			faults: this.#worlds.flatMap(({ traced }) => traced.filter((line) => FAULT.test(line))),
		};
		this.#perSecond = [];
		return counts;
	}

	get #publishers() {
		return this.#gateways.flatMap((gateway) => gateway.find(MQTT).sender?.publisher ?? []);
	}

	#count(): void {
		const published = sum(this.#publishers.map((one) => one.published));
		this.#perSecond.push(published - this.#published);
		this.#published = published;
		this.#time.set(() => this.#count(), SECOND_MS);
	}
}

// As on a device.
tls.DEFAULT_MAX_VERSION = "TLSv1.2";
const worker = new Worker();
process.on("message", (question: Question) => {
	if (question.ask === "start") worker.start(question);
	else if (question.ask === "pace") worker.pace(question.speed);
	process.send?.(question.ask === "counts" ? worker.counts() : {});
});
process.on("disconnect", () => process.exit(0));

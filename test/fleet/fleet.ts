/**
 * Many gateways in several processes, which publish to one broker, and poll one hawkBit server. All have the settings,
 * the certificate and the meter of one gateway, and each has a serial number and random numbers of its own.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import type { JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import type { Traffic } from "./connection-log.js";
import { type Counts, type Question, sum } from "./share.js";

const WORKER = join(import.meta.dirname, "worker.js");
export const QUARTER_MS = 900_000;

/** Flash and certificate of one gateway. */
export interface Template {
	readonly settings: readonly (readonly [key: string, base64: string])[];
	/** PEM. */
	readonly certificate: string;
	/** Time that its clock shows, Unix ms. */
	readonly utcMs: number;
}

/** Makes a gateway with these settings of `mqtt` and `hawkbit`; `leadMs`: time until its first scheduled readout. */
export async function makeTemplate(
	leadMs: number,
	settings: (certificate: string) => { readonly mqtt: JSONObject; readonly hawkbit?: JSONObject },
): Promise<Template> {
	const utcMs = (Math.ceil(Date.now() / QUARTER_MS) + 1) * QUARTER_MS - leadMs;
	const options = { utcMs, radio: false, slots: new VirtualSlots() };
	const gateway = await VirtualGateway.loggedIn("client", options);
	const certificate = (await gateway.get("system/certificate/file")).text;
	const { mqtt, hawkbit } = settings(certificate);
	await gateway.write("iec62056/schedule", { enabled: true, period_value: 15, period_unit: "minutes" });
	if (hawkbit !== undefined) await gateway.write("hawkbit", { enabled: true, ...hawkbit });
	await gateway.write("mqtt", { enabled: true, ...mqtt });
	await gateway.stop();
	const { storage } = gateway.world;
	const entries = storage.keys().map((key) => [key, Buffer.from(storage.get(key)!).toString("base64")] as const);
	return { settings: entries, certificate, utcMs };
}

class Worker {
	readonly #process: ChildProcess = fork(WORKER, { serialization: "advanced" });
	readonly #ended: Promise<unknown>;
	#answered: (answer: unknown) => void = () => {};

	constructor() {
		this.#ended = once(this.#process, "exit");
		this.#process.on("message", (answer) => this.#answered(answer));
	}

	/** Sends a question; the caller waits for the answer before the next question. */
	ask(question: Question): Promise<unknown> {
		return new Promise((resolve, reject) => {
			this.#answered = resolve;
			void this.#ended.then(() => reject(new Error("a process of the fleet has ended")));
			this.#process.send(question);
		});
	}

	async stop(): Promise<void> {
		if (this.#process.connected) this.#process.disconnect();
		await this.#ended;
	}
}

export class Fleet {
	readonly size: number;
	readonly #workers: readonly Worker[];

	private constructor(size: number, workers: readonly Worker[]) {
		this.size = size;
		this.#workers = workers;
	}

	/** Makes the gateways. Their time stands still until `pace`. */
	static async make(size: number, workers: number, { settings, utcMs }: Template): Promise<Fleet> {
		const fleet = new Fleet(
			size,
			Array.from({ length: workers }, () => new Worker()),
		);
		const first = (index: number) => Math.floor((size * index) / workers);
		await fleet.#ask((index) => ({
			...{ ask: "start", first: first(index), count: first(index + 1) - first(index) },
			...{ settings, utcMs },
		}));
		return fleet;
	}

	/** Lets the gateways' time pass at this speed. */
	async pace(speed: number): Promise<void> {
		await this.#ask(() => ({ ask: "pace", speed }));
	}

	async counts(): Promise<Counts> {
		const all = (await this.#ask(() => ({ ask: "counts" }))) as Counts[];
		const total = (which: (one: Counts) => number) => sum(all.map(which));
		const seconds = Math.max(...all.map(({ perSecond }) => perSecond.length));
		const traffic = new Map<number, Traffic>();
		for (const [port, { sent, received }] of all.flatMap((one) => one.traffic)) {
			const known = traffic.get(port) ?? { sent: 0, received: 0 };
			traffic.set(port, { sent: known.sent + sent, received: known.received + received });
		}
		return {
			virtualMs: Math.min(...all.map(({ virtualMs }) => virtualMs)),
			connected: total(({ connected }) => connected),
			sessions: total(({ sessions }) => sessions),
			published: total(({ published }) => published),
			perSecond: Array.from({ length: seconds }, (_, i) => total(({ perSecond }) => perSecond[i] ?? 0)),
			connections: all.flatMap(({ connections }) => connections),
			traffic: [...traffic],
			cpuMs: total(({ cpuMs }) => cpuMs),
			memoryBytes: total(({ memoryBytes }) => memoryBytes),
			faults: all.flatMap(({ faults }) => faults),
		};
	}

	async stop(): Promise<void> {
		await Promise.all(this.#workers.map((worker) => worker.stop()));
	}

	#ask(question: (index: number) => Question): Promise<unknown[]> {
		return Promise.all(this.#workers.map((worker, index) => worker.ask(question(index))));
	}
}

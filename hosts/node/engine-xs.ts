/** The gateway in XS: a worker process with the bundled script, and a WorkerBridge between it and a Host. */
import { setTimeout as sleep } from "node:timers/promises";
import { faultLine } from "../../modules/io/fault.js";
import type { Host } from "../../modules/io/host.js";
import type { Engine } from "./engine.js";
import { findSnapshot } from "./snapshot.js";
import { EVENT_COLLECT, EVENT_STOP } from "./worker/protocol.js";
import { WorkerBridge } from "./worker-bridge.js";
import { type Measurement, XSWorker } from "./xs-worker.js";

const STOP_LIMIT_MS = 2000;

export interface XSEngineOptions {
	readonly host: Host;
	readonly program: string;
	readonly script: string;
	/** Called if the worker has died. The message is for the user. */
	onCrash(message: string): void;
}

export class XSEngine implements Engine {
	readonly #options: XSEngineOptions;
	readonly #bridge: WorkerBridge;
	readonly #worker: XSWorker;
	readonly #snapshot: string | undefined;
	#steps = 0;
	#baseline = 0;
	#crashed = false;
	#stopping: Promise<void> | undefined;

	constructor(options: XSEngineOptions) {
		this.#options = options;
		this.#bridge = new WorkerBridge(options.host, (event) => this.#deliver(event));
		this.#snapshot = findSnapshot(options.script, options.program);
		this.#worker = new XSWorker({
			program: options.program,
			snapshot: this.#snapshot,
			onCommand: (message) => this.#bridge.command(message),
			onCrash: (message) => {
				this.#crashed = true;
				this.#bridge.close();
				options.onCrash(message);
			},
		});
	}

	async start(): Promise<void> {
		if (this.#snapshot === undefined) this.#count(await this.#worker.runScript(this.#options.script));
		this.#baseline = await this.heap();
		this.#count(await this.#worker.deliver(this.#bridge.startEvent()));
	}

	stop(): Promise<void> {
		this.#stopping ??= this.#stop();
		return this.#stopping;
	}

	settled(): Promise<void> {
		return this.#bridge.settled;
	}

	async heap(): Promise<number> {
		return this.#count(await this.#worker.deliver(this.#bridge.event(EVENT_COLLECT))).slots;
	}

	get baseline(): number {
		return this.#baseline;
	}

	async slots(): Promise<number> {
		return (await this.heap()) - this.#baseline;
	}

	steps(): number {
		return this.#steps;
	}

	async #stop(): Promise<void> {
		const limit = new AbortController();
		const stopped = this.#deliver(this.#bridge.event(EVENT_STOP)).then(() => true);
		const late = sleep(STOP_LIMIT_MS, false, { signal: limit.signal });
		const inTime = await Promise.race([stopped, late]);
		limit.abort();
		late.catch(() => {});
		this.#bridge.close();
		await (inTime ? this.#worker.end() : this.#worker.end(0));
	}

	async #deliver(event: Uint8Array): Promise<void> {
		try {
			this.#count(await this.#worker.deliver(event));
		} catch (error) {
			if (!this.#crashed) this.#options.host.trace(faultLine("escaped", (error as Error).message));
		}
	}

	#count(measurement: Measurement): Measurement {
		this.#steps += measurement.steps;
		return measurement;
	}
}

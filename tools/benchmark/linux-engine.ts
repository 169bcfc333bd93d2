/** Engine of the benchmark's gateway that runs the firmware on Linux, built by the Moddable SDK. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Engine } from "../../hosts/node/engine.js";
import type { FactoryData } from "../../hosts/node/factory.js";
import { buildFirmware, type Firmware } from "../sdk/linux.js";
import { runFirmware } from "../sdk/run.js";

export interface GatewaySettings {
	readonly stateFolder: string;
	readonly factory: FactoryData;
	readonly meterPath: string;
	readonly accessPoint: boolean;
	/** Called with each line that the firmware prints. */
	readonly trace: (line: string) => void;
	readonly onListening: (secure: boolean, port: number) => void;
}

export interface LinuxProcess {
	readonly child: ChildProcess;
	readonly firmware: Firmware;
}

export class LinuxEngine implements Engine {
	readonly #settings: GatewaySettings;
	#running: LinuxProcess | undefined;

	constructor(settings: GatewaySettings) {
		this.#settings = settings;
	}

	/** Returns the process. Throws before `start`. */
	get running(): LinuxProcess {
		if (this.#running === undefined) throw new Error("the firmware does not run");
		return this.#running;
	}

	/** Resolves when the firmware accepts connections. */
	async start(): Promise<void> {
		const { stateFolder, factory, meterPath, accessPoint, trace, onListening } = this.#settings;
		const firmware = await buildFirmware({ main: "hosts/linux/main" });
		const settings = { state: stateFolder, factory, version: "0.0.0", meter: meterPath };
		const more = { httpPort: 0, httpsPort: 0, accessPoint, utcMs: Date.now() };
		const child = runFirmware(firmware, { ...settings, ...more }, ["ignore", "pipe", "pipe"]);
		this.#running = { child, firmware };
		createInterface(child.stderr!).on("line", trace);
		const lines = createInterface(child.stdout!).on("line", trace);
		await new Promise<void>((resolve, reject) => {
			child.once("exit", (code) => reject(new Error(`the firmware has ended with ${code}`)));
			lines.on("line", (line) => {
				const [, https, http] = /^ready https:.*:(\d+) http:.*:(\d+)/.exec(line) ?? [];
				if (https === undefined) return;
				onListening(true, Number(https));
				onListening(false, Number(http));
				resolve();
			});
		});
	}

	async stop(): Promise<void> {
		const child = this.#running?.child;
		this.#running = undefined;
		if (child === undefined || child.exitCode !== null) return;
		child.kill("SIGKILL");
		await once(child, "exit");
	}
}

/** The firmware on Linux, built by the Moddable SDK, as an engine of the benchmark's gateway. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Engine } from "../../hosts/node/engine.js";
import type { FactoryData } from "../../hosts/node/factory.js";
import { buildFirmware, type Firmware } from "../sdk/linux.js";
import { runFirmware } from "../sdk/run.js";

export interface LinuxSettings {
	readonly stateFolder: string;
	readonly factory: FactoryData;
	readonly meterPath: string;
	readonly accessPoint: boolean;
}

export interface LinuxProcess {
	readonly child: ChildProcess;
	readonly firmware: Firmware;
}

export class LinuxEngine implements Engine {
	port = 0;
	plainPort = 0;
	readonly #settings: LinuxSettings;
	readonly #trace: (line: string) => void;
	#running: LinuxProcess | undefined;

	/** `trace` is called with each line that the firmware prints. */
	constructor(settings: LinuxSettings, trace: (line: string) => void) {
		this.#settings = settings;
		this.#trace = trace;
	}

	/** Throws before `start`. */
	get running(): LinuxProcess {
		if (this.#running === undefined) throw new Error("the firmware does not run");
		return this.#running;
	}

	async start(): Promise<void> {
		const { stateFolder, factory, meterPath, accessPoint } = this.#settings;
		const firmware = await buildFirmware({ main: "hosts/linux/main" });
		const settings = { state: stateFolder, factory, version: "0.0.0", meter: meterPath };
		const more = { httpPort: 0, httpsPort: 0, accessPoint, utcMs: Date.now() };
		const child = runFirmware(firmware, { ...settings, ...more }, ["ignore", "pipe", "pipe"]);
		this.#running = { child, firmware };
		createInterface(child.stderr!).on("line", this.#trace);
		const lines = createInterface(child.stdout!).on("line", this.#trace);
		for (;;) {
			const [line] = (await once(lines, "line")) as [string];
			const [, https, http] = /^ready https:.*:(\d+) http:.*:(\d+)/.exec(line) ?? [];
			if (https === undefined) continue;
			this.port = Number(https);
			this.plainPort = Number(http);
			return;
		}
	}

	async stop(): Promise<void> {
		const child = this.#running?.child;
		this.#running = undefined;
		if (child === undefined || child.exitCode !== null) return;
		child.kill("SIGKILL");
		await once(child, "exit");
	}
}

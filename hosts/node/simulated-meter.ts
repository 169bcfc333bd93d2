/**
 * The simulated meter as a process of its own: tools/meter.ts on a pseudo-terminal. A host imports nothing from tools/,
 * so the bench starts it like a user would. Where the bench has a time of its own the meter goes by that: it is told each
 * time that it goes on at another speed (tools/meter/told-time.ts).
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FastTime } from "./fast-time.js";

const PROGRAM = fileURLToPath(new URL("../../tools/meter.js", import.meta.url));
const START_LIMIT_MS = 30_000;

export interface SimulatedMeter {
	/** Of its pseudo-terminal. */
	readonly path: string;
	/** Settles when it has ended. */
	end(): Promise<void>;
}

export interface SimulatedMeterOptions {
	readonly isQuiet: boolean;
	/** Undefined: that of the computer. */
	readonly time?: FastTime | undefined;
	/** What the clock of the gateway shows at the start; that of the meter does then, too, where the time is not the computer's. */
	readonly utcMs?: number | undefined;
	/** It has ended by itself. */
	onEnded(message: string): void;
}

/** Rejects with a sentence when it does not start. */
export function startSimulatedMeter({
	isQuiet,
	time,
	utcMs = Date.now(),
	onEnded,
}: SimulatedMeterOptions): Promise<SimulatedMeter> {
	// At the pace of a real line most of a fast day would go by in readouts.
	const pace = time === undefined ? ["--baud-pace"] : ["--time", new Date(utcMs).toISOString()];
	const options = [...pace, "--protocol", "iec", ...(isQuiet ? ["--quiet"] : [])];
	const meter = spawn(process.execPath, [PROGRAM, ...options], {
		// The channel closes when this process is gone, however it ended: the meter ends then.
		stdio: ["ignore", "pipe", "inherit", "ipc"],
		// Out of reach of a Ctrl-C, which would make it end before the gateway.
		detached: true,
	});
	const exited = new Promise<void>((resolve) => meter.once("exit", () => resolve()));
	const end = () => {
		meter.kill();
		return exited;
	};
	process.once("exit", end);
	if (time !== undefined) {
		const startedMs = time.monotonicMs();
		time.onPace = (nowMs, speed) => meter.connected && meter.send({ utcMs: utcMs + nowMs - startedMs, speed });
	}
	return new Promise((resolve, reject) => {
		const failed = (reason: string) => {
			clearTimeout(limit);
			reject(new Error(`The simulated meter did not start: ${reason}`));
		};
		const limit = setTimeout(() => failed(`no answer in ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
		meter.on("error", (error) => failed(error.message));
		meter.on("exit", (code, signal) => {
			failed(`it ended (${signal ?? `exit code ${code}`})`);
			onEnded("The simulated meter has ended");
		});
		createInterface(meter.stdout!).on("line", (line) => {
			const path = /^meter (\S+)$/.exec(line)?.[1];
			if (path === undefined) return;
			clearTimeout(limit);
			resolve({ path, end });
		});
	});
}

/** Runs the meter simulator (tools/meter.ts) as a process, and records the times of the events that it prints. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../meter.js", import.meta.url));
const DAY_MS = 86_400_000;

interface MeterEvent {
	readonly text: string;
	readonly timeMs: number;
}

export class BenchMeter {
	path = "";
	readonly #process: ChildProcess;
	#events: MeterEvent[] = [];
	#heard: () => void = () => {};

	/** `args` are arguments of `npm run meter`. */
	static async start(args: readonly string[]): Promise<BenchMeter> {
		const meter = new BenchMeter(args);
		await meter.#started();
		return meter;
	}

	constructor(args: readonly string[]) {
		this.#process = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "pipe"] });
		createInterface(this.#process.stderr!).on("line", (line) => {
			const [, time, text] = /^(\d\d:\d\d:\d\d\.\d{3}) (.*)$/.exec(line) ?? [];
			if (text === undefined) process.stderr.write(`meter: ${line}\n`);
			else this.#events.push({ text, timeMs: unixMs(time) });
			this.#heard();
		});
	}

	timeOf(text: string): number | undefined {
		return this.#events.find((event) => event.text === text)?.timeMs;
	}

	forget(): void {
		this.#events = [];
	}

	async next(text: string): Promise<number> {
		this.forget();
		for (;;) {
			const timeMs = this.timeOf(text);
			if (timeMs !== undefined) return timeMs;
			await new Promise<void>((resolve) => {
				this.#heard = resolve;
			});
		}
	}

	end(): void {
		this.#process.kill();
	}

	#started(): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#process.once("error", reject);
			this.#process.once("exit", (code) => reject(new Error(`The simulated meter has ended with exit code ${code}.`)));
			createInterface(this.#process.stdout!).on("line", (line) => {
				this.path = /^meter (\S+)$/.exec(line)?.[1] ?? this.path;
				if (this.path !== "") resolve();
			});
		});
	}
}

function unixMs(time: string): number {
	const nowMs = Date.now();
	const atMs = Date.parse(`${new Date(nowMs).toISOString().slice(0, 11)}${time}Z`);
	if (atMs - nowMs > DAY_MS / 2) return atMs - DAY_MS;
	return nowMs - atMs > DAY_MS / 2 ? atMs + DAY_MS : atMs;
}

/** Runs a program of tools/ as a child process that ends together with its parent. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const START_LIMIT_MS = 30_000;

export interface ToolOptions {
	/** Name of the program, for example `meter` for tools/meter.ts. */
	readonly name: string;
	/** Name of the program in messages, at the beginning of a sentence. */
	readonly words: string;
	readonly args: readonly string[];
	readonly ready: RegExp;
	onEnded(message: string): void;
}

export interface ToolProgram {
	readonly child: ChildProcess;
	readonly printed: readonly string[];
	end(): Promise<void>;
}

/** Rejects with a message for the user if the program does not start. */
export function startTool({ name, words, args, ready, onEnded }: ToolOptions): Promise<ToolProgram> {
	const path = fileURLToPath(new URL(`../../tools/${name}.js`, import.meta.url));
	const child = spawn(process.execPath, [path, ...args], {
		// The channel "ipc" closes when this process ends for any reason.
		stdio: ["ignore", "pipe", "inherit", "ipc"],
		// The program has its own process group. It therefore gets no Ctrl-C and does not end before the gateway.
		detached: true,
	});
	const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const end = () => {
		child.kill();
		return exited;
	};
	process.once("exit", end);
	return new Promise((resolve, reject) => {
		const failed = (reason: string) => {
			clearTimeout(limit);
			reject(new Error(`${words} did not start: ${reason}`));
		};
		const limit = setTimeout(() => failed(`no answer in ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
		child.on("error", (error) => failed(error.message));
		child.on("exit", (code, signal) => {
			failed(`it ended (${signal ?? `exit code ${code}`})`);
			onEnded(`${words} has ended`);
		});
		createInterface(child.stdout!).on("line", (line) => {
			const printed = ready.exec(line)?.slice(1);
			if (printed === undefined) return;
			clearTimeout(limit);
			resolve({ child, printed, end });
		});
	});
}

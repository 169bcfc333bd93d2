/**
 * One XS engine: the program `xsnap-worker` of the npm package @agoric/xsnap, connected by netstrings over its file
 * descriptors 3 (to it) and 4 (from it). The package's own wrapper is not used, because it requires hardened
 * JavaScript.
 *
 *     to the worker:    s<path> run a script    ?<bytes> call handleCommand    /<bytes> reply to a command    q end
 *                       w<path> write a snapshot
 *     from the worker:  .{"currentHeapCount":…,"compute":…,…} 01 <bytes> done   !<text> it threw   ?<bytes> a command
 *
 * The worker carries out one request at a time. A command arrives only during a request, and the worker waits for its
 * reply. A frame has at most FRAME_LIMIT bytes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { encodeNetstring, NetstringReader } from "./netstring.js";
import { MESSAGE_LIMIT } from "./worker/protocol.js";

/** A frame contains a message, its kind, and the worker's measurements. */
const FRAME_LIMIT = MESSAGE_LIMIT + 65_536;
const END_LIMIT_MS = 2000;
/** A request is aborted after this many steps, as by a watchdog of a few seconds. */
const STEPS_LIMIT = 1_000_000_000;
const STEPS_BETWEEN_CHECKS = 10_000;

/** Path as seen from the module `from`; undefined if it is not installed or its build failed. */
export function findXSWorker(from = import.meta.url): string | undefined {
	const platform = process.platform === "darwin" ? "mac" : "lin";
	try {
		const description = createRequire(from).resolve("@agoric/xsnap/package.json");
		const build = join(dirname(description), "xsnap-native", "xsnap", "build", "bin", platform, "release");
		const program = join(build, "xsnap-worker");
		return existsSync(program) ? program : undefined;
	} catch {
		return undefined;
	}
}

export interface XSWorkerOptions {
	readonly program: string;
	/** Path of the snapshot to start from; default: none. */
	readonly snapshot?: string | undefined;
	/** Replies at once; must not throw. */
	onCommand(message: Uint8Array): Uint8Array;
	/** The worker has ended by itself; `message` is for the user. Not called after `end`. */
	onCrash(message: string): void;
}

export interface Measurement {
	readonly slots: number;
	/** Bytecodes. */
	readonly steps: number;
}

interface Request {
	readonly frame: Buffer;
	resolve(measurement: Measurement): void;
	reject(error: Error): void;
}

export class XSWorker {
	readonly #options: XSWorkerOptions;
	readonly #process: ChildProcess;
	readonly #input: Writable;
	readonly #exited: Promise<void>;
	readonly #waiting: Request[] = [];
	#current: Request | undefined;
	readonly #received = new NetstringReader(FRAME_LIMIT);
	#ending = false;
	#dead: Error | undefined;

	constructor(options: XSWorkerOptions) {
		this.#options = options;
		const watchdog = ["-l", String(STEPS_LIMIT), "-i", String(STEPS_BETWEEN_CHECKS)];
		const snapshot = options.snapshot === undefined ? [] : ["-r", options.snapshot];
		this.#process = spawn(options.program, ["gateway", ...watchdog, ...snapshot], {
			// Messages of XS (stack overflow, memory full) are for the developer.
			stdio: ["ignore", "ignore", "inherit", "pipe", "pipe"],
			// The worker's own process group gets no Ctrl-C, so that the gateway can stop properly first.
			detached: true,
		});
		this.#input = this.#process.stdio[3] as Writable;
		this.#input.on("error", () => {});
		const output = this.#process.stdio[4]!;
		output.on("error", () => {});
		output.on("data", (piece: Buffer) => this.#take(piece));
		// A busy worker would not notice the end of its parent.
		const kill = () => void this.#process.kill("SIGKILL");
		process.once("exit", kill);
		this.#exited = new Promise((resolve) => {
			this.#process.on("error", (error) => {
				this.#ended(`The XS engine could not be started: ${error.message}`);
				resolve();
			});
			this.#process.on("exit", (code, signal) => {
				process.off("exit", kill);
				this.#ended(`The XS engine has ended: ${reasonOf(code, signal)}`);
				resolve();
			});
		});
	}

	runScript(path: string): Promise<Measurement> {
		return this.#request("s", Buffer.from(path));
	}

	/** Writes the engine's present state to a file. */
	writeSnapshot(path: string): Promise<Measurement> {
		return this.#request("w", Buffer.from(path));
	}

	/** Rejects if `handleCommand` throws. */
	deliver(message: Uint8Array): Promise<Measurement> {
		return this.#request("?", message);
	}

	/** Ends the worker; kills it after `limitMs`. */
	async end(limitMs = END_LIMIT_MS): Promise<void> {
		if (!this.#ending && !this.#dead) {
			this.#ending = true;
			this.#input.end(frame("q"));
			const force = setTimeout(() => this.#process.kill("SIGKILL"), limitMs);
			await this.#exited;
			clearTimeout(force);
		}
		await this.#exited;
	}

	#request(kind: string, payload: Uint8Array): Promise<Measurement> {
		return new Promise((resolve, reject) => {
			if (this.#dead || this.#ending) {
				reject(this.#dead ?? new Error("The XS engine is ending"));
				return;
			}
			this.#waiting.push({ frame: frame(kind, payload), resolve, reject });
			this.#next();
		});
	}

	#next(): void {
		if (this.#current) return;
		this.#current = this.#waiting.shift();
		if (this.#current) this.#input.write(this.#current.frame);
	}

	#ended(message: string): void {
		if (this.#dead) return;
		this.#dead = new Error(message);
		this.#current?.reject(this.#dead);
		for (const request of this.#waiting.splice(0)) request.reject(this.#dead);
		if (!this.#ending) this.#options.onCrash(message);
	}

	#take(piece: Buffer): void {
		this.#received.push(piece);
		try {
			for (let message = this.#received.next(); message; message = this.#received.next()) this.#handle(message);
		} catch (error) {
			this.#process.kill("SIGKILL");
			this.#ended(`The XS engine sent something that is not a message: ${(error as Error).message}`);
		}
	}

	#handle(message: Buffer): void {
		const kind = String.fromCharCode(message[0]);
		if (kind === "?") {
			this.#input.write(frame("/", this.#options.onCommand(message.subarray(1))));
			return;
		}
		const request = this.#current;
		this.#current = undefined;
		if (kind === ".") request?.resolve(measurementOf(message));
		else request?.reject(new Error(message.toString("utf8", 1) || "the script could not be run"));
		this.#next();
	}
}

function frame(kind: string, payload: Uint8Array = Buffer.alloc(0)): Buffer {
	return encodeNetstring(Buffer.from(kind), payload);
}

function measurementOf(message: Buffer): Measurement {
	const end = message.indexOf(1);
	const { currentHeapCount, compute } = JSON.parse(message.toString("latin1", 1, end));
	return { slots: currentHeapCount, steps: compute };
}

function reasonOf(code: number | null, signal: string | null): string {
	if (signal) return `signal ${signal}`;
	if (code === 11) return "memory is full";
	if (code === 12) return "stack overflow";
	if (code === 15) return "an exception nobody caught";
	if (code === 16) return "too many names";
	if (code === 17) return "one event took too many steps";
	return `exit code ${code}`;
}

/** A board in QEMU. The contents of its flash and its eFuses are in files that remain. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Board } from "../../hosts/esp32/boards.js";
import { qemuCommand } from "./qemu.js";

/** Line that the firmware writes after its start (hosts/esp32/start.ts). */
export const SERVES = /^Unit (\S+) serves as (\S+)\./;
const RETRY_MS = 500;
const KILL_MS = 5000;
const ANSWER_MS = 30_000;
const LINES_KEPT = 2000;
const COMPLAINTS_KEPT = 20;

export interface EmulatorOptions {
	readonly board: Board;
	readonly flash: string;
	readonly fuses: string;
	readonly httpsPort: number;
	readonly httpPort: number;
	/** Unix socket for the meter's UART, which QEMU creates. */
	readonly meterSocket: string;
	/** TCP port of the radio's coprocessor; undefined if nothing is connected to the radio's UART. */
	readonly radioPort?: number | undefined;
	onLine?(line: string): void;
}

export class Emulator {
	readonly lines: string[] = [];
	readonly #options: EmulatorOptions;
	readonly #complaints: string[] = [];
	#child: ChildProcess | undefined;
	#exited: Promise<unknown> = Promise.resolve();
	#failure: string | undefined;

	constructor(options: EmulatorOptions) {
		this.#options = options;
	}

	/** Message if QEMU has failed. Undefined while QEMU runs and after a power cut. */
	get failure(): string | undefined {
		return this.#failure;
	}

	/** `flashLog`: as for QEMU's command. */
	start(flashLog?: string): void {
		const { board, meterSocket, radioPort } = this.#options;
		rmSync(meterSocket, { force: true });
		const radio = radioPort === undefined ? undefined : { uart: board.zigbee!.uart, port: radioPort };
		const options = { ...this.#options, chip: board.chip, meterUART: board.meter.uart, radio, flashLog };
		const { program, args } = qemuCommand(options);
		this.lines.length = 0;
		this.#failure = undefined;
		// Standard input is a pipe, because QEMU closes the console when its input ends. QEMU is detached, so that Ctrl-C
		// reaches only this process.
		const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
		this.#child = child;
		const kill = () => child.kill("SIGKILL");
		process.once("exit", kill);
		this.#exited = new Promise<void>((resolve) => {
			child.on("error", (error) => {
				this.#fail(child, error.message);
				resolve();
			});
			child.on("close", (code, signal) => {
				process.off("exit", kill);
				this.#fail(child, `${signal ?? `exit code ${code}`}`);
				resolve();
			});
		});
		child.stdin.on("error", () => {});
		createInterface(child.stdout).on("line", (line) => this.#hear(line));
		createInterface(child.stderr).on("line", (line) => keep(this.#complaints, line, COMPLAINTS_KEPT));
	}

	/** Stops the firmware immediately, like a power cut. SIGTERM lets QEMU complete the flash file. */
	async kill(): Promise<void> {
		const child = this.#child;
		this.#child = undefined;
		child?.kill("SIGTERM");
		const killing = setTimeout(() => child?.kill("SIGKILL"), KILL_MS);
		await this.#exited;
		clearTimeout(killing);
	}

	/**
	 * Waits for a line that matches. Earlier lines count too. Rejects with the last lines if QEMU ends or the time is
	 * over.
	 */
	async untilLine(pattern: RegExp, limitMs: number): Promise<string> {
		const endMs = performance.now() + limitMs;
		for (;;) {
			const found = this.lines.find((line) => pattern.test(line));
			if (found !== undefined) return found;
			this.#check(endMs, `The firmware has not printed ${pattern}`);
			await sleep(RETRY_MS / 5);
		}
	}

	async untilAnswers(limitMs: number): Promise<void> {
		const endMs = performance.now() + limitMs;
		while (!(await answers(this.#options.httpsPort))) {
			this.#check(endMs, "The firmware does not answer over HTTPS");
			await sleep(RETRY_MS);
		}
	}

	tail(count = 30): string {
		return [...this.lines.slice(-count), ...this.#complaints].join("\n");
	}

	#check(endMs: number, late: string): void {
		if (this.#failure !== undefined) throw new Error(`${this.#failure}\n${this.tail()}`);
		if (performance.now() > endMs) throw new Error(`${late}. The end of its console:\n${this.tail()}`);
	}

	#hear(line: string): void {
		const text = plain(line);
		keep(this.lines, text, LINES_KEPT);
		this.#options.onLine?.(text);
	}

	#fail(child: ChildProcess, reason: string): void {
		if (this.#child === child) this.#failure ??= `QEMU has ended: ${reason}.`;
	}
}

function plain(line: string): string {
	return line.replace(/\u001b\[[\d;]*m|[\u0000-\u0008\u000b-\u001f]/g, "");
}

function keep(lines: string[], line: string, limit: number): void {
	lines.push(line);
	if (lines.length > limit) lines.shift();
}

function answers(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const options = {
			host: "127.0.0.1",
			port,
			path: "/",
			method: "HEAD",
			rejectUnauthorized: false,
			agent: false,
		} as const;
		const asking = request({ ...options, timeout: ANSWER_MS }, (response) => {
			response.resume();
			resolve(true);
		});
		asking.on("timeout", () => asking.destroy());
		asking.on("error", () => resolve(false));
		asking.on("close", () => resolve(false));
		asking.end();
	});
}

export async function freePort(): Promise<number> {
	const server = createServer();
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	await once(server, "close");
	return typeof address === "object" && address !== null ? address.port : 0;
}

/** Makes a folder whose path is short enough for Unix sockets. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "emulated-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

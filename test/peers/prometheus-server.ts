/** Prometheus of Debian (package `prometheus`): promtool, and a server with our configuration. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild, freePort, PeerMissing, run } from "./peer.js";

export interface Sampled {
	readonly metric: Record<string, string>;
	readonly value: [timeS: number, value: string];
}

export interface Server {
	/** Present result of an expression; throws an Error with the server's message. */
	query(expression: string): Promise<Sampled[]>;
	/** Memory of the server, bytes. */
	memory(): number;
}

/** Throws PeerMissing if it is not installed. */
export async function needPrometheus(): Promise<void> {
	for (const program of ["promtool", "prometheus"]) {
		try {
			await run(program, ["--version"]);
		} catch (error) {
			if (error instanceof PeerMissing) throw new PeerMissing(`${error.message} (Debian's package prometheus)`);
			throw error;
		}
	}
}

/** Exit code and messages of promtool. */
export async function promtool(args: string[], input = ""): Promise<[number, string]> {
	const program = spawn("promtool", args, { stdio: ["pipe", "ignore", "pipe"] });
	let complaints = "";
	program.stderr.on("data", (bytes: Buffer) => {
		complaints += bytes.toString();
	});
	program.stdin.end(input);
	const [code] = await once(program, "close");
	return [code, complaints];
}

/** Runs a server with the folder's `prometheus.yml`, which also holds its data. */
export async function withServer(folder: string, use: (server: Server) => Promise<void>): Promise<void> {
	const port = await freePort();
	const args = [
		`--config.file=${join(folder, "prometheus.yml")}`,
		`--storage.tsdb.path=${join(folder, "data")}`,
		`--web.listen-address=127.0.0.1:${port}`,
	];
	const program = spawn("prometheus", args, { stdio: "ignore" });
	try {
		await use({
			async query(expression) {
				const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
				// It takes a moment to listen.
				const reply = await fetch(url).catch(() => undefined);
				if (reply === undefined || reply.status === 503) return [];
				// biome-ignore lint/suspicious/noExplicitAny: JSON of another program
				const { status, error, data } = (await reply.json()) as any;
				assert.equal(status, "success", `${expression}: ${error}`);
				return data.result;
			},
			memory() {
				const status = readFileSync(`/proc/${program.pid}/status`, "utf8");
				return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
			},
		});
	} finally {
		await endChild(program);
	}
}

/** Repeats `getAnswer` until `isWanted`; fails with the last answer. */
export async function until<T>(
	getAnswer: () => Promise<T>,
	isWanted: (answer: T) => boolean,
	limitMs: number,
): Promise<T> {
	for (const limit = Date.now() + limitMs; ; await sleep(500)) {
		const answer = await getAnswer();
		if (isWanted(answer)) return answer;
		assert.ok(Date.now() < limit, `never came; the last was ${JSON.stringify(answer)}`);
	}
}

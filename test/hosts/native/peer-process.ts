/** A running test program in C (`*-peer.c`) that takes commands and answers with lines. */
import assert from "node:assert/strict";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { checkRests, descriptorsOf, memoryKiBOf, threadsOf } from "./process-watch.js";

export class PeerProcess {
	protected readonly process: ChildProcessWithoutNullStreams;
	/** Lines that were printed and not yet taken. */
	protected readonly lines: string[] = [];
	protected readonly exit: Promise<unknown[]>;
	protected errors = "";

	constructor(process: ChildProcessWithoutNullStreams) {
		this.process = process;
		this.exit = once(process, "close");
		process.stderr.on("data", (data) => {
			this.errors += data;
		});
		let rest = "";
		process.stdout.on("data", (data) => {
			const lines = `${rest}${data}`.split("\n");
			rest = lines.pop()!;
			this.lines.push(...lines);
		});
	}

	/** Takes the next line, which must come within this time. */
	protected async nextLine(limitMs: number): Promise<string> {
		for (const end = Date.now() + limitMs; this.lines.length === 0; await sleep(2))
			assert.ok(Date.now() < end && this.process.exitCode === null, `the peer is silent: ${this.errors}`);
		return this.lines.shift()!;
	}

	/** Number of open sockets and files. */
	descriptors(): number {
		return descriptorsOf(this.process.pid!);
	}

	threads(): number {
		return threadsOf(this.process.pid!);
	}

	memoryKiB(): number {
		return memoryKiBOf(this.process.pid!);
	}

	/** Fails if the program uses CPU time while nothing happens. */
	checkIdle(): Promise<void> {
		return checkRests(this.process.pid!);
	}

	/** Ends the program; fails if it printed errors. */
	async end(): Promise<void> {
		this.process.stdin.end();
		const [code, signal] = await this.exit;
		assert.equal(this.errors, "");
		assert.deepEqual([code, signal], [0, null]);
	}
}

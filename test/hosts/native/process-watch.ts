/** A child process in Linux's /proc: its open files, and whether it is idle. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Generous, because other programs may run. */
const REST_LIMIT_MS = 20_000;
const POLL_MS = 200;
/** Allowed CPU time of an idle process, in ticks of 10 ms. */
const TICKS_AT_REST = 2;

/** Number of open sockets and files. */
export function descriptorsOf(pid: number): number {
	return readdirSync(`/proc/${pid}/fd`).length;
}

export function threadsOf(pid: number): number {
	return readdirSync(`/proc/${pid}/task`).length;
}

export function memoryKiBOf(pid: number): number {
	return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}

/** Fails if the process uses CPU time while nothing happens. */
export async function checkRests(pid: number): Promise<void> {
	const ticks = () => {
		const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
		return Number(fields[11]) + Number(fields[12]);
	};
	for (const end = Date.now() + REST_LIMIT_MS; ; ) {
		const before = ticks();
		await sleep(POLL_MS);
		const used = ticks() - before;
		if (used <= TICKS_AT_REST) return;
		assert.ok(Date.now() < end, `it was busy for ${used * 10} of ${POLL_MS} ms`);
	}
}

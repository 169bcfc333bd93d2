/** Processor time and memory of another process, from Linux' /proc. */
import { readFileSync } from "node:fs";

export interface ProcessCost {
	readonly cpuMs: number;
	readonly memoryBytes: number;
}

/** Clock ticks of /proc in a second (USER_HZ of every Linux of today). */
const TICKS = 100;
/** Fields of /proc/PID/stat after the name, which may have blanks. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Returns zeros if there is no such process. */
export function costOf(pid: number | undefined): ProcessCost {
	if (pid === undefined) return { cpuMs: 0, memoryBytes: 0 };
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return {
		cpuMs: ((Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * 1000) / TICKS,
		memoryBytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024,
	};
}

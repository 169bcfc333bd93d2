/**
 * Starts the firmware. If that fails, prints the reason on the console and restarts after a while, so that the boot
 * loader returns from an unconfirmed image to the previous one.
 */
import { BOARD } from "gateway/board";
import config from "mc/config";
import Timer from "timer";
import type { Host } from "../../modules/io/host.js";
import { MEMORY } from "../native/memory.js";
import { createHost } from "./host.js";
import { System } from "./system.js";

/** Time from the start to the report of free memory, ms. By then the network is joined or the access point is on. */
const MEMORY_REPORT_MS = 10_000;

/**
 * Time from a failed start to the restart, ms. It lets a person read the console, and limits how often restarts write
 * to flash.
 */
const FAILED_RESTART_MS = 10_000;

export function start(make: (host: Host) => { start(): void }): void {
	System.watchAborts();
	const ending = System.ending();
	System.trace(`Gateway ${config.version} for ${BOARD.name}. Started: ${ending.cause}.`);
	try {
		const host = createHost(ending);
		make(host).start();
		System.trace(`Unit ${host.info.serial} serves as ${host.info.hostname}.`);
		Timer.set(printMemory, MEMORY_REPORT_MS);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		System.trace(reason);
		Timer.set(() => System.fail(reason), FAILED_RESTART_MS);
	}
}

function printMemory(): void {
	const { heapBytes, leastHeapBytes } = MEMORY.free!();
	const stacks = MEMORY.stacks!().trim().split("\n").join(", ");
	System.trace(`Free heap: ${heapBytes} bytes, ${leastHeapBytes} at least. Free stacks: ${stacks}.`);
}

/**
 * Starts a firmware on the ESP32. One that fails says why on the console, and starts anew after a while: a boot loader
 * that waits for a new image to prove itself goes back to the one before then.
 */
import { BOARD } from "gateway/board";
import config from "mc/config";
import Timer from "timer";
import type { Host } from "../../modules/io/host.js";
import { MEMORY } from "../native/memory.js";
import { createHost } from "./host.js";
import { System } from "./system.js";

/** Delay of the memory report, by which the network or the access point is up. */
const MEMORY_TOLD_MS = 10_000;

/** Time to read the console, and to spare the flash, which each start wears. */
const FAILED_RESTART_MS = 10_000;

export function start(make: (host: Host) => { start(): void }): void {
	System.watchAborts();
	const ending = System.ending();
	System.trace(`Gateway ${config.version} for ${BOARD.name}. Started: ${ending.cause}.`);
	try {
		const host = createHost(ending);
		make(host).start();
		System.trace(`Unit ${host.info.serial} serves as ${host.info.hostname}.`);
		Timer.set(tellMemory, MEMORY_TOLD_MS);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		System.trace(reason);
		Timer.set(() => System.fail(reason), FAILED_RESTART_MS);
	}
}

/** Prints the free heap once, for comparing boards and builds. */
function tellMemory(): void {
	const { heapBytes, leastHeapBytes } = MEMORY.free!();
	const stacks = MEMORY.stacks!().trim().split("\n").join(", ");
	System.trace(`Free heap: ${heapBytes} bytes, ${leastHeapBytes} at least. Free stacks: ${stacks}.`);
}

/** Starts the firmware. If that fails, prints a message on standard error and exits with 1. */
import type { Host } from "../../modules/io/host.js";
import { createHost } from "./host.js";
import { System } from "./system.js";

export function start(make: (host: Host) => { start(): void }): void {
	System.watchStack();
	try {
		const { host, ready, fail } = createHost();
		if (fail === undefined) make(host).start();
		(fail ?? ready)();
	} catch (error) {
		System.trace(error instanceof Error ? error.message : String(error));
		System.exit(1);
	}
}

/** Turns events from Node into calls of the host's callbacks. */
import type { Host } from "../../../modules/io/host.js";
import { createHost } from "./host.js";
import { EVENT_COLLECT, EVENT_START, EVENT_STOP } from "./protocol.js";
import { Wire } from "./wire.js";

export interface Firmware {
	start(): void;
	stop(): void;
}

/** Passes events to the firmware. `make` is called once, at EVENT_START. */
export function serve(make: (host: Host) => Firmware): void {
	const wire = new Wire();
	let firmware: Firmware | undefined;
	const dispatch = (message: ArrayBuffer) => {
		const kind = wire.receive(message);
		if (kind === EVENT_COLLECT) gc();
		else if (kind === EVENT_START) {
			firmware = make(createHost(wire, message));
			firmware.start();
		} else if (kind === EVENT_STOP) firmware?.stop();
	};
	globalThis.handleCommand = (message) => {
		try {
			dispatch(message);
		} catch (error) {
			// The worker passes on only the message of an exception, so the stack is added to it.
			throw error instanceof Error ? new Error(`${error.message}\n${error.stack}`) : error;
		}
	};
}

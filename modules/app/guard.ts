/** Every callback of the host goes through here: on the device an exception that escapes is a restart. For gateway.ts. */
import { StorageRefusal } from "../config/watched-storage.js";

/** Runs `run`, and traces what it throws; `part` names the one to blame. */
export type Guard = (part: string, run: () => void) => void;

export function guardWith(trace: (message: string) => void): Guard {
	return (part, run) => {
		try {
			run();
		} catch (error) {
			// That was told when it happened.
			if (error instanceof StorageRefusal) return;
			trace(`${part}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		}
	};
}

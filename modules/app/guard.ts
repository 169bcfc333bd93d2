/** Guard for callbacks of the host: logs exceptions, because an uncaught one restarts the device. */
import { StorageRefusal } from "../config/watched-storage.js";

/** Calls `run` and logs what it throws; `part` names the source. */
export type Guard = (part: string, run: () => void) => void;

export function guardWith(trace: (message: string) => void): Guard {
	return (part, run) => {
		try {
			run();
		} catch (error) {
			// WatchedStorage has already logged it.
			if (error instanceof StorageRefusal) return;
			trace(`${part}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		}
	};
}

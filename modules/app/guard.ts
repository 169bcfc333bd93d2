/** Logs exceptions of the host's callbacks; an uncaught one restarts the device. */
import { StorageRefusal } from "../config/watched-storage.js";

export type Guard = (part: string, run: () => void) => void;

export function guardWith(trace: (message: string) => void): Guard {
	return (part, run) => {
		try {
			run();
		} catch (error) {
			// WatchedStorage has logged it.
			if (error instanceof StorageRefusal) return;
			trace(`${part}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		}
	};
}

/** Runs a callback of the host and logs its exceptions. An exception that is not caught would restart the device. */
import { StorageRefusal } from "../config/watched-storage.js";
import { faultLine } from "../io/fault.js";

export type Guard = (part: string, run: () => void) => void;

export function guardWith(trace: (message: string) => void): Guard {
	return (part, run) => {
		try {
			run();
		} catch (error) {
			// WatchedStorage has already logged this fault.
			if (!(error instanceof StorageRefusal)) trace(faultLine(part, error));
		}
	};
}

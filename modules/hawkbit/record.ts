/**
 * Action of the server that this gateway carries out, or that it carried out last. It is stored in flash, because the
 * result is known only after a restart, when the new firmware is on trial or the previous one runs again.
 *
 * Stored as UTF-8: `<id> LF <tries> LF <version> LF <result>`.
 */
import type { Storage, TextCodec } from "../io/host.js";

export const ACTION_KEY = "hawkbit_act";
/** Result of an action that has succeeded. The result of a failed action is a code, a space and a message. */
export const SUCCESS = "success";

export interface Action {
	/** Id on the server; it has digits only. */
	readonly id: string;
	readonly tries: number;
	/** Version of the installed file; "" before the installation. */
	readonly version: string;
	/** SUCCESS or a failure; "" while the action is not finished. */
	readonly result: string;
}

/** Returns the stored action; undefined if there is none or if the flash can't be read. */
export function loadAction(storage: Storage, text: TextCodec): Action | undefined {
	try {
		const bytes = storage.get(ACTION_KEY);
		if (bytes === undefined) return undefined;
		const [id, tries, version, result = ""] = text.decode(bytes).split("\n", 4);
		return { id, tries: Number(tries), version, result };
	} catch {
		return undefined;
	}
}

export function storeAction(storage: Storage, text: TextCodec, { id, tries, version, result }: Action): void {
	try {
		storage.set(ACTION_KEY, text.encode(`${id}\n${tries}\n${version}\n${result}`));
	} catch {
		// The storage logs that the flash has refused the write. After a restart the action begins again.
	}
}

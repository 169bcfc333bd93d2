/**
 * Upload of a firmware file in pieces, between which other requests are possible. Each piece is one short TLS record. A
 * long request would have records of 16 KB, for which the chip may not have enough memory.
 */
import { API, DeviceError, errorOf, get, OFFLINE, remove, replied, wait } from "./device.js";
import { token, tokenRefused, wantPassword } from "./session.js";

/** Code of a cancelled upload. */
export const CANCELLED = "cancelled";

/** Length of a piece. It is chosen so that the TLS record has less than 4 KB. */
const PIECE = 4000;
/** Number of attempts to continue after pieces that got no reply, and pause before each attempt. */
const ATTEMPTS = 5;
const PAUSE_MS = 1000;

export interface Upload {
	/** Resolves when the upload has ended. Rejects with a DeviceError. */
	readonly done: Promise<void>;
	cancel(): void;
}

/** Begins an upload. `onSent` is called with the number of bytes that the gateway has processed. */
export function upload(path: string, file: Blob, onSent: (bytes: number) => void): Upload {
	const controller = new AbortController();
	return { done: send(path, file, onSent, controller.signal), cancel: () => controller.abort() };
}

async function send(path: string, file: Blob, onSent: (bytes: number) => void, signal: AbortSignal): Promise<void> {
	let lost = 0;
	for (let offset = 0; offset < file.size; onSent(offset)) {
		const end = Math.min(offset + PIECE, file.size);
		try {
			const reply = await fetch(`${API}${path}?offset=${offset}&total=${file.size}`, {
				method: "POST",
				headers: { Authorization: `Bearer ${token()}`, "Content-Type": "application/octet-stream" },
				body: file.slice(offset, end),
				signal,
			});
			const text = await reply.text();
			replied();
			if (reply.status === 401) tokenRefused();
			if (reply.status === 401 || reply.status === 403) wantPassword();
			if (!reply.ok) throw errorOf(reply.status, text);
			offset = end;
			lost = 0;
		} catch (error) {
			if (signal.aborted) {
				await remove(path).catch(() => undefined);
				throw new DeviceError(0, CANCELLED, "");
			}
			if (error instanceof DeviceError) throw error;
			if (++lost > ATTEMPTS) throw new DeviceError(0, OFFLINE, "");
			await wait(PAUSE_MS);
			const status = await get<{ ota_state: string; ota_received: number }>("system/status");
			if (status.ota_state === "verifying" || status.ota_state === "restarting") return;
			if (status.ota_state !== "receiving") throw new DeviceError(0, OFFLINE, "");
			offset = status.ota_received;
		}
	}
}

/** Uploads of large files beside other requests, by XMLHttpRequest, because `fetch` reports no progress. */
import { API, DeviceError, errorOf, OFFLINE, replied } from "./device.js";
import { token, tokenRefused, wantPassword } from "./session.js";

/** Code for an upload that the user cancelled. */
export const CANCELLED = "cancelled";

export interface Upload {
	/** Resolves after the upload; rejects with a DeviceError. */
	readonly done: Promise<void>;
	cancel(): void;
}

/**
 * `onSent` gets the number of bytes that the browser has passed to the network; some of them may still be in buffers.
 */
export function upload(path: string, file: Blob, onSent: (bytes: number) => void): Upload {
	const request = new XMLHttpRequest();
	const done = new Promise<void>((resolve, reject) => {
		request.open("POST", API + path);
		request.setRequestHeader("Authorization", `Bearer ${token()}`);
		request.setRequestHeader("Content-Type", "application/octet-stream");
		request.upload.onprogress = ({ loaded }) => onSent(loaded);
		request.onload = () => {
			replied();
			if (request.status === 401) tokenRefused();
			if (request.status === 401 || request.status === 403) wantPassword();
			if (request.status === 200) resolve();
			else reject(errorOf(request.status, request.responseText));
		};
		request.onerror = () => reject(new DeviceError(0, OFFLINE, ""));
		request.onabort = () => reject(new DeviceError(0, CANCELLED, ""));
		request.send(file);
	});
	return { done, cancel: () => request.abort() };
}

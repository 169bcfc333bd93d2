/** Upload of a firmware file. */

import { BUSY, UNSUPPORTED } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import type { BodySink } from "../../http/handler.js";
import type { Firmware } from "../firmware.js";
import { codeOf, REFUSALS, TAKEN } from "../refusals.js";
import type { Sender, Updater } from "../updater.js";

/** Returns a sink for the file, or undefined after replying with an error. */
export function postFirmware(exchange: Exchange<Firmware | undefined>): BodySink | undefined {
	const { updater } = exchange.part ?? {};
	const { contentLength } = exchange.request;
	if (updater?.isOpen !== true) {
		exchange.fail(501, UNSUPPORTED, "This firmware was built without updates: flash it by cable.");
	} else if (contentLength > updater.limit) {
		exchange.fail(413, "too_large", "The file is too large: choose the one for this board whose name ends in .ota.");
	} else {
		const upload = new Upload(exchange, updater);
		const refusal = updater.begin(upload, Math.max(0, contentLength));
		if (refusal === TAKEN) return upload;
		upload.updated(refusal);
	}
	return undefined;
}

class Upload implements BodySink, Sender {
	readonly limit: number;
	readonly name: string;
	readonly #exchange: Exchange<Firmware | undefined>;
	readonly #updater: Updater;
	rest = 0;

	constructor(exchange: Exchange<Firmware | undefined>, updater: Updater) {
		this.#exchange = exchange;
		this.#updater = updater;
		this.limit = updater.limit;
		this.name = exchange.remoteAddress;
	}

	/** Processes bytes, unless the token was revoked during the upload, which may last a quarter of an hour. */
	write(bytes: Uint8Array, start: number, end: number): void {
		if (this.#exchange.failIfRevoked()) {
			this.rest = 0;
			this.#updater.abort();
			return;
		}
		this.rest = end - start - this.#updater.write(bytes, start, end);
	}

	end(): void {
		if (this.#exchange.failIfRevoked()) this.#updater.abort();
		else this.#updater.end();
	}

	abort(): void {
		this.#updater.abort();
	}

	updated(refusal: number): void {
		const exchange = this.#exchange;
		if (refusal === TAKEN) {
			exchange.empty();
			return;
		}
		const code = codeOf(refusal);
		if (code === BUSY) exchange.response.header("Retry-After", "5");
		exchange.fail(code === BUSY ? 503 : 500, code, REFUSALS[refusal].slice(code.length + 1));
	}
}

/** Update of the firmware: the upload of the API text, and what the status shows of it (decisions 4 and 48). */
import type { BodySink, SlowBody } from "../http/handler.js";
import type { Refusal } from "../ota/refusals.js";
import type { Sender, Updater } from "../ota/updater.js";
import { BUSY, UNSUPPORTED } from "./errors.js";
import type { Exchange } from "./exchange.js";

/** A client on a bad radio link may be silent for a while, and take its time. */
const STALL_MS = 30_000;
const TOTAL_MS = 900_000;
const TOO_LARGE = "too_large";

/** Takes the file, or answers why it is not taken. */
export function postFirmware(exchange: Exchange): BodySink | undefined {
	const { updater } = exchange.services;
	if (updater?.isOpen !== true) {
		exchange.fail(501, UNSUPPORTED, "This build of the firmware takes no updates: flash it by its USB port.");
		return undefined;
	}
	const { contentLength } = exchange.request;
	if (contentLength > updater.limit) {
		const message = "The file is larger than any firmware: choose the one for this board whose name ends in .ota.";
		exchange.fail(413, TOO_LARGE, message);
		return undefined;
	}
	const upload = new Upload(exchange, updater);
	const refusal = updater.begin(upload, Math.max(0, contentLength));
	if (refusal === undefined) return upload;
	upload.updated(refusal);
	return undefined;
}

class Upload implements BodySink, SlowBody, Sender {
	readonly limit: number;
	readonly #exchange: Exchange;
	readonly #updater: Updater;
	rest = 0;

	constructor(exchange: Exchange, updater: Updater) {
		this.#exchange = exchange;
		this.#updater = updater;
		this.limit = updater.limit;
	}

	get slow(): SlowBody {
		return this;
	}

	get stallMs(): number {
		return STALL_MS;
	}

	get totalMs(): number {
		return TOTAL_MS;
	}

	/** For the log. */
	get name(): string {
		return this.#exchange.remoteAddress;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.rest = end - start - this.#updater.write(bytes, start, end);
	}

	end(): void {
		this.#updater.end();
	}

	abort(): void {
		this.#updater.abort();
	}

	updated(refusal: Refusal | undefined): void {
		const exchange = this.#exchange;
		if (refusal === undefined) exchange.empty();
		else if (refusal.code === BUSY) {
			exchange.response.header("Retry-After", "5");
			exchange.fail(503, BUSY, refusal.message);
		} else exchange.fail(500, refusal.code, refusal.message);
	}
}

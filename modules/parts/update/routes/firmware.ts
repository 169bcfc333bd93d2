/**
 * Route `system/ota`: upload of a firmware file, in one request or in pieces. The query of a piece has its offset and
 * the length of the file in bytes, such as `offset=4000&total=1866880`. The reply to a piece is sent when the piece was
 * processed, and the reply to the last piece when the file was verified. A piece of 4 KB is one short TLS record. A
 * long request has records of 16 KB, for which too little memory may be free.
 */

import { BUSY, INVALID_FIELD, UNSUPPORTED } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { wholeNumber } from "../../../bytes/ascii.js";
import type { BodySink } from "../../../http/handler.js";
import { PieceUpload } from "../../../update/piece-upload.js";
import { codeOf, INTERRUPTED, REFUSALS, TAKEN, UNDER_WAY } from "../../../update/refusals.js";
import type { Sender, Updater } from "../../../update/updater.js";
import type { Firmware } from "../firmware.js";

/** Largest number that the query may have. It exceeds the size of every slot. */
const NUMBER_LIMIT = 999_999_999;

/** Returns a sink for the body, or undefined after replying with an error. */
export function postFirmware(exchange: Exchange<Firmware | undefined>): BodySink | undefined {
	const { request, part: firmware } = exchange;
	const { contentLength } = request;
	const offset = numberOf(request.query("offset"));
	const total = numberOf(request.query("total"));
	const isPiece = offset !== undefined || total !== undefined;
	const length = total ?? contentLength;
	if (firmware?.updater.isOpen !== true) {
		exchange.fail(501, UNSUPPORTED, "This firmware was built without updates: flash it by cable.");
	} else if (isPiece && !(contentLength > 0 && offset! + contentLength <= total!)) {
		exchange.fail(400, INVALID_FIELD, "A piece needs offset and total, in bytes, and must lie within the file.");
	} else if (length > firmware.updater.limit) {
		exchange.fail(413, "too_large", "The file is too large: choose the one for this board whose name ends in .ota.");
	} else {
		const { updater } = firmware;
		const sink = isPiece ? new Piece(exchange, firmware) : new Upload(exchange, updater);
		const refusal = sink.begin(offset!, length);
		if (refusal === TAKEN) return sink;
		sink.updated(refusal);
	}
	return undefined;
}

export function cancelFirmware(exchange: Exchange<Firmware | undefined>): void {
	const { updater, upload } = exchange.part ?? {};
	if (upload?.isOver === false) updater?.abort();
	exchange.empty();
}

/** Returns a number of the query; undefined if it is missing, and NaN if it is not a whole number. */
function numberOf(text: string | undefined): number | undefined {
	return text === undefined ? undefined : wholeNumber(text, NUMBER_LIMIT);
}

class Upload implements BodySink, Sender {
	readonly limit: number;
	readonly name: string;
	protected readonly exchange: Exchange<Firmware | undefined>;
	protected readonly updater: Updater;
	rest = 0;

	constructor(exchange: Exchange<Firmware | undefined>, updater: Updater) {
		this.exchange = exchange;
		this.updater = updater;
		this.limit = updater.limit;
		this.name = exchange.remoteAddress;
	}

	/** Begins an update. Returns TAKEN or a refusal. `length` is -1 if it is unknown. */
	begin(_offset: number, length: number): number {
		return this.updater.begin(this, Math.max(0, length));
	}

	/** The token is checked again, because it may be revoked during an upload, which may last a quarter of an hour. */
	write(bytes: Uint8Array, start: number, end: number): void {
		if (this.exchange.failIfRevoked()) {
			this.rest = 0;
			this.updater.abort();
			return;
		}
		this.rest = end - start - this.updater.write(bytes, start, end);
	}

	end(): void {
		if (this.exchange.failIfRevoked()) this.updater.abort();
		else this.updater.end();
	}

	abort(): void {
		this.updater.abort();
	}

	updated(refusal: number): void {
		const { exchange } = this;
		if (refusal === TAKEN) {
			exchange.empty();
			return;
		}
		const code = codeOf(refusal);
		if (code === BUSY) exchange.response.header("Retry-After", "5");
		exchange.fail(code === BUSY ? 503 : 500, code, REFUSALS[refusal].slice(code.length + 1));
	}
}

class Piece extends Upload {
	readonly #firmware: Firmware;
	/**
	 * Number of bytes at the start of this piece that were processed before. It is above 0 if the client repeats the
	 * piece.
	 */
	#known = 0;

	constructor(exchange: Exchange<Firmware | undefined>, firmware: Firmware) {
		super(exchange, firmware.updater);
		this.#firmware = firmware;
	}

	/**
	 * Begins a piece. Returns TAKEN or a refusal. Offset 0 begins an upload. If a piece is repeated, this request
	 * replaces the earlier one, because the gateway may not know yet that the earlier connection is lost.
	 */
	override begin(offset: number, total: number): number {
		const { exchange, updater } = this;
		let upload = this.#firmware.upload;
		if (upload?.isOver === false) {
			const known = updater.received - offset;
			const isRepeated = known >= 0 && known <= exchange.request.contentLength;
			if (offset > 0 && total === updater.total && isRepeated) {
				this.#known = known;
				upload.request?.updated(INTERRUPTED, "");
			} else if (upload.request !== undefined) return UNDER_WAY;
			else if (offset === 0) updater.abort();
			else return INTERRUPTED;
		}
		if (upload === undefined || upload.isOver) {
			if (offset > 0) return INTERRUPTED;
			upload = new PieceUpload(this.name);
			const refusal = updater.begin(upload, total);
			if (refusal !== TAKEN) return refusal;
			this.#firmware.upload = upload;
		}
		upload.request = this;
		return TAKEN;
	}

	override write(bytes: Uint8Array, start: number, end: number): void {
		this.rest = 0;
		if (!this.isCurrent) return;
		const skipped = Math.min(this.#known, end - start);
		this.#known -= skipped;
		super.write(bytes, start + skipped, end);
	}

	override end(): void {
		const { exchange, updater } = this;
		if (!this.isCurrent) return;
		if (updater.received === updater.total) super.end();
		else if (exchange.failIfRevoked()) updater.abort();
		else {
			this.leave();
			exchange.empty();
		}
	}

	/** Ends this request. The next piece must begin after the last byte that was processed. */
	override abort(): void {
		this.leave();
	}

	override updated(refusal: number): void {
		this.leave();
		super.updated(refusal);
	}

	/** False if the reply was sent, or if another request has replaced this one. */
	private get isCurrent(): boolean {
		return this.#firmware.upload?.request === this;
	}

	private leave(): void {
		const { upload } = this.#firmware;
		if (upload !== undefined && this.isCurrent) upload.request = undefined;
	}
}

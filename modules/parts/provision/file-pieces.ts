/**
 * Receives a signed settings file in pieces over the console. Each piece is a command 240 of Improv (app/improv.ts),
 * a number that the standard does not use. The data of the command, after its length, are as follows. Numbers are
 * little-endian:
 *
 *     0    2   length of the file
 *     2    2   offset of the piece
 *     4    n   bytes of the file, at least one
 *
 * A command without data only requests the state. Each result consists of these strings, which are the state:
 *
 *     "more", offset           bytes are missing from this offset on; 0 without a transfer
 *     "waits"                  the file is complete, and will be checked
 *     "applied"
 *     code, field, sentence    the file was refused, as in the API
 *
 * A piece with offset 0 begins a transfer, unless a file waits. Any other piece is ignored, unless its offset is that
 * of the first missing byte.
 */
import { BUSY } from "../../api/errors.js";
import { uint16LE } from "../../bytes/integers.js";
import type { Core } from "../../core/core.js";
import { FILE_COST, FILE_LIMIT, INVALID_FILE } from "../../provision/file.js";
import { BUSY_SENTENCE, type FileClient } from "./file-exchange.js";
import { PROVISION } from "./part.js";

const BYTES_AT = 4;
/** Time limit of a transfer, ms. */
const TRANSFER_MS = 60_000;
const WAITS = "waits";

type PiecesCore = Pick<Core, "ledger" | "find">;

export class FilePieces implements FileClient {
	readonly #core: PiecesCore;
	/** The file that is being received, whose memory is claimed; undefined if no transfer is in progress. */
	#file: Uint8Array | undefined;
	#length = 0;
	#endMs = 0;
	/** State after the end of a transfer. */
	#result: readonly string[] | undefined;

	constructor(core: PiecesCore) {
		this.#core = core;
	}

	/**
	 * Processes `packet[start..end)` and returns the state. If these bytes are not a piece of the file, changes nothing
	 * and returns undefined.
	 */
	take(packet: Uint8Array, start: number, end: number, nowMs: number): readonly string[] | undefined {
		if (end > start) {
			const total = uint16LE(packet, start);
			const offset = uint16LE(packet, start + 2);
			const bytesAt = start + BYTES_AT;
			const length = offset + end - bytesAt;
			if (end <= bytesAt || length > total) return undefined;
			if (offset === 0 && this.#result?.[0] !== WAITS) this.begin(total, nowMs);
			const file = this.#file;
			if (file !== undefined) {
				if (file.length !== total) return undefined;
				if (offset === this.#length) {
					file.set(packet.subarray(bytesAt, end), offset);
					this.#length = length;
				}
				if (this.#length === total) {
					// Release the memory of the transfer first, because applying the file claims memory.
					this.close();
					this.#result = [WAITS];
					this.#core.find(PROVISION).offer(file, "console", this);
				}
			}
		}
		return this.#result ?? ["more", String(this.#length)];
	}

	/** Cancels the transfer. If `nowMs` is given, cancels it only if it has taken too long. */
	close(nowMs = this.#endMs): void {
		if (this.#file === undefined || nowMs < this.#endMs) return;
		this.#file = undefined;
		this.#length = 0;
		this.#core.ledger.release(FILE_COST);
	}

	object(): void {
		this.#result = ["applied"];
	}

	fail(_status: number, code: string, sentence: string, field = ""): void {
		this.#result = [code, field, sentence];
	}

	private begin(total: number, nowMs: number): void {
		this.close();
		this.#result = undefined;
		if (total > FILE_LIMIT) this.fail(0, INVALID_FILE, "");
		else if (!this.#core.ledger.claim(FILE_COST)) this.fail(0, BUSY, BUSY_SENTENCE);
		else {
			this.#file = new Uint8Array(total);
			this.#endMs = nowMs + TRANSFER_MS;
		}
	}
}

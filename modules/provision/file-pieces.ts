/**
 * Receives a signed settings file in pieces over the console, by command 240 of Improv (improv/improv.ts), which the
 * standard does not use. Data of the command, after its length; numbers are little-endian:
 *
 *     0    2   length of the file
 *     2    2   offset of the piece
 *     4    n   bytes of the file, at least one
 *
 * A command without data only asks. The texts of each result are the state:
 *
 *     "more", offset           bytes are missing from this offset on; 0 without a transfer
 *     "waits"                  the file is complete, and will be checked
 *     "applied"
 *     code, field, sentence    refused, as by the API
 *
 * A piece at offset 0 begins a transfer, unless a file waits. A piece that is not at the missing offset changes nothing.
 */
import { BUSY } from "../api/errors.js";
import type { MemoryLedger } from "../io/memory.js";
import { uint16 } from "../ota/front.js";
import { FILE_COST, FILE_LIMIT } from "./file.js";
import { BUSY_SENTENCE, type FileClient } from "./file-exchange.js";

const BYTES_AT = 4;
/** Time limit of a transfer. */
const TRANSFER_MS = 60_000;
const BY_CONSOLE = "console";

const NONE: readonly string[] = Object.freeze(["more", "0"]);
const WAITS: readonly string[] = Object.freeze(["waits"]);
const APPLIED: readonly string[] = Object.freeze(["applied"]);

export interface PieceTaker {
	offer(file: Uint8Array, way: string, client: FileClient): void;
}

export class FilePieces implements FileClient {
	readonly #ledger: MemoryLedger;
	readonly #taker: PieceTaker;
	/** Undefined without a transfer; otherwise its memory is claimed. */
	#file: Uint8Array | undefined;
	#length = 0;
	#endMs = 0;
	#result = NONE;

	constructor(ledger: MemoryLedger, taker: PieceTaker) {
		this.#ledger = ledger;
		this.#taker = taker;
	}

	get state(): readonly string[] {
		return this.#file === undefined ? this.#result : ["more", String(this.#length)];
	}

	/** Takes `packet[at..end)`. Returns false if it is no piece of the file; nothing is changed then. */
	take(packet: Uint8Array, at: number, end: number, nowMs: number): boolean {
		const total = uint16(packet, at);
		const offset = uint16(packet, at + 2);
		const bytesAt = at + BYTES_AT;
		const length = offset + end - bytesAt;
		if (at === end) return true;
		if (bytesAt >= end || length > total) return false;
		if (offset === 0 && this.#result !== WAITS) this.begin(total, nowMs);
		const file = this.#file;
		if (file === undefined) return true;
		if (file.length !== total) return false;
		if (offset !== this.#length) return true;
		file.set(packet.subarray(bytesAt, end), offset);
		this.#length = length;
		if (length < total) return true;
		// Released first, because applying the file claims memory.
		this.close();
		this.#result = WAITS;
		this.#taker.offer(file, BY_CONSOLE, this);
		return true;
	}

	/** Gives up a transfer that takes too long. */
	expire(nowMs: number): void {
		if (nowMs >= this.#endMs) this.close();
	}

	close(): void {
		if (this.#file !== undefined) this.#ledger.release(FILE_COST);
		this.#file = undefined;
	}

	object(): void {
		this.#result = APPLIED;
	}

	busy(): void {
		this.fail(503, BUSY, BUSY_SENTENCE);
	}

	fail(_status: number, code: string, sentence: string, field = ""): void {
		this.#result = [code, field, sentence];
	}

	private begin(total: number, nowMs: number): void {
		this.close();
		this.#result = NONE;
		this.#length = 0;
		this.#endMs = nowMs + TRANSFER_MS;
		if (total > FILE_LIMIT) this.fail(413, "too_large", "The file is too long.");
		else if (!this.#ledger.claim(FILE_COST)) this.busy();
		else this.#file = new Uint8Array(total);
	}
}

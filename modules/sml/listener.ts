/**
 * Receives unsolicited SML telegrams in the transport protocol of SML 1.04 (BSI TR-03109-1, annex IV, part b), 8.1:
 *
 * | bytes | meaning |
 * |---|---|
 * | 1B×4 01×4 | start of a telegram |
 * | 1B×4 1B×4 | inside a telegram: 1B×4 as data |
 * | 1B×4 1A, pad count, check | end of a telegram; the checksum covers all bytes before it, from the first 1B on (check.ts) |
 *
 *   HUNT   start of a telegram                            FILE
 *   FILE   start of a telegram                            FILE; the previous telegram is dropped
 *          end of a telegram                              HUNT; the telegram is validated
 *          silence, too long, unknown escape sequence     HUNT; the telegram is dropped
 *
 * If a byte is lost or inserted, only its telegram is lost.
 */
import { stepCRC16 } from "../bytes/crc16.js";
import type { Failure } from "../readout/failure.js";
import { ListenSession } from "../readout/listen-session.js";
import { EVENT_POOR, EVENT_READOUT } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { isCheckRight } from "./check.js";
import { SML_BROKEN, SML_CHECK_WRONG, SML_NO_START, SML_SILENCE } from "./failures.js";
import { SMLFile } from "./file.js";
import { meterIdOf } from "./server-id.js";

/** Silence that ends a telegram, ms. */
const GAP_MS = 2000;
/** Maximum length of a telegram, bytes; the longest known one has 528. */
export const TELEGRAM_LIMIT = 4096;

const ESCAPE = 0x1b;
const BEGIN = 0x01;
const END = 0x1a;
const ESCAPES = 4;
/** Value of the checksum register after 1B×4 01×4. */
const BEGIN_REGISTER = 0x91dc;
const BEGIN_LENGTH = 8;

const STATE_HUNT = 0;
const STATE_FILE = 1;

export class SMLListener extends ListenSession {
	isCut = false;
	/** `records.kept` is the telegram that was reported last. */
	readonly records: RecordWriter;
	readonly #file: SMLFile;
	#state = STATE_HUNT;
	#escapes = 0;
	#escaped = 0;
	#extra = 0;
	#last = 0;
	#register = 0;
	/** Checksum over the bytes before the received checksum. */
	#checked = 0;
	#count = 0;

	constructor(records: RecordWriter) {
		super();
		this.records = records;
		this.#file = new SMLFile(records);
	}

	protected override take(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			if (this.#state === STATE_FILE) {
				this.#register = stepCRC16(this.#register, byte);
				this.#count++;
			}
			if (this.#escapes === ESCAPES) this.processEscaped(byte);
			else if (byte === ESCAPE) {
				this.#escapes++;
				this.#extra = 0;
			} else {
				if (this.#state === STATE_FILE) {
					while (this.#escapes > 0) {
						this.#file.parse(ESCAPE);
						this.#escapes--;
					}
					this.#file.parse(byte);
				}
				this.#escapes = 0;
			}
		}
		if (this.#state === STATE_FILE && this.#count > TELEGRAM_LIMIT) this.dropTelegram(0);
		this.deadlineMs = this.#state === STATE_FILE ? nowMs + GAP_MS : Number.POSITIVE_INFINITY;
	}

	protected override silence(): void {
		this.dropTelegram(0);
	}

	protected override explain(): Failure {
		return this.received === 0 ? SML_SILENCE : SML_NO_START;
	}

	private processEscaped(byte: number): void {
		const isFile = this.#state === STATE_FILE;
		if (byte === ESCAPE && (this.#extra === 0 || this.#escaped === ESCAPE)) {
			if (!isFile) return;
			this.#escaped = ESCAPE;
			if (++this.#extra < ESCAPES) return;
			for (let i = 0; i < ESCAPES; i++) this.#file.parse(ESCAPE);
			this.#escapes = 0;
			return;
		}
		if (this.#escaped === ESCAPE) this.#extra = 0;
		if (this.#extra === 0) this.#escaped = byte;
		this.#extra++;
		if (this.#escaped === BEGIN && byte === BEGIN) {
			if (this.#extra === 4) this.begin();
		} else if (this.#escaped === END && isFile) {
			if (this.#extra === 2) this.#checked = this.#register;
			if (this.#extra === 4) this.validate(byte);
			else this.#last = byte;
		} else this.dropTelegram(byte === ESCAPE ? 1 : 0);
	}

	private begin(): void {
		this.#state = STATE_FILE;
		this.#escapes = 0;
		this.#register = BEGIN_REGISTER;
		this.#count = BEGIN_LENGTH;
		// If the previous telegram was not reported yet, its data are safe in `records.kept`.
		this.#file.begin();
	}

	/** Validates a telegram. `byte`: second byte of the received checksum. */
	private validate(byte: number): void {
		const isRight = isCheckRight(this.#checked, this.#count - 2, this.#last * 256 + byte);
		// If the checksum consists of ESCAPE bytes, bytes were lost, and the ESCAPE bytes begin the next telegram.
		this.dropTelegram(byte !== ESCAPE ? 0 : this.#last === ESCAPE ? 2 : 1);
		const file = this.#file;
		const { records } = this;
		let failure: Failure | undefined;
		if (!isRight || file.isWrong) failure = SML_CHECK_WRONG;
		else if (!file.isComplete) failure = SML_BROKEN;
		if (failure !== SML_BROKEN && records.records === 0) return;
		if (failure !== undefined && this.event === EVENT_READOUT) return;
		this.failure = failure;
		this.isCut = records.overflow;
		if (failure !== SML_BROKEN) records.endBlock(failure === undefined);
		this.report(failure === undefined ? EVENT_READOUT : EVENT_POOR);
		if (failure === undefined) this.meterId = meterIdOf(file.serverId);
	}

	/** Drops the telegram. `escapes`: number of ESCAPE bytes of the next telegram that have already arrived. */
	private dropTelegram(escapes: number): void {
		this.#state = STATE_HUNT;
		this.#escapes = escapes;
		this.#extra = 0;
		this.#count = 0;
	}
}

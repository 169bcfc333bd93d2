/**
 * Listener for unsolicited telegrams, mode D (IEC 62056-21:2002, 6.4.5; DSMR P1 companion standard 5.0.2, 5.2):
 *
 * | bytes | meaning |
 * |---|---|
 * | identification | as in mode C (ident.ts), then usually an empty line |
 * | block | data sets, ended by `!` |
 * | CRC | DSMR only: four hex digits (some meters omit leading zeros), CRC-16/ARC of everything from `/` to `!` |
 * | CR LF | |
 *
 * The only checks are parity, grammar and, with DSMR, the CRC. The CRC covers all eight bits. If the CRC is right,
 * characters of 0x80 and above do not count as damaged, but their lines are discarded.
 *
 * Telegrams may follow each other without a gap, and listening may begin inside a telegram. An identification inside a
 * block therefore drops the block and begins a new telegram.
 *
 *     state  event             reaction
 *     HUNT   identification    BODY
 *     BODY   `!`               CRC
 *            identification    the telegram is lost; BODY of the new one
 *            silence           the telegram is lost; HUNT
 *     CRC    LF, or silence    the telegram is validated; HUNT
 */
import { stepCRC16ARC } from "../bytes/crc16-arc.js";
import { hexDigitValue } from "../bytes/hex.js";
import type { Failure } from "../readout/failure.js";
import { ListenSession } from "../readout/listen-session.js";
import { EVENT_POOR, EVENT_READOUT } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { CHECK_ABSENT, CHECK_RIGHT, CHECK_WRONG } from "./block.js";
import { DataSetParser } from "./dataset.js";
import { IEC_CHECK_WRONG, IEC_NO_IDENT, IEC_SILENCE } from "./failures.js";
import { IdentScanner } from "./ident.js";

/**
 * A telegram was dropped, because it stopped before its end or had no data set. The other events of a listener are
 * EVENT_READOUT, EVENT_POOR (wrong CRC, damaged characters or a broken line) and EVENT_END.
 */
export const EVENT_LOST_TELEGRAM = 5;

/** Silence that ends a telegram, ms. Within a telegram, a character follows the previous one within 1500 ms (6.4.5). */
const GAP_MS = 2000;
/** Silence that ends a telegram after its `!`, ms. A CRC or a line end should follow the `!` immediately. */
const END_GAP_MS = 300;
const CRC_DIGITS = 4;

const SLASH = 0x2f;
const SLASH_CRC = 0xdc41;
const LF = 0x0a;

const STATE_HUNT = 0;
const STATE_BODY = 1;
const STATE_CRC = 2;

/** `meterId` is the identification of the last telegram that has begun. */
export class MeterListener extends ListenSession {
	readonly parser: DataSetParser;
	check = CHECK_ABSENT;
	/** Number of received characters of 0x80 and above. */
	damaged = 0;
	readonly #scanner = new IdentScanner();
	#state = STATE_HUNT;
	#crc = 0;
	/** CRC of everything from the last `/` on, which may be the beginning of the next telegram. */
	#scannerCRC = 0;
	#sentCRC = 0;
	#digits = 0;

	constructor(records: RecordWriter) {
		super();
		this.parser = new DataSetParser(records);
	}

	protected override take(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		let i = start;
		while (i < end) {
			let stop = i;
			for (; stop < end && bytes[stop] !== SLASH; stop++) if (bytes[stop] >= 0x80) this.damaged++;
			while (i < stop && this.#scanner.inside) this.scanOne(bytes, i++);
			if (i < stop) this.processRun(bytes, i, stop);
			if (stop < end) this.scanOne(bytes, stop++);
			i = stop;
		}
		if (this.#state === STATE_HUNT && !this.#scanner.inside) this.deadlineMs = Number.POSITIVE_INFINITY;
		else this.deadlineMs = nowMs + (this.#state === STATE_CRC ? END_GAP_MS : GAP_MS);
	}

	protected override silence(): void {
		if (this.#state === STATE_CRC) this.validate();
		else if (this.#state === STATE_BODY) this.dropTelegram();
		this.#scanner.reset();
	}

	protected override explain(): Failure | undefined {
		if (this.meterId.length > 0) return undefined;
		return this.received === 0 ? IEC_SILENCE : IEC_NO_IDENT;
	}

	private scanOne(bytes: Uint8Array, at: number): void {
		const scanner = this.#scanner;
		const { length } = scanner;
		const isIdentified = scanner.scan(bytes[at]);
		const hasRestarted = scanner.length < length || (length === 0 && bytes[at] === SLASH);
		this.#scannerCRC = hasRestarted
			? stepCRC16ARC(SLASH_CRC, scanner.bytes, 0, scanner.length)
			: stepCRC16ARC(this.#scannerCRC, bytes, at, at + 1);
		if (!isIdentified) {
			this.processRun(bytes, at, at + 1);
			return;
		}
		if (this.#state !== STATE_HUNT) this.dropTelegram();
		this.meterId = this.#scanner.copy();
		this.#crc = this.#scannerCRC;
		this.#state = STATE_BODY;
		this.parser.begin();
	}

	private processRun(bytes: Uint8Array, start: number, end: number): void {
		let i = start;
		if (this.#state === STATE_BODY) {
			i = this.parser.receive(bytes, start, end);
			this.#crc = stepCRC16ARC(this.#crc, bytes, start, i);
			if (!this.parser.ended) return;
			this.#state = STATE_CRC;
			this.#digits = 0;
			this.#sentCRC = 0;
		}
		while (i < end && this.#state === STATE_CRC) {
			const digit = hexDigitValue(bytes[i]);
			if (bytes[i] === LF) this.validate();
			else if (digit >= 0 && this.#digits < CRC_DIGITS) {
				this.#sentCRC = this.#sentCRC * 16 + digit;
				this.#digits++;
			}
			i++;
		}
	}

	private validate(): void {
		this.#state = STATE_HUNT;
		if (this.#digits === 0) this.check = CHECK_ABSENT;
		else this.check = this.#sentCRC === this.#crc ? CHECK_RIGHT : CHECK_WRONG;
		const { damaged, broken, sets } = this.parser;
		if (sets === 0) {
			this.outputs.event(EVENT_LOST_TELEGRAM);
			return;
		}
		const bad = this.check === CHECK_WRONG || (this.check === CHECK_ABSENT && damaged + broken > 0);
		this.failure = bad ? IEC_CHECK_WRONG : undefined;
		this.parser.endBlock(!bad);
		this.outputs.event(bad ? EVENT_POOR : EVENT_READOUT);
	}

	private dropTelegram(): void {
		this.#state = STATE_HUNT;
		this.outputs.event(EVENT_LOST_TELEGRAM);
	}
}

/**
 * Receives the frames of a meter's TIC output (télé-information client): Enedis-NOI-CPT_54E for Linky, CPT_02E for the
 * historic form, which a Linky uses until its owner has it changed.
 *
 * | bytes | meaning |
 * |---|---|
 * | STX | start of a frame |
 * | LF label SP data SP check CR | group of the historic form, at 1200 Bd |
 * | LF label HT data HT check CR | group of the standard form, at 9600 Bd |
 * | LF label HT stamp HT data HT check CR | group of the standard form with a time |
 * | ETX | end of the frame; the next one follows within 34 ms |
 * | EOT | end of an interrupted frame |
 *
 * The check is six bits of the sum of label, separators and data, plus 0x20. The historic form leaves out the separator
 * before the check, and the check itself may be a blank. A stamp is the season (E summer, H winter; lower case: the
 * meter's clock is degraded; blank: unknown) and YYMMDDhhmmss. It is stored as P1 ports send it: YYMMDDhhmmss and S or
 * W.
 *
 * Characters are 7E1, received as eight bits: the parity bit is the eighth, unless an adapter has removed it from all
 * characters.
 *
 * A sum of six bits is a weak check, so there are more conditions. All characters of a group have even parity, or none
 * has an eighth bit. The data of a label with an OBIS code have their fixed length. A frame is as long as the one
 * before it, or as the last accepted one, because all its fields have a fixed length. Only a damaged group is dropped;
 * the readout then counts as truncated. Labels without a code have no known length, and two extra blanks do not change
 * the sum. Therefore these labels are shown, after the others, only if no group of the frame is damaged.
 *
 *   HUNT   STX LF            FRAME
 *   FRAME  STX LF            FRAME; the frame before is dropped
 *          ETX               HUNT; the frame is validated
 *          EOT               HUNT; the frame is dropped
 *   any    SWITCH_MS and STRANGE_LIMIT characters without a valid group: the other speed, HUNT
 *          abort             ENDED; received bytes are ignored
 */
import { isDigit } from "../bytes/ascii.js";
import { hasEvenParity } from "../bytes/parity.js";
import { FORMAT_8N1, type LineSettings } from "../io/host.js";
import { type Machine, NO_BYTES, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END, EVENT_READOUT } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { PART_ADDRESS, PART_VALUE } from "../readout/sink.js";
import { TIC_BROKEN, TIC_NO_START, TIC_SILENCE } from "./failures.js";
import { LabelFinder, UNIT_NONE } from "./labels.js";

const STANDARD_BAUD = 9600;
const HISTORIC_BAUD = 1200;
export const TIC_LINE: LineSettings = Object.freeze({ baud: STANDARD_BAUD, format: FORMAT_8N1 });

/** Time without a valid group after which the other speed is tried, ms; the longest group takes 1 s at 1200 Bd. */
const SWITCH_MS = 2000;
/** Number of characters without a valid group that is too large for mere interference. */
const STRANGE_LIMIT = 64;
/** Maximum length of a group without LF and CR; PJOURF+1 has 109 characters. */
const GROUP_LIMIT = 128;
/** Room for the groups of a frame that have no code; those of a Linky take up to 600 bytes. */
const OTHERS_LIMIT = 1024;
/** Longest label (Enedis-NOI-CPT_54E, 5.3.6). */
const LABEL_LIMIT = 8;
const STAMP_LENGTH = 13;
const TAIL_LENGTH = 2;

const STX = 0x02;
const ETX = 0x03;
const EOT = 0x04;
const HT = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const PLUS = 0x2b;
const MINUS = 0x2d;
const LETTER_A = 0x41;
const LETTER_E = 0x45;
const LETTER_H = 0x48;
const LETTER_S = 0x53;
const LETTER_W = 0x57;
const LETTER_Z = 0x5a;
const LOWER_CASE = 0x20;

const STATE_HUNT = 0;
const STATE_FRAME = 1;
const STATE_ENDED = 2;
const OUTSIDE = -1;

export class TICListener implements Machine {
	/** Failure if no frame was accepted; set by `abort`. */
	failure: Failure | undefined;
	/** Serial number, ASCII, from the last frame with one; empty before. */
	meterId: Uint8Array = NO_BYTES;
	baud = STANDARD_BAUD;
	/** True if groups of the last frame were damaged, or did not fit into the records. */
	isCut = false;
	received = 0;
	deadlineMs = Number.POSITIVE_INFINITY;
	/** Receives the values; its `kept` has the frame that was reported last. */
	readonly records: RecordWriter;
	readonly #outputs = new OutputQueue();
	readonly #finder = new LabelFinder();
	/** Event to report, or 0. A frame is reported before later bytes overwrite the records. */
	#event = 0;
	#hasRead = false;
	#hasGroup = false;
	#state = STATE_HUNT;
	/** Group without LF and CR. */
	readonly #group = new Uint8Array(GROUP_LIMIT);
	/** Length of the group; GROUP_LIMIT if it is too long or damaged, OUTSIDE outside a group. */
	#length = OUTSIDE;
	/** Groups of this frame that have no code, each after its length. */
	readonly #others = new Uint8Array(OTHERS_LIMIT);
	#othersEnd = 0;
	#isEven = false;
	#isPlain = false;
	/**
	 * Previous character. STX begins a frame, and LF begins a group, only if nothing is between them; others are noise.
	 */
	#last = 0;
	#strange = 0;
	#count = 0;
	#groups = 0;
	#validGroups = 0;
	#previousLength = 0;
	#previousValid = 0;
	/** Characters of the last accepted frame. */
	#usualLength = 0;
	/** Largest number of valid groups in a frame of this length. */
	#usualValid = 0;

	constructor(records: RecordWriter) {
		this.records = records;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.received += end - start;
		if (this.deadlineMs === Number.POSITIVE_INFINITY) this.deadlineMs = nowMs + SWITCH_MS;
		this.#strange += end - start;
		for (let i = start; i < end; i++) {
			this.#count++;
			const character = bytes[i] & 0x7f;
			if (this.#length !== OUTSIDE) {
				if (!hasEvenParity(bytes[i])) this.#isEven = false;
				if (bytes[i] >= 0x80) this.#isPlain = false;
			}
			if (character >= BLANK || character === HT) {
				if (this.#length !== OUTSIDE && this.#length < GROUP_LIMIT) this.#group[this.#length++] = character;
			} else this.processControl(character, nowMs);
			this.#last = character;
		}
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		const isStrange = this.#strange >= STRANGE_LIMIT;
		this.#strange = 0;
		this.#state = STATE_HUNT;
		this.#length = OUTSIDE;
		if (!isStrange) return;
		this.baud = STANDARD_BAUD + HISTORIC_BAUD - this.baud;
		this.#outputs.line(this.baud, FORMAT_8N1);
	}

	poll(): Output {
		if (this.#event !== 0) this.#outputs.event(this.#event);
		this.#event = 0;
		return this.#outputs.poll();
	}

	abort(_nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.#state = STATE_ENDED;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (!this.#hasRead) this.failure = this.received === 0 ? TIC_SILENCE : this.#hasGroup ? TIC_BROKEN : TIC_NO_START;
		this.#event = EVENT_END;
	}

	private begin(): void {
		this.#state = STATE_FRAME;
		this.#count = 0;
		this.#groups = 0;
		this.#validGroups = 0;
		this.#othersEnd = 0;
		this.records.begin();
	}

	private processControl(character: number, nowMs: number): void {
		if (character === LF) {
			if (this.#last === STX) this.begin();
			this.#groups++;
			this.#length = this.#last === STX || this.#last === CR ? 0 : GROUP_LIMIT;
			this.#isEven = true;
			this.#isPlain = true;
		} else if (character === CR) {
			// The LF of this group is damaged.
			if (this.#length === OUTSIDE) this.#groups++;
			else if (this.processGroup()) {
				this.#validGroups++;
				this.#hasGroup = true;
				this.#strange = 0;
				this.deadlineMs = nowMs + SWITCH_MS;
			}
			this.#length = OUTSIDE;
		} else if (character === ETX || character === EOT) {
			if (character === ETX && this.#state === STATE_FRAME) this.endFrame();
			this.#state = STATE_HUNT;
			this.#length = OUTSIDE;
		} else if (this.#length !== OUTSIDE) this.#length = GROUP_LIMIT;
	}

	private endFrame(): void {
		const count = this.#count;
		const valid = this.#validGroups;
		const isUsual = count === this.#usualLength;
		const isRepeated = count === this.#previousLength;
		// If two frames in a row have the same number of valid groups, earlier frames with more had groups of another
		// frame.
		const isAgain = isRepeated && valid === this.#previousValid;
		const usualValid = isUsual && !isAgain ? this.#usualValid : this.#previousValid;
		this.#previousLength = count;
		this.#previousValid = valid;
		if ((!isUsual && !isRepeated) || valid === 0) return;
		this.#usualLength = count;
		this.#usualValid = Math.max(valid, usualValid);
		// A group without LF and CR is not counted, so the number of valid groups is compared too.
		this.isCut = valid < this.#groups || valid < usualValid;
		if (!this.isCut) this.writeOthers();
		this.isCut ||= this.records.overflow;
		this.records.endBlock(true);
		this.#event = EVENT_READOUT;
		this.#hasRead = true;
	}

	/** `isAtEnd`: writes a group without a code too. */
	private processGroup(isAtEnd = false): boolean {
		const group = this.#group;
		const end = this.#length - TAIL_LENGTH;
		if ((!this.#isEven && !this.#isPlain) || this.#length === GROUP_LIMIT || end < TAIL_LENGTH) return false;
		const separator = group[end];
		let sum = separator === HT ? HT : 0;
		for (let i = 0; i < end; i++) sum += group[i];
		if ((separator !== HT && separator !== BLANK) || (sum & 0x3f) + BLANK !== group[end + 1]) return false;
		const labelEnd = group.indexOf(separator);
		let dataStart = labelEnd + 1;
		if (labelEnd >= end || !isLabel(group, labelEnd)) return false;
		const second = separator === HT ? group.indexOf(HT, dataStart) : end;
		const hasStamp = second < end;
		if (hasStamp) {
			if (second - dataStart !== STAMP_LENGTH || !isStamp(group, dataStart)) return false;
			dataStart = second + 1;
		}
		const tab = group.indexOf(HT, dataStart);
		if (tab >= 0 && tab < end) return false;
		const isCode = this.#finder.find(group, 0, labelEnd);
		const { unit, length } = this.#finder;
		if (isCode && end - dataStart !== length) return false;
		if (unit !== UNIT_NONE && !areDigits(group, dataStart, end)) return false;
		if (this.#state !== STATE_FRAME) return true;
		if (isCode || isAtEnd) this.write(isCode, labelEnd, hasStamp, dataStart, end);
		else this.keep();
		return true;
	}

	/** A group that does not fit counts as damaged. */
	private keep(): void {
		const [others, start, length] = [this.#others, this.#othersEnd, this.#length];
		if (start + 1 + length > OTHERS_LIMIT) this.#groups++;
		else {
			others[start] = length;
			others.set(this.#group.subarray(0, length), start + 1);
			this.#othersEnd += 1 + length;
		}
	}

	private writeOthers(): void {
		const others = this.#others;
		for (let at = 0; at < this.#othersEnd; at += 1 + others[at]) {
			this.#length = others[at];
			this.#group.set(others.subarray(at + 1, at + 1 + this.#length));
			this.processGroup(true);
		}
	}

	private write(isCode: boolean, labelEnd: number, hasStamp: boolean, dataStart: number, dataEnd: number): void {
		const { records } = this;
		const group = this.#group;
		const { groups, isIdent, unit } = this.#finder;
		if (isIdent) this.meterId = group.slice(dataStart, dataEnd);
		if (isCode) records.beginCode(groups, 0);
		else {
			records.beginLine();
			records.beginSet();
			records.text(PART_ADDRESS, group, 0, labelEnd);
		}
		// The clock, DATE, has a stamp and no data.
		if (dataStart < dataEnd || !hasStamp) records.value(group.subarray(dataStart, dataEnd), dataEnd - dataStart, unit);
		if (hasStamp) this.writeStamp(labelEnd + 1);
	}

	private writeStamp(at: number): void {
		const { records } = this;
		const group = this.#group;
		const season = group[at];
		const letter = (season & ~LOWER_CASE) === LETTER_E ? LETTER_S : LETTER_W;
		records.beginValue();
		records.text(PART_VALUE, group, at + 1, at + STAMP_LENGTH);
		if (season !== BLANK) {
			// The season letter is written after the time. It is first stored in the group, in place of the season
			// received.
			group[at] = letter | (season & LOWER_CASE);
			records.text(PART_VALUE, group, at, at + 1);
		}
		records.endValue();
	}
}

/** A label has capital letters, digits, `+` and `-`. */
function isLabel(group: Uint8Array, end: number): boolean {
	if (end < 2 || end > LABEL_LIMIT) return false;
	for (let i = 0; i < end; i++) {
		const byte = group[i];
		const isLetter = byte >= LETTER_A && byte <= LETTER_Z;
		if (i === 0 && !isLetter) return false;
		if (!isLetter && !isDigit(byte) && byte !== PLUS && byte !== MINUS) return false;
	}
	return true;
}

function isStamp(group: Uint8Array, at: number): boolean {
	const season = group[at] & ~LOWER_CASE;
	const isSeason = group[at] === BLANK || season === LETTER_E || season === LETTER_H;
	return isSeason && areDigits(group, at + 1, at + STAMP_LENGTH);
}

function areDigits(group: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (!isDigit(group[i])) return false;
	return true;
}

/**
 * Receives the frames of a meter's TIC output (télé-information client). The standard form of the Linky is defined in
 * Enedis-NOI-CPT_54E, the historic form in CPT_02E. A Linky sends the historic form until its owner asks the operator
 * for the standard form.
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
 * The check character is 0x20 plus six bits of the sum of label, separators and data. In the historic form, the sum
 * excludes the separator before the check character, which may itself be a blank. A stamp consists of the season (E
 * summer, H winter; lower case: the meter's clock is degraded; blank: unknown) and YYMMDDhhmmss. It is stored in the
 * form of P1 ports: YYMMDDhhmmss and S or W.
 *
 * Characters are 7E1 and are received as eight bits. The eighth bit is the parity bit, unless an adapter has removed it
 * from all characters.
 *
 * A sum of six bits is a weak check, so there are more conditions. Either all characters of a group have even parity,
 * or none has an eighth bit. If a label has an OBIS code, its data must have their fixed length. A frame must be as
 * long as the previous frame, or as the last accepted frame, because all its fields have a fixed length. If a group is
 * damaged, only this group is dropped, and the readout counts as truncated. Labels without an OBIS code have no known
 * length, and two extra blanks do not change the sum. These labels are therefore shown, after the others, only if no
 * group of the frame is damaged.
 *
 * An older three-phase meter sends frames without counters, only with currents, as long as one of them is too high.
 * They count as truncated too. A PME-PMI meter (Enedis-NOI-CPT_02E) begins with the label ADS. Its other labels have
 * small letters and `_`, and its values have units; it has no OBIS codes.
 *
 *   HUNT   STX LF            FRAME
 *   FRAME  STX LF            FRAME; the frame before is dropped
 *          ETX               HUNT; the frame is validated
 *          EOT               HUNT; the frame is dropped
 *   any    SWITCH_MS and STRANGE_LIMIT characters without a valid group: the other speed, HUNT
 */
import { isDigit } from "../bytes/ascii.js";
import { hasEvenParity } from "../bytes/parity.js";
import { FORMAT_8N1, type LineSettings } from "../io/host.js";
import type { Failure } from "../readout/failure.js";
import { ListenSession } from "../readout/listen-session.js";
import { EVENT_READOUT } from "../readout/protocol.js";
import { PART_ADDRESS, PART_VALUE, type RecordWriter } from "../readout/record-writer.js";
import { TIC_BROKEN, TIC_NO_START, TIC_SILENCE } from "./failures.js";
import { LabelFinder, UNIT_NONE, UNIT_WH } from "./labels.js";

const STANDARD_BAUD = 9600;
const HISTORIC_BAUD = 1200;
export const TIC_LINE: LineSettings = Object.freeze({ baud: STANDARD_BAUD, format: FORMAT_8N1 });

/** Time without a valid group after which the other speed is tried, ms. The longest group takes 1 s at 1200 Bd. */
const SWITCH_MS = 2000;
/** Number of characters without a valid group that can't be caused by interference alone. */
const STRANGE_LIMIT = 64;
/** Maximum length of a group without LF and CR. The group PJOURF+1 has 109 characters. */
const GROUP_LIMIT = 128;
/** Size of the buffer for the groups of a frame that have no OBIS code, bytes. Those of a Linky take up to 600. */
const OTHERS_LIMIT = 1024;
/** Length of the longest label, `SMAXSN1-1` (Enedis-NOI-CPT_54E, 5.3.6). */
const LABEL_LIMIT = 9;
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
const UNDERLINE = 0x5f;
const LOWER_CASE = 0x20;

const STATE_HUNT = 0;
const STATE_FRAME = 1;
const OUTSIDE = -1;

export class TICListener extends ListenSession {
	baud = STANDARD_BAUD;
	/** True if groups of the last frame were damaged, or did not fit into the records. */
	isCut = false;
	/** Receives the values. `records.kept` is the frame that was reported last. */
	readonly records: RecordWriter;
	readonly #finder = new LabelFinder();
	#hasGroup = false;
	#state = STATE_HUNT;
	/** Group without LF and CR. */
	readonly #group = new Uint8Array(GROUP_LIMIT);
	/** Length of the group; GROUP_LIMIT if it is too long or damaged, OUTSIDE outside a group. */
	#length = OUTSIDE;
	/** Groups of this frame that have no OBIS code, each after its length. */
	readonly #others = new Uint8Array(OTHERS_LIMIT);
	#othersEnd = 0;
	#isEven = false;
	#isPlain = false;
	/**
	 * Previous character. STX begins a frame only if LF follows directly, and LF begins a group only directly after CR or
	 * STX. Others are noise.
	 */
	#last = 0;
	#strange = 0;
	#count = 0;
	#groups = 0;
	#validGroups = 0;
	#previousLength = 0;
	#previousValid = 0;
	/** Number of characters in the last accepted frame. */
	#usualLength = 0;
	/** Largest number of valid groups in a frame of this length. */
	#usualValid = 0;
	/** True if this frame has the label ADS, and true if it has a counter (`#hasCounter`). */
	#isTrade = false;
	#hasCounter = false;

	constructor(records: RecordWriter) {
		super();
		this.records = records;
	}

	protected override take(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
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

	protected override silence(): void {
		const isStrange = this.#strange >= STRANGE_LIMIT;
		this.#strange = 0;
		this.#state = STATE_HUNT;
		this.#length = OUTSIDE;
		if (!isStrange) return;
		this.baud = STANDARD_BAUD + HISTORIC_BAUD - this.baud;
		this.outputs.line(this.baud, FORMAT_8N1);
	}

	protected override explain(): Failure {
		return this.received === 0 ? TIC_SILENCE : this.#hasGroup ? TIC_BROKEN : TIC_NO_START;
	}

	private begin(): void {
		this.#state = STATE_FRAME;
		this.#count = 0;
		this.#groups = 0;
		this.#validGroups = 0;
		this.#othersEnd = 0;
		this.#isTrade = this.#hasCounter = false;
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
			// The LF at the start of this group was damaged.
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
		// If two consecutive frames have the same number of valid groups, then earlier frames with more valid groups
		// contained groups that these frames do not have.
		const isAgain = isRepeated && valid === this.#previousValid;
		const usualValid = isUsual && !isAgain ? this.#usualValid : this.#previousValid;
		this.#previousLength = count;
		this.#previousValid = valid;
		if ((!isUsual && !isRepeated) || valid === 0) return;
		this.#usualLength = count;
		this.#usualValid = Math.max(valid, usualValid);
		// A group whose LF and CR are both damaged is not counted, so the number of valid groups is compared too.
		this.isCut = valid < this.#groups || valid < usualValid;
		if (!this.isCut) this.writeOthers();
		this.isCut ||= this.records.overflow || !(this.#hasCounter || this.#isTrade);
		this.records.endBlock(true);
		this.report(EVENT_READOUT);
	}

	/** Processes a group. If `isAtEnd`, it is also written if it has no OBIS code. */
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
		if (labelEnd >= end || !isLabel(group, labelEnd, this.#isTrade)) return false;
		const second = separator === HT ? group.indexOf(HT, dataStart) : end;
		const hasStamp = second < end;
		if (hasStamp) {
			if (second - dataStart !== STAMP_LENGTH || !isStamp(group, dataStart)) return false;
			dataStart = second + 1;
		}
		const tab = group.indexOf(HT, dataStart);
		if (tab >= 0 && tab < end) return false;
		const isFound = this.#finder.find(group, 0, labelEnd);
		const { isTrade, unit, length } = this.#finder;
		if (isTrade) this.#isTrade = true;
		const isCode = isFound && (isTrade || !this.#isTrade);
		if (isCode && end - dataStart !== length) return false;
		if (isCode && unit !== UNIT_NONE && !areDigits(group, dataStart, end)) return false;
		if (this.#state !== STATE_FRAME) return true;
		if (isCode && unit === UNIT_WH) this.#hasCounter = true;
		if (isCode || isAtEnd) this.write(isCode, labelEnd, hasStamp, dataStart, end);
		else this.keep();
		return true;
	}

	/** Keeps a group for the end of the frame. If it does not fit, it counts as damaged. */
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
		// The label DATE, which is the clock, has a stamp and no data.
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
			// The season letter is written after the time. It is first stored in the group, where the received season was.
			group[at] = letter | (season & LOWER_CASE);
			records.text(PART_VALUE, group, at, at + 1);
		}
		records.endValue();
	}
}

/** Returns true for a label, which may have capital letters, digits, `+` and `-`; if `isTrade`, also small letters and `_`. */
function isLabel(group: Uint8Array, end: number, isTrade: boolean): boolean {
	if (end < 2 || end > LABEL_LIMIT) return false;
	for (let i = 0; i < end; i++) {
		const byte = group[i];
		const capital = isTrade && byte > LETTER_Z ? byte & ~LOWER_CASE : byte;
		const isLetter = (capital >= LETTER_A && capital <= LETTER_Z) || (isTrade && byte === UNDERLINE);
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

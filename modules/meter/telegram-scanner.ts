/**
 * Recognises unsolicited telegrams by their structure. The input is bytes of eight bits.
 *
 * | kind | required contents |
 * |---|---|
 * | ASCII | identification line, data set, `!`, no STX between (IEC 62056-21, 6.4.5); 7E1 or 8N1 if most characters are |
 * | SML | 1B×4 01×4 76, or 1B×4 1A and a pad count of 0 to 3 (SML 1.04, 8.1) |
 * | HDLC | 7E A…, addresses, UI, header check, LLC E6 E7 00, a pushed APDU (IEC 62056-46, 6.4) |
 * | M-Bus | 68 L L 68, SND_UD, CI of the DLMS transport, sum, 16 (EN 13757-2, 5.5; IEC 62056-7-3) |
 * | wrapper | 00 01, ports and length, and the head of a pushed APDU (IEC 62056-47, 4) |
 * | TIC | three consecutive groups, LF … CR, with a correct check character (Enedis-NOI-CPT_54E; the French Linky) |
 * | bare | outside these frames, the start of general-glo-ciphering: DB 08, title, 82 and length, security control |
 *
 * Answers to requests do not match, because their block has an STX, or their HDLC frame is not a UI frame. A
 * data-notification in an I frame counts as pushed, because Kaifa meters push in this form. A damaged telegram is
 * skipped.
 */
import { crc16 } from "../bytes/crc16.js";
import { hasEvenParity } from "../bytes/parity.js";

export const KIND_NONE = 0;
export const KIND_ASCII = 1;
export const KIND_SML = 2;
export const KIND_HDLC = 3;
export const KIND_MBUS = 4;
export const KIND_WRAPPER = 5;
/** Data of an unknown kind, which recogniser.ts reports. */
export const KIND_NOISE = 6;
export const KIND_BARE = 7;
export const KIND_TIC = 8;

const STX = 0x02;
const HT = 0x09;
const BLANK = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const EXCLAMATION_MARK = 0x21;
const PARENTHESIS_OPEN = 0x28;
const PARENTHESIS_CLOSE = 0x29;
const SLASH = 0x2f;
const ESCAPE = 0x1b;
const FLAG = 0x7e;

/** States of the search for ASCII: before a telegram, in its identification, in its data sets. */
const TEXT_HUNT = 0;
const TEXT_IDENT = 1;
const TEXT_SETS = 2;
const IDENT_LIMIT = 80;
/** Number of manufacturer's letters after `/`. A `/` among them begins a new identification. */
const LETTERS = 3;
const TEXT_LIMIT = 40_000;
/** One character in this many may be damaged. */
const DAMAGE_RATIO = 16;
/**
 * Number of consecutive text characters that proves the speed. At a wrong speed, the chance of such a run is one in
 * 2^32.
 */
const TEXT_RUN = 32;
/** Number of consecutive valid TIC groups that proves TIC. By chance, one group in 64 has a valid check character. */
const GROUPS = 3;

/** Length of an HDLC header: flag, format, two addresses of 4 bytes, control, header check, LLC, tag. */
const HEAD_LIMIT = 18;
const SND_UD = 0x53;
/** Number of bytes that are examined for a wrapper: version, ports, length, tag, and those that identify an APDU. */
const WRAPPER_LENGTH = 14;
const WRAPPER_TAG = 8;

/** Tags of APDUs (IEC 62056-5-3, 9.5). */
const DATA_NOTIFICATION = 0x0f;
const EVENT_NOTIFICATION = 0xc2;
const GENERAL_GLO = 0xdb;
const GENERAL_DED = 0xdc;
const GENERAL_CIPHERING = 0xdd;
const GENERAL_SIGNING = 0xdf;
const GENERAL_BLOCK = 0xe0;
/** Length of the system title at the beginning of a ciphered APDU. */
const TITLE_LENGTH = 8;
const TIME_LENGTH = 12;
const ENCRYPTED = 0x20;

export class TelegramScanner {
	/** True if the characters of KIND_ASCII have a parity bit; always true for KIND_TIC. */
	hasParity = false;
	/* State of the search for ASCII: */
	#text = TEXT_HUNT;
	#length = 0;
	#even = 0;
	#plain = 0;
	#address = 0;
	#isOpen = false;
	#sets = 0;
	#evenRun = 0;
	#plainRun = 0;
	/* State of the search for TIC: */
	#groupSum = 0;
	#groupLast = 0;
	/** Last character of the group, which may be the check character. */
	#groupCheck = 0;
	#groups = 0;
	/* State of the search for SML: */
	#escapes = 0;
	/** Number of 01 bytes after four 1B bytes. */
	#begins = 0;
	/** True if the next byte is the pad count. */
	#isEnding = false;
	/* State of the search for HDLC: */
	/** Header from the format field on. */
	readonly #head = new Uint8Array(HEAD_LIMIT);
	/** Number of bytes of the header; -1 outside a header. */
	#headLength = -1;
	/* State of the search for M-Bus: */
	#frame = 0;
	#frameLength = 0;
	/** Sum of the frame's bytes after its header, modulo 256. */
	#sum = 0;
	#isPush = false;
	/** True after an HDLC frame, which may contain a ciphered APDU. */
	#isFramed = false;
	readonly #last = new Uint8Array(WRAPPER_LENGTH);
	#next = 0;

	scan(byte: number): number {
		if (this.scanText(byte)) return KIND_ASCII;
		if (this.scanTIC(byte & 0x7f)) return KIND_TIC;
		if (this.scanSML(byte)) return KIND_SML;
		if (this.scanHDLC(byte)) {
			this.#isFramed = true;
			return KIND_HDLC;
		}
		if (this.scanMBus(byte)) return KIND_MBUS;
		if (this.scanWrapper(byte)) return KIND_WRAPPER;
		return !this.#isFramed && this.isBare ? KIND_BARE : KIND_NONE;
	}

	get readsText(): boolean {
		return this.#evenRun >= TEXT_RUN || this.#plainRun >= TEXT_RUN;
	}

	private scanText(byte: number): boolean {
		const character = byte & 0x7f;
		const isEven = hasEvenParity(byte);
		const isText = (character >= 0x20 && character < 0x7f) || character === CR || character === LF;
		this.#evenRun = isText && isEven ? this.#evenRun + 1 : 0;
		this.#plainRun = isText && byte < 0x80 ? this.#plainRun + 1 : 0;
		// A `/` inside an identification or after an address is data; anywhere else it begins a telegram.
		const isInside = this.#text === TEXT_SETS ? this.#address > 0 : this.#text === TEXT_IDENT && this.#length > LETTERS;
		if (character === SLASH && !isInside) {
			this.#text = TEXT_IDENT;
			this.#length = 0;
			this.#even = 0;
			this.#plain = 0;
		} else if (this.#text === TEXT_HUNT) return false;
		this.#length++;
		if (isEven) this.#even++;
		if (byte < 0x80) this.#plain++;
		if (this.#text === TEXT_IDENT) this.scanIdent(character);
		else if (character === EXCLAMATION_MARK && this.#address === 0 && this.#sets > 0) return this.isTelegram();
		else this.scanSet(character);
		return false;
	}

	/**
	 * A group is LF, label, data, check character, CR; HT or blank separates label, data and check character. The check
	 * character is 0x20 plus six bits of the sum of the characters before it. In the older TIC, this sum excludes the
	 * last separator.
	 */
	private scanTIC(character: number): boolean {
		if (character === LF) this.#groupSum = this.#groupLast = this.#groupCheck = 0;
		else if (character === CR) {
			const sum = this.#groupSum - this.#groupCheck;
			const isSeparated = this.#groupLast === HT || this.#groupLast === BLANK;
			const check = this.#groupCheck - 0x20;
			const isValid = isSeparated && ((sum & 0x3f) === check || ((sum - this.#groupLast) & 0x3f) === check);
			this.#groups = isValid ? this.#groups + 1 : 0;
			if (this.#groups < GROUPS) return false;
			this.#groups = 0;
			this.hasParity = true;
			return true;
		} else {
			this.#groupSum += character;
			this.#groupLast = this.#groupCheck;
			this.#groupCheck = character;
		}
		return false;
	}

	private scanIdent(character: number): void {
		const at = this.#length - 1;
		const letter = character & 0xdf;
		if (at >= 1 && at <= 3 && (letter < 0x41 || letter > 0x5a)) this.#text = TEXT_HUNT;
		else if (character === PARENTHESIS_OPEN || character === PARENTHESIS_CLOSE || at > IDENT_LIMIT)
			this.#text = TEXT_HUNT;
		else if (character === LF) {
			this.#text = at > 3 ? TEXT_SETS : TEXT_HUNT;
			this.#address = 0;
			this.#isOpen = false;
			this.#sets = 0;
		}
	}

	private scanSet(character: number): void {
		if (character === STX || this.#length > TEXT_LIMIT) this.#text = TEXT_HUNT;
		else if (character === LF || character === CR) {
			this.#address = 0;
			this.#isOpen = false;
		} else if (character === PARENTHESIS_CLOSE && this.#isOpen) {
			this.#sets++;
			this.#address = 0;
			this.#isOpen = false;
		} else if (character === PARENTHESIS_OPEN) this.#isOpen = true;
		else this.#address++;
	}

	/** Ends a telegram. Returns true if nearly all of its characters have the same framing. */
	private isTelegram(): boolean {
		this.#text = TEXT_HUNT;
		this.hasParity = this.#even > this.#plain;
		const wrong = this.#length - (this.hasParity ? this.#even : this.#plain);
		return this.#length >= DAMAGE_RATIO && wrong * DAMAGE_RATIO <= this.#length;
	}

	private scanSML(byte: number): boolean {
		if (this.#isEnding) {
			this.#isEnding = false;
			if (byte <= 3) return true;
		}
		if (byte === ESCAPE) {
			this.#escapes = this.#begins === 0 ? this.#escapes + 1 : 1;
			this.#begins = 0;
		} else if (this.#escapes < 4) this.#escapes = 0;
		else if (byte === 0x01 && this.#begins < 4) this.#begins++;
		else {
			const isFile = byte === 0x76 && this.#begins === 4;
			this.#isEnding = byte === 0x1a && this.#begins === 0;
			this.#escapes = 0;
			this.#begins = 0;
			return isFile;
		}
		return false;
	}

	private scanHDLC(byte: number): boolean {
		const head = this.#head;
		if (this.#headLength <= 0) {
			// Several flags may follow each other; the first hex digit of a frame's format is A.
			if (byte === FLAG) this.#headLength = 0;
			else if (this.#headLength === 0 && (byte & 0xf0) === 0xa0) {
				head[0] = byte;
				this.#headLength = 1;
			} else this.#headLength = -1;
			return false;
		}
		head[this.#headLength++] = byte;
		const control = this.controlAt();
		if (control > 0 && this.#headLength < control + 7) return false;
		if (control < 0 && this.#headLength < HEAD_LIMIT) return false;
		const isPushed = control > 0 && this.isPushedFrame(control);
		this.#headLength = byte === FLAG ? 0 : -1;
		return isPushed;
	}

	/** Returns the offset of the control field; -1 if it is unknown or impossible. */
	private controlAt(): number {
		let at = 2;
		for (let address = 0; address < 2; address++) {
			const end = at + 4;
			while (at < this.#headLength && at < end && (this.#head[at] & 1) === 0) at++;
			if (at >= this.#headLength || at === end) return -1;
			at++;
		}
		return at;
	}

	private isPushedFrame(control: number): boolean {
		const head = this.#head;
		const tag = head[control + 6];
		const isUI = (head[control] & 0xef) === 0x03;
		const isI = (head[control] & 1) === 0 && tag === DATA_NOTIFICATION;
		if ((!isUI && !isI) || !isPushTag(tag)) return false;
		const isLLC = head[control + 3] === 0xe6 && head[control + 4] === 0xe7 && head[control + 5] === 0;
		return isLLC && crc16(head, 0, control + 1) === head[control + 1] + head[control + 2] * 256;
	}

	private scanMBus(byte: number): boolean {
		const at = this.#frame++;
		if (at === 0) {
			if (byte !== 0x68) this.#frame = 0;
		} else if (at === 1) this.#frameLength = byte;
		else if (at < 4) {
			const isDoubled = at === 2 && this.#frameLength === 0x68 && byte !== 0x68;
			if (isDoubled) {
				// The previous 68 was noise, and the byte taken for the length was the first 68 of the frame.
				this.#frame = 2;
				this.#frameLength = byte;
			} else if (byte !== (at === 2 ? this.#frameLength : 0x68)) this.#frame = byte === 0x68 ? 1 : 0;
			this.#sum = 0;
			this.#isPush = this.#frameLength > 3;
		} else if (at < 4 + this.#frameLength) {
			this.#sum = (this.#sum + byte) & 0xff;
			// The control field must be SND_UD, with or without FCB. CI may have any segment number from 0 to 15, with or
			// without the mark of the last segment.
			if ((at === 4 && (byte & 0xdf) !== SND_UD) || (at === 6 && byte >= 0x20)) this.#isPush = false;
			if (!this.#isPush) this.#frame = 0;
		} else if (at === 4 + this.#frameLength) {
			if (byte !== this.#sum) this.#frame = 0;
		} else {
			this.#frame = 0;
			return byte === 0x16;
		}
		return false;
	}

	private scanWrapper(byte: number): boolean {
		this.#last[this.#next] = byte;
		this.#next = (this.#next + 1) % WRAPPER_LENGTH;
		if (this.lastAt(0) !== 0 || this.lastAt(1) !== 1 || this.lastAt(2) !== 0 || this.lastAt(4) !== 0) return false;
		const length = this.lastAt(6) * 256 + this.lastAt(7);
		if (length < WRAPPER_LENGTH || length > 2048) return false;
		const tag = this.lastAt(WRAPPER_TAG);
		if (tag === DATA_NOTIFICATION) {
			const time = this.lastAt(WRAPPER_TAG + 5);
			return time === 0 || time === TIME_LENGTH;
		}
		const isCiphered = tag === GENERAL_GLO || tag === GENERAL_DED;
		return isCiphered && this.lastAt(WRAPPER_TAG + 1) === TITLE_LENGTH;
	}

	private get isBare(): boolean {
		if (this.lastAt(0) !== GENERAL_GLO || this.lastAt(1) !== TITLE_LENGTH || this.#frame > 4) return false;
		const control = this.lastAt(13);
		// The security control must state suite 0 or 1 and encryption; any key, with or without a tag, is accepted.
		return this.lastAt(10) === 0x82 && this.lastAt(11) < 0x10 && (control & 0xae) === ENCRYPTED;
	}

	/** Returns one of the last WRAPPER_LENGTH bytes; index 0 is the oldest one. */
	private lastAt(index: number): number {
		return this.#last[(this.#next + index) % WRAPPER_LENGTH];
	}
}

function isPushTag(tag: number): boolean {
	return (
		tag === DATA_NOTIFICATION ||
		tag === EVENT_NOTIFICATION ||
		tag === GENERAL_SIGNING ||
		tag === GENERAL_BLOCK ||
		(tag >= GENERAL_GLO && tag <= GENERAL_CIPHERING)
	);
}

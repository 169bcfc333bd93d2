/**
 * Header and extent of a data record of the variable data structure (EN 13757-3, 6.3): DIF, DIFE, VIF, VIFE, data.
 *
 * | byte | bits |
 * |---|---|
 * | DIF | 0 to 3 coding of the data, 4 and 5 function, 6 low bit of the storage number, 7 a DIFE follows |
 * | DIFE | 0 to 3 storage number, 4 and 5 tariff, 6 subunit, 7 another DIFE follows |
 * | VIF | 0 to 6 quantity with its power of ten, 7 a VIFE follows |
 * | VIFE | 0 to 6 further quantity or correction, 7 another VIFE follows |
 *
 * VIF FB and FD: the first VIFE is the quantity. VIF 7C and FC: the name of the unit follows as length and text, last
 * character first. Special DIFs: 2F is a filler; after 0F, the rest of the frame is manufacturer-specific; 1F is like
 * 0F, but another frame follows.
 */

const EXTENSION = 0x80;
const FUNCTION = 0x30;
const SUBUNIT = 0x40;
const LOW = 0x7f;
const FILLER = 0x2f;
const REST = 0x0f;
const REST_AND_MORE = 0x1f;
/** Maximum number of DIFEs, and maximum number of VIFEs (6.3.2 and 6.3.7). */
const EXTENSIONS_LIMIT = 10;

export const CODING_NONE = 0;
export const CODING_FLOAT = 5;
export const CODING_BCD = 8;
export const CODING_VARIABLE = 13;
const IMPOSSIBLE = -1;

/** Added to quantities from the tables for VIF FB and FD, so that they follow the quantities of the VIF itself. */
export const TABLE_FB = 0x80;
export const TABLE_FD = 0x100;
const VIF_FB = 0xfb;
const VIF_FD = 0xfd;
const VIF_TEXT = 0x7c;
const VIF_MAKER = 0x7f;

/** VIFEs that change the power of ten: 70 to 77 add -6 to 1, and 7D adds 3. */
const SCALING = 0x70;
const SCALING_END = 0x78;
const SCALING_OFFSET = -6;
const THOUSAND = 0x7d;
/** End of the VIFEs that tell whether a record is erroneous: 00 is no error, 01 to 1F are errors (6.3.8, table 16). */
const ERRORS_END = 0x20;
/** VIFE of an amount in the reverse direction, such as exported energy. */
const BACKWARD = 0x3c;
/** VIFEs that change neither quantity nor unit: 3A to 3F, and those that follow a manufacturer-specific VIFE. */
const HARMLESS = 0x3a;
const HARMLESS_END = 0x40;

/**
 * Ranges of the length byte of variable data (6.3.3, LVAR). Values below TEXT_END are text, values from BINARY on are
 * binary data, and values from BINARY_LONG on are binary data whose length is in units of four bytes.
 */
const TEXT_END = 0xc0;
const BINARY = 0xe0;
const BINARY_LONG = 0xf0;
const BINARY_END = 0xf5;
const BINARY_LONG_START = 0xec;

export const READ_RECORD = 0;
/** The frame has no more records, or the rest of it is manufacturer-specific. */
export const READ_END = 1;
/** Like READ_END, but the meter has another frame. */
export const READ_MORE = 2;
export const READ_WRONG = 3;

/** Number of bytes of each coding, one digit each. A character below "0" marks an impossible coding. */
const LENGTHS = "01234468-123406-";
const DIGIT_0 = 0x30;

/** A record. Each call of `read()` replaces its members. */
export class RecordHeader {
	/** DIF to VIFE, with the text of a unit, are `bytes[start..headEnd)`. The data are `bytes[dataAt..end)`. */
	start = 0;
	headEnd = 0;
	dataAt = 0;
	end = 0;
	coding = CODING_NONE;
	isText = false;
	storage = 0;
	tariff = 0;
	/** VIF without its extension bit. After VIF FB or FD, it is the first VIFE plus TABLE_FB or TABLE_FD. */
	quantity = 0;
	/** Number to add to the power of ten. */
	scaling = 0;
	isBackward = false;
	/**
	 * False for a maximum, a minimum, an erroneous value or a subunit, or if a VIFE changes the meaning of the quantity.
	 */
	isPlain = true;
	/** False if an unknown VIFE may have changed the unit. */
	hasUnit = true;
	isFaulty = false;
	/** Text of the unit, last character first: `bytes[unitAt..unitEnd)`. */
	unitAt = 0;
	unitEnd = 0;
	#at = 0;

	/** Reads the record at `bytes[at]`; the frame ends at `limit`. Returns READ_…. */
	read(bytes: Uint8Array, at: number, limit: number): number {
		let from = at;
		while (from < limit && bytes[from] === FILLER) from++;
		if (from >= limit || bytes[from] === REST) return READ_END;
		if (bytes[from] === REST_AND_MORE) return READ_MORE;
		this.start = this.#at = from;
		if (!this.readDIF(bytes, limit) || !this.readVIF(bytes, limit)) return READ_WRONG;
		this.headEnd = this.dataAt = this.#at;
		let length = LENGTHS.charCodeAt(this.coding) - DIGIT_0;
		if (this.coding === CODING_VARIABLE) {
			length = bytes[this.dataAt++];
			this.isText = length < TEXT_END;
			if (!this.isText) length = binaryLength(length);
		}
		this.end = this.dataAt + length;
		return this.dataAt > limit || length < 0 || this.end > limit ? READ_WRONG : READ_RECORD;
	}

	private readDIF(bytes: Uint8Array, limit: number): boolean {
		let byte = bytes[this.#at++];
		this.coding = byte & 0x0f;
		this.isPlain = (byte & FUNCTION) === 0;
		this.storage = (byte >> 6) & 1;
		this.tariff = 0;
		for (let count = 0; byte & EXTENSION; count++) {
			if (count === EXTENSIONS_LIMIT || this.#at >= limit) return false;
			byte = bytes[this.#at++];
			this.storage += (byte & 0x0f) * 2 ** (1 + 4 * count);
			this.tariff += ((byte >> 4) & 3) * 4 ** count;
			if (byte & SUBUNIT) this.isPlain = false;
		}
		return this.#at < limit;
	}

	private readVIF(bytes: Uint8Array, limit: number): boolean {
		let byte = bytes[this.#at++];
		const isTable = byte === VIF_FB || byte === VIF_FD;
		const table = byte === VIF_FB ? TABLE_FB : TABLE_FD;
		this.quantity = byte & LOW;
		let isMaker = this.quantity === VIF_MAKER;
		this.scaling = 0;
		this.isBackward = false;
		this.hasUnit = true;
		this.isFaulty = false;
		this.unitAt = this.unitEnd = 0;
		if (this.quantity === VIF_TEXT) {
			if (this.#at >= limit) return false;
			this.unitAt = this.#at + 1;
			this.unitEnd = this.#at = this.unitAt + bytes[this.#at];
		}
		for (let count = 0; byte & EXTENSION; count++) {
			if (count === EXTENSIONS_LIMIT || this.#at >= limit) return false;
			byte = bytes[this.#at++];
			if (count === 0 && isTable) this.quantity = table + (byte & LOW);
			else if (!isMaker) this.takeVIFE(byte & LOW);
			// All VIFEs after this one are manufacturer-specific.
			if ((byte & LOW) === VIF_MAKER && (count > 0 || !isTable)) isMaker = true;
		}
		return this.#at <= limit;
	}

	private takeVIFE(vife: number): void {
		if (vife >= SCALING && vife < SCALING_END) this.scaling += SCALING_OFFSET + vife - SCALING;
		else if (vife === THOUSAND) this.scaling += 3;
		else if (vife === BACKWARD) this.isBackward = true;
		else if (vife > 0) {
			this.isPlain = false;
			if (vife < ERRORS_END) this.isFaulty = true;
			if ((vife < HARMLESS || vife >= HARMLESS_END) && vife !== VIF_MAKER) this.hasUnit = false;
		}
	}
}

/**
 * Returns the number of bytes of binary data. Returns IMPOSSIBLE for digits, because no known meter sends digits in
 * this form.
 */
function binaryLength(byte: number): number {
	if (byte < BINARY || byte >= BINARY_END) return IMPOSSIBLE;
	return byte < BINARY_LONG ? byte - BINARY : 4 * (byte - BINARY_LONG_START);
}

/**
 * Receives DLMS/COSEM pushes. These are data-notifications, in plain text or ciphered by general-glo or general-ded
 * (IEC 62056-5-3, 9.2 and 9.5), or P1 telegrams ciphered in the same way. They arrive in HDLC frames (UI frames, which
 * may be segmented or use general block transfer) or in long M-Bus frames. Ciphered pushes may also arrive without
 * frames (Luxembourg's Smarty, some meters in Austria).
 *
 *   HUNT    incomplete APDU: GATHER     last frame: APDU checked, HUNT
 *   GATHER  the same                    silence, or a frame that starts another APDU: dropped, HUNT
 *
 * The keys in the settings decide which pushes are accepted. If there is no key, a push must be plain text in frames
 * with a valid check value. If there is an encryption key, a push must be ciphered with it. If there is also an
 * authentication key, a push must also have a valid authentication tag. A push that is accepted without authentication
 * has STATUS_UNCHECKED.
 *
 * After the first valid ciphered push, only pushes from the same sender are accepted: pushes with another system title
 * are rejected, and so are pushes whose invocation counter has not increased. The counter is kept in RAM. It is stored
 * in flash after every STORE_EACH pushes, so an attacker can replay at most STORE_EACH pushes after a restart. Changing
 * the settings deletes the stored title and counter.
 *
 * General-ded is deciphered with the global key, because a push has no association in which a dedicated key could be
 * agreed. A push that is ciphered with the broadcast key (bit 6 of the security control) is accepted if the broadcast
 * key is the configured encryption key.
 *
 * Limit: an APDU has at most APDU_LIMIT bytes.
 */

import { putUint32BE } from "../bytes/integers.js";
import { BROADCAST, type Cipher, GENERAL_DED, GENERAL_GLO, KEY_LENGTH } from "../dlms/cipher.js";
import { Cursor } from "../dlms/cursor.js";
import { DLMS_METER_TITLE, DLMS_REPLAY, DLMS_TAG, DLMS_UNPROTECTED } from "../dlms/failures.js";
import { DATA_NOTIFICATION, PushReading } from "../dlms/push.js";
import { FrameDecoder, ROOM } from "../hdlc/decoder.js";
import { CONTROL_I, controlKind, LLC_DESTINATION, LLC_LENGTH, LLC_RESPONSE } from "../hdlc/frame.js";
import { MeterListener } from "../iec62056-21/listener.js";
import type { Crypto } from "../io/crypto.js";
import { FORMAT_8E1, FORMAT_8N1, type LineSettings, type SerialFormat } from "../io/host.js";
import { NO_BYTES, OUTPUT_NONE } from "../io/machine.js";
import { MBUS_AT, MBusFrames } from "../mbus/frames.js";
import type { Failure } from "../readout/failure.js";
import { ListenSession } from "../readout/listen-session.js";
import {
	EVENT_POOR,
	EVENT_READOUT,
	type MeterProtocol,
	type Probing,
	type ProtocolMemory,
	type ReadSession,
	type SessionContext,
} from "../readout/protocol.js";
import { PROTOCOL_DLMS } from "../readout/protocol-names.js";
import { type Readout, STATUS_OK, STATUS_UNCHECKED, statusOf } from "../readout/readout.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { makeCipher } from "./counters.js";
import {
	PUSH_BROADCAST,
	PUSH_KEY,
	PUSH_NO_CODES,
	PUSH_NO_KEY,
	PUSH_NO_TAG,
	PUSH_OPEN,
	PUSH_OTHER,
	PUSH_REPLAY,
	PUSH_SILENCE,
	PUSH_UNKNOWN,
} from "./failures.js";
import { DLMS_COSEM } from "./read-session.js";
import type { COSEMSettings } from "./settings.js";

/**
 * Maximum length of an APDU, bytes. The longest known push has 591 bytes, or about a thousand if it contains a P1
 * telegram.
 */
const APDU_LIMIT = 2048;
/** Maximum number of bytes of an unknown list that are kept for the user. */
const SEEN_LIMIT = 512;
/**
 * Silence that ends an APDU, ms. The frames of an APDU follow each other without a pause, but some meters make a pause
 * of more than a second between M-Bus frames (SEGMENT_GAP_MS).
 */
const GAP_MS = 1000;
const SEGMENT_GAP_MS = 3000;
/**
 * Minimum silence before an APDU without frames, ms. No silence is needed if it directly follows another APDU without
 * frames.
 */
const BARE_GAP_MS = 100;
const STORE_EACH = 200;

const CONTROL_UI = 0x03;
/**
 * Tag of a block in general block transfer. A block consists of tag, control, block number and acknowledged block
 * number (2 bytes each), length, data.
 */
const GENERAL_BLOCK = 0xe0;
const LAST_BLOCK = 0x80;

const TITLE_LENGTH = 8;
/** Offset of the length in a ciphered APDU. The length has up to three bytes and is the last field of the header. */
const LENGTH_AT = 2 + TITLE_LENGTH;
const HEAD_LENGTH = LENGTH_AT + 3;
const FRAMED = -1;

const SLASH = 0x2f;
/**
 * Number of characters that are passed to MeterListener in one call. So few characters contain fewer than eight
 * telegrams. Eight telegrams would overflow the queue of MeterListener.
 */
const P1_PIECE = 64;

const NO_PUSH = -1;

/** Minimum length of a burst without an APDU that makes the line format (8N1 or 8E1) seem wrong, bytes. */
const BURST_LENGTH = 32;
const BURSTS = 2;

class Sender {
	format: SerialFormat = FORMAT_8N1;
	counter = -1;
	unstored = STORE_EACH;
}

export class PushReadSession extends ListenSession implements ReadSession, Probing {
	readonly line: LineSettings;
	readonly #settings: COSEMSettings;
	readonly #records: RecordWriter;
	readonly #memory: ProtocolMemory;
	readonly #crypto: Crypto;
	/** Both decoders use the same buffer, because a line has only one kind of frame. */
	readonly #frames = new FrameDecoder(new Uint8Array(APDU_LIMIT + ROOM));
	readonly #mbus = new MBusFrames(this.#frames.bytes);
	/** End of the data that were gathered from frames. For an APDU without frames, its expected length. */
	#length = 0;
	#blocksEnd = 0;
	#blocks = 0;
	/**
	 * Number of bytes that were received of an APDU without frames. 0: such an APDU may start with the next byte.
	 * FRAMED: it can't start, because a frame has begun.
	 */
	#bare = 0;
	/** Status of the last valid push: STATUS_OK or STATUS_UNCHECKED; NO_PUSH before the first one. */
	#status = NO_PUSH;
	/** Time of the last byte. */
	#heardMs = 0;
	#burst = 0;
	#hasAPDU = false;
	#bursts = 0;

	constructor({ settings, records, memory, crypto }: SessionContext<COSEMSettings>) {
		super();
		this.#settings = settings;
		this.#records = records;
		this.#memory = memory;
		this.line = { baud: settings.dlms.pushBaud, format: this.sender.format };
		this.#crypto = crypto;
	}

	/** Returns the readout from the last push; undefined if the push failed a check. */
	readout(event: number, utcMs: number): Readout | undefined {
		if (event !== EVENT_READOUT) return undefined;
		const { line, meterId } = this;
		const { kept: records = NO_BYTES, overflow } = this.#records;
		const status = statusOf(overflow) || this.#status;
		return { protocol: DLMS_COSEM, meterId, mode: 0, baud: line.baud, utcMs, status, records };
	}

	protected override take(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#burst += end - start;
		if (this.#bare === FRAMED && nowMs >= this.#heardMs + BARE_GAP_MS) this.#bare = 0;
		this.#heardMs = nowMs;
		this.deadlineMs = nowMs + GAP_MS;
		const from = this.readBare(bytes, start, end);
		for (let at = this.#frames.read(bytes, from, end); this.#frames.ready; ) {
			this.onFrame();
			at = this.#frames.read(bytes, at, end);
		}
		const mbus = this.#mbus;
		if (this.#frames.written > MBUS_AT) mbus.reset();
		for (let i = from; i < end; i++) if (mbus.take(bytes[i])) this.validate(MBUS_AT, mbus.end);
		if (mbus.isHalf && !mbus.inside && !this.#frames.inside) this.deadlineMs = nowMs + SEGMENT_GAP_MS;
	}

	protected override silence(): void {
		if (this.#mbus.isHalf) {
			this.failure = PUSH_UNKNOWN;
			this.outputs.event(EVENT_POOR);
		}
		this.dropAll();
		this.#bare = 0;
		if (this.#hasAPDU) this.#bursts = 0;
		else if (this.#burst >= BURST_LENGTH) this.#bursts++;
		this.#burst = 0;
		this.#hasAPDU = false;
		if (this.#bursts === BURSTS && this.#status === NO_PUSH) this.changeFormat();
	}

	protected override explain(): Failure | undefined {
		if (this.#status !== NO_PUSH) return undefined;
		return this.failure ?? (this.received === 0 ? PUSH_SILENCE : PUSH_UNKNOWN);
	}

	/** Changes the line format to 8E1 or back to 8N1. A port with M-Bus frames may use either. */
	private changeFormat(): void {
		const { sender } = this;
		sender.format = sender.format === FORMAT_8N1 ? FORMAT_8E1 : FORMAT_8N1;
		this.#bursts = 0;
		this.outputs.line(this.line.baud, sender.format);
	}

	private drop(): void {
		this.#length = this.#blocksEnd = this.#blocks = 0;
	}

	/** Called after a silence. Accepts a last frame without a closing flag, and then discards incomplete data. */
	private dropAll(): void {
		const frames = this.#frames;
		for (frames.silence(); frames.ready; frames.silence()) this.onFrame();
		this.drop();
		frames.release(0);
		this.#mbus.reset();
	}

	/** Takes the bytes of an APDU without frames. Returns the position of the first byte that may belong to a frame. */
	private readBare(bytes: Uint8Array, start: number, end: number): number {
		const into = this.#frames.bytes;
		let at = start;
		while (at < end && this.#bare !== FRAMED) {
			const byte = bytes[at];
			if (this.#bare === 0) {
				if ((byte !== GENERAL_GLO && byte !== GENERAL_DED) || this.#frames.inside || this.#mbus.inside) {
					this.#bare = FRAMED;
					return at;
				}
				this.dropAll();
			}
			at++;
			into[this.#bare++] = byte;
			if (this.#bare === HEAD_LENGTH) this.readHead();
			else if (this.#bare === this.#length) {
				this.validate(0, this.#length);
				this.drop();
				this.#bare = 0;
			}
		}
		return at;
	}

	private readHead(): void {
		const { bytes } = this.#frames;
		const cursor = new Cursor(bytes).set(bytes, LENGTH_AT, HEAD_LENGTH);
		const length = cursor.length();
		this.#length = cursor.at + length;
		const isHead = bytes[1] === TITLE_LENGTH && !cursor.failed && this.#length > HEAD_LENGTH;
		if (isHead && this.#length <= APDU_LIMIT) return;
		this.drop();
		this.#bare = FRAMED;
	}

	private onFrame(): void {
		const frames = this.#frames;
		const { bytes, control, tooLong, segmented, infoStart } = frames;
		const infoEnd = tooLong ? infoStart : frames.infoEnd;
		const kind = controlKind(control);
		const isPush = (kind === CONTROL_UI || kind === CONTROL_I) && infoEnd > infoStart;
		const isLLC =
			bytes[infoStart] === LLC_DESTINATION && bytes[infoStart + 1] === LLC_RESPONSE && bytes[infoStart + 2] === 0;
		const from = infoStart + (isLLC ? LLC_LENGTH : 0);
		// In general block transfer, Landis+Gyr meters send the LLC header in the first block only.
		const isBlock = this.#blocks > 0 && bytes[from] === GENERAL_BLOCK && bytes[from + 3] !== 1;
		const isFirst = infoEnd > from && (isLLC || (isBlock && this.#length === this.#blocksEnd));
		if (isFirst && !isBlock) this.drop();
		else if (isFirst) this.#length = this.#blocksEnd;
		const isLonger = this.#length + infoEnd - from > APDU_LIMIT;
		if (!isPush || isLonger || (!isFirst && this.#length === this.#blocksEnd)) this.drop();
		else {
			bytes.copyWithin(this.#length, from, infoEnd);
			this.#length += infoEnd - from;
			if (!segmented) this.onAPDU();
		}
		frames.release(this.#length);
	}

	private onAPDU(): void {
		const { bytes } = this.#frames;
		const from = this.#blocksEnd;
		const end = this.#length;
		if (bytes[from] !== GENERAL_BLOCK) {
			this.validate(0, end);
			this.drop();
			return;
		}
		const cursor = new Cursor(bytes).set(bytes, from + 1, end);
		const control = cursor.u8();
		const number = cursor.u16();
		cursor.u16();
		const length = cursor.length();
		if (cursor.failed || number !== this.#blocks + 1 || length !== cursor.left) {
			this.drop();
			return;
		}
		bytes.copyWithin(from, cursor.at, end);
		this.#length = this.#blocksEnd = from + length;
		this.#blocks = number;
		if ((control & LAST_BLOCK) === 0) return;
		this.validate(0, this.#length);
		this.drop();
	}

	private validate(start: number, end: number): void {
		const { bytes } = this.#frames;
		this.#hasAPDU = true;
		const tag = bytes[start];
		const isCiphered = tag === GENERAL_GLO || tag === GENERAL_DED;
		if (!isCiphered && tag !== DATA_NOTIFICATION) return;
		const { encryptionKey, learnedPush } = this.#settings.dlms;
		const hasKey = encryptionKey.length === KEY_LENGTH;
		const cursor = new Cursor(bytes).set(bytes, start, end);
		let cipher: Cipher | undefined;
		let failure: Failure | undefined;
		if (isCiphered && hasKey) {
			cipher = makeCipher(this.#settings.dlms, this.#crypto, undefined, {
				meterTitle: learnedPush.subarray(0, TITLE_LENGTH),
				meterCounter: Math.max(counterOf(learnedPush), this.sender.counter),
				mayBroadcast: true,
			});
			failure = cipher.open(cursor);
			if (failure === DLMS_UNPROTECTED) failure = PUSH_NO_TAG;
			else if (failure === DLMS_REPLAY) failure = PUSH_REPLAY;
			else if (failure === DLMS_METER_TITLE && learnedPush.length > 0) failure = PUSH_OTHER;
		} else if (isCiphered || hasKey) failure = isCiphered ? PUSH_NO_KEY : PUSH_OPEN;
		failure ??= this.decodePlain(cursor, cipher?.meterTitle);
		if (failure === PUSH_UNKNOWN && isCiphered) failure = PUSH_KEY;
		const isBroadcast = cipher !== undefined && (cipher.control & BROADCAST) !== 0;
		if (isBroadcast && (failure === PUSH_KEY || failure === DLMS_TAG)) failure = PUSH_BROADCAST;
		this.failure = failure;
		if (failure === undefined) {
			if (cipher !== undefined) this.storeSender(cipher);
			this.#status = cipher?.authenticates === false ? STATUS_UNCHECKED : STATUS_OK;
		}
		this.outputs.event(failure === undefined ? EVENT_READOUT : EVENT_POOR);
	}

	/** Decodes the plain text of a push. `title` is the system title of a ciphered push. */
	private decodePlain(cursor: Cursor, title: Uint8Array = NO_BYTES): Failure | undefined {
		const records = this.#records;
		if (title.length > 0 && cursor.bytes[cursor.at] === SLASH) return this.decodeP1(cursor) ? undefined : PUSH_UNKNOWN;
		const { dlms } = this.#settings;
		const reading = new PushReading(cursor, records);
		records.begin();
		if (!reading.decode(title, dlms.rows)) return PUSH_UNKNOWN;
		if (reading.isNameless) {
			dlms.seenList = cursor.bytes.slice(reading.body, Math.min(cursor.end, reading.body + SEEN_LIMIT));
			return PUSH_NO_CODES;
		}
		if (records.records === 0) return PUSH_UNKNOWN;
		records.endBlock(true);
		this.meterId = reading.meterId;
		return undefined;
	}

	/** Decodes a P1 telegram. Returns false if it is invalid. */
	private decodeP1({ bytes, at, end }: Cursor): boolean {
		const listener = new MeterListener(this.#records);
		let event = 0;
		for (let from = at; from < end; from += P1_PIECE) {
			listener.receive(bytes, from, Math.min(end, from + P1_PIECE), 0);
			if (from + P1_PIECE >= end) listener.advance(Number.POSITIVE_INFINITY);
			for (let output = listener.poll(); output.kind !== OUTPUT_NONE; output = listener.poll()) event = output.code;
		}
		if (event !== EVENT_READOUT) return false;
		this.meterId = listener.meterId;
		return true;
	}

	private get sender(): Sender {
		const memory = this.#memory;
		const { kept } = memory;
		if (kept instanceof Sender) return kept;
		const sender = new Sender();
		memory.kept = sender;
		return sender;
	}

	private storeSender({ meterTitle, meterCounter }: Cipher): void {
		const { dlms } = this.#settings;
		const { sender } = this;
		const storedCounter = counterOf(dlms.learnedPush);
		sender.counter = meterCounter;
		sender.unstored++;
		if (storedCounter >= 0 && (sender.unstored < STORE_EACH || meterCounter < storedCounter + STORE_EACH)) return;
		sender.unstored = 0;
		const push = new Uint8Array(TITLE_LENGTH + 4);
		push.set(meterTitle);
		putUint32BE(push, TITLE_LENGTH, meterCounter);
		dlms.learnPush(push);
	}
}

/** Returns the counter that is stored in `push` (DLMSSettings.learnedPush), or -1 if none is stored. */
function counterOf(push: Uint8Array): number {
	let counter = push.length === 0 ? -1 : 0;
	for (let i = TITLE_LENGTH; i < push.length; i++) counter = counter * 256 + push[i];
	return counter;
}

function listen(context: SessionContext<COSEMSettings>): PushReadSession {
	return new PushReadSession(context);
}

export const DLMS_PUSH: MeterProtocol<COSEMSettings> = Object.freeze({
	name: PROTOCOL_DLMS,
	isChosen: ({ protocol, dlms }: COSEMSettings) => protocol === PROTOCOL_DLMS && dlms.pushBaud > 0,
	listenBaud: ({ dlms }: COSEMSettings) => dlms.pushBaud,
	late: PUSH_SILENCE,
	open: listen,
	probe: listen,
	forget: ({ dlms }: COSEMSettings) => dlms.learnPush(new Uint8Array(0)),
});

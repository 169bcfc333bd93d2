/**
 * Listens to a meter that sends DLMS/COSEM by itself: data-notifications in the open or ciphered by general-glo or general-ded
 * (IEC 62056-5-3, 9.2 and 9.5), in HDLC (UI frames, also in segments, also in general block transfer) or in long frames of
 * M-Bus. As a row of the table of meter protocols.
 *
 *   HUNT    frame of an APDU that goes on: GATHER      last frame: judged, HUNT
 *   GATHER  the same                                   silence, or a frame that begins another APDU: dropped, HUNT
 *   any     abort: ENDED
 *
 * Which key there is decides what is taken. Without one, what comes in the open, checked by its frames; with an encryption
 * key, only what is ciphered by it; with an authentication key too, only what has a right tag. What is taken and could not be
 * checked has STATUS_UNCHECKED. A push whose invocation counter has not grown since the last one under the same system
 * title was recorded, and is refused. That counter is kept in RAM, and in flash each KEEP_EACH pushes: after a restart of
 * the gateway no more than those could be played back. A change of the settings forgets it (a meter that began anew).
 *
 * Limits: APDU_LIMIT bytes.
 */
import { Cipher, GENERAL_DED, GENERAL_GLO, KEY_LENGTH } from "../dlms/cipher.js";
import { putU32 } from "../dlms/cursor.js";
import { DLMS_REPLAY, DLMS_UNPROTECTED } from "../dlms/failures.js";
import { DATA_NOTIFICATION, PushReading } from "../dlms/push.js";
import { FrameDecoder, ROOM } from "../hdlc/decoder.js";
import { CONTROL_I, controlKind, LLC_DESTINATION, LLC_LENGTH, LLC_RESPONSE } from "../hdlc/frame.js";
import { FORMAT_8N1, type LineSettings } from "../io/host.js";
import { type Machine, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import {
	type Conversation,
	EVENT_END,
	EVENT_POOR,
	EVENT_READOUT,
	type MeterProtocol,
	type Opening,
	type Probing,
} from "../readout/protocol.js";
import { type Readout, STATUS_OK, STATUS_UNCHECKED, statusOf } from "../readout/readout.js";
import { PROTOCOL_DLMS } from "./dlms-conversation.js";
import { CHOICE } from "./dlms-protocol.js";
import { DLMSRecords } from "./dlms-records.js";
import { PUSH_KEY, PUSH_NO_KEY, PUSH_NO_TAG, PUSH_OPEN, PUSH_REPLAY, PUSH_SILENCE, PUSH_UNKNOWN } from "./failures.js";
import { MBusFrames } from "./mbus-frames.js";
import type { MeterSettings } from "./settings.js";

/** The longest push that is known has 591 bytes. */
const APDU_LIMIT = 1536;
/** A silence of this length ends an APDU: its frames follow each other at once. */
const GAP_MS = 1000;
const KEEP_EACH = 200;

const CONTROL_UI = 0x03;
/** General block transfer: tag, control, number of the block and of the one acknowledged (2 each), length, data. */
const GENERAL_BLOCK = 0xe0;
const LAST_BLOCK = 0x80;

const TITLE_LENGTH = 8;
/** Where the title stands in a ciphered APDU. */
const TITLE_AT = 2;
const NOTHING: readonly number[] = Object.freeze([]);

export class PushConversation implements Machine, Conversation, Probing {
	readonly line: LineSettings;
	/** What was wrong with the last push; after `abort`, with all. */
	failure: Failure | undefined;
	received = 0;
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #opening: Opening<MeterSettings>;
	readonly #outputs = new OutputQueue();
	readonly #frames = new FrameDecoder(new Uint8Array(APDU_LIMIT + ROOM));
	readonly #mbus = new MBusFrames(new Uint8Array(APDU_LIMIT));
	readonly #records: DLMSRecords;
	readonly #reading: PushReading;
	/** What of the APDU is gathered stands at the beginning of the decoder's buffer; blocks of it up to `#blocksEnd`. */
	#length = 0;
	#blocksEnd = 0;
	#blocks = 0;
	/** STATUS_OK or STATUS_UNCHECKED, of the last good one. */
	#status = STATUS_OK;
	/** There was a good one. */
	#isHeard = false;
	#isEnded = false;

	constructor(opening: Opening<MeterSettings>) {
		this.#opening = opening;
		this.line = { baud: opening.settings.dlms.pushBaud, format: FORMAT_8N1 };
		this.#records = new DLMSRecords(opening.records, new Uint8Array(NOTHING));
		this.#reading = new PushReading(this.#records);
	}

	/** A line of eight bits shows no damage to a character. */
	get damaged(): number {
		return 0;
	}

	get meterId(): Uint8Array {
		return this.#reading.meterId;
	}

	/** What is not to be trusted is shown to nobody. */
	readout(event: number, utcMs: number): Readout | undefined {
		if (event !== EVENT_READOUT) return undefined;
		const { kept, overflow } = this.#opening.records;
		return {
			protocol: PROTOCOL_DLMS,
			meterId: this.meterId,
			mode: 0,
			baud: this.line.baud,
			utcMs,
			status: statusOf(overflow) || this.#status,
			records: kept ?? new Uint8Array(0),
		};
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#isEnded) return;
		this.received += end - start;
		this.deadlineMs = nowMs + GAP_MS;
		for (let at = this.#frames.take(bytes, start, end); this.#frames.ready; ) {
			this.takeFrame();
			at = this.#frames.take(bytes, at, end);
		}
		const mbus = this.#mbus;
		for (let i = start; i < end; i++) if (mbus.take(bytes[i])) this.judge(mbus.bytes, mbus.length);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		// The last frame may lack its closing flag.
		for (this.#frames.silence(); this.#frames.ready; this.#frames.silence()) this.takeFrame();
		this.drop();
		this.#frames.release(0);
		this.#mbus.reset();
	}

	poll(): Output {
		return this.#outputs.poll();
	}

	/** Listens no more. Without a push it has failed. */
	abort(_nowMs: number): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		const silence = this.received === 0 ? PUSH_SILENCE : PUSH_UNKNOWN;
		this.failure = this.#isHeard ? undefined : (this.failure ?? silence);
		this.#outputs.event(EVENT_END);
	}

	/** Forgets what was gathered. */
	private drop(): void {
		this.#length = this.#blocksEnd = this.#blocks = 0;
	}

	/** A frame of HDLC is ready: the APDU may be whole with it. */
	private takeFrame(): void {
		const frames = this.#frames;
		const { bytes, control, tooLong, segmented, infoStart } = frames;
		const infoEnd = tooLong ? infoStart : frames.infoEnd;
		const kind = controlKind(control);
		const isPush = (kind === CONTROL_UI || kind === CONTROL_I) && infoEnd > infoStart;
		const isLLC =
			bytes[infoStart] === LLC_DESTINATION && bytes[infoStart + 1] === LLC_RESPONSE && bytes[infoStart + 2] === 0;
		const from = infoStart + (isLLC ? LLC_LENGTH : 0);
		// Landis+Gyr's blocks have the LLC header in the first one only.
		const isBlock = this.#blocks > 0 && bytes[from] === GENERAL_BLOCK && bytes[from + 3] !== 1;
		const isFirst = infoEnd > from && (isLLC || (isBlock && this.#length === this.#blocksEnd));
		if (isFirst && !isBlock) this.drop();
		else if (isFirst) this.#length = this.#blocksEnd;
		if (!isPush || (!isFirst && this.#length === this.#blocksEnd)) this.drop();
		else {
			bytes.copyWithin(this.#length, from, infoEnd);
			this.#length += infoEnd - from;
			if (!segmented) this.takeAPDU();
		}
		frames.release(this.#length);
	}

	private takeAPDU(): void {
		const { bytes } = this.#frames;
		const from = this.#blocksEnd;
		const end = this.#length;
		if (bytes[from] !== GENERAL_BLOCK) {
			this.judge(bytes, end);
			this.drop();
			return;
		}
		const cursor = this.#reading.cursor.set(bytes, from + 1, end);
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
		this.judge(bytes, this.#length);
		this.drop();
	}

	/** The APDU `bytes[0..length)` is whole: what is it worth? */
	private judge(bytes: Uint8Array, length: number): void {
		const { records, settings, memory } = this.#opening;
		const tag = bytes[0];
		const isCiphered = tag === GENERAL_GLO || tag === GENERAL_DED;
		if (!isCiphered && tag !== DATA_NOTIFICATION) return;
		const { dlms } = settings;
		const hasKey = dlms.encryptionKey.length === KEY_LENGTH;
		const { cursor } = this.#reading;
		cursor.set(bytes, 0, length);
		const title = isCiphered ? bytes.slice(TITLE_AT, TITLE_AT + TITLE_LENGTH) : new Uint8Array(0);
		/** As `learnedPush` is. */
		const before = memory.kept instanceof Uint8Array ? memory.kept : dlms.learnedPush;
		let cipher: Cipher | undefined;
		let failure: Failure | undefined;
		if (isCiphered && hasKey) {
			cipher = this.makeCipher(before, title);
			failure = cipher.open(cursor);
			if (failure === DLMS_UNPROTECTED) failure = PUSH_NO_TAG;
			else if (failure === DLMS_REPLAY) failure = PUSH_REPLAY;
		} else if (isCiphered || hasKey) failure = isCiphered ? PUSH_NO_KEY : PUSH_OPEN;
		if (failure === undefined) {
			this.#records.begin();
			const isWhole = this.#reading.take(title) && records.records > 0;
			if (!isWhole) failure = isCiphered ? PUSH_KEY : PUSH_UNKNOWN;
		}
		this.failure = failure;
		if (failure === undefined) {
			if (cipher !== undefined) this.remember(title, cipher.meterCounter);
			this.#status = cipher?.authenticates === false ? STATUS_UNCHECKED : STATUS_OK;
			this.#records.keep();
			this.#isHeard = true;
		}
		this.#outputs.event(failure === undefined ? EVENT_READOUT : EVENT_POOR);
	}

	private makeCipher(before: Uint8Array, title: Uint8Array): Cipher {
		const { settings, crypto } = this.#opening;
		return new Cipher({
			gcm: (key, iv, aad, text) => crypto.aes128GCM(key, iv, aad, text),
			encryptionKey: settings.dlms.encryptionKey,
			authenticationKey: settings.dlms.authenticationKey,
			title: settings.dlms.title,
			counter: 0,
			counterLimit: 0,
			meterCounter: counterOf(before, title),
		});
	}

	/** A good push has come with this counter. */
	private remember(title: Uint8Array, counter: number): void {
		const { memory, settings } = this.#opening;
		const push = new Uint8Array(TITLE_LENGTH + 4);
		push.set(title);
		putU32(push, TITLE_LENGTH, counter);
		memory.kept = push;
		const inFlash = counterOf(settings.dlms.learnedPush, title);
		if (inFlash < 0 || counter >= inFlash + KEEP_EACH) settings.dlms.learnPush(push);
	}
}

/** The counter in `push` (DLMSSettings.learnedPush), if it is of this title; -1: it is not. */
function counterOf(push: Uint8Array, title: Uint8Array): number {
	let counter = push.length === 0 ? -1 : 0;
	for (let i = 0; i < push.length; i++) {
		if (i >= TITLE_LENGTH) counter = counter * 256 + push[i];
		else if (push[i] !== title[i]) return -1;
	}
	return counter;
}

function listen(opening: Opening<MeterSettings>): PushConversation {
	return new PushConversation(opening);
}

/** The protocol is dlms, and the meter speaks first. */
export const DLMS_PUSH: MeterProtocol<MeterSettings> = Object.freeze({
	isChosen: ({ protocol, dlms }: MeterSettings) => protocol === CHOICE && dlms.pushBaud > 0,
	listenBaud: ({ dlms }: MeterSettings) => dlms.pushBaud,
	late: PUSH_SILENCE,
	open: listen,
	probe: listen,
	forget: ({ dlms }: MeterSettings) => dlms.learnPush(new Uint8Array(0)),
});

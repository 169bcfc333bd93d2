/**
 * One HDLC connection and one association in it, on a line that stands at 8N1: connects, reads what the association is to
 * read, disconnects. The owner runs `connection` and gives its events (hdlc/events.ts) to `goOn`; after EVENT_END
 * `failure` tells how it ended.
 * It also says what of a piece sent or received no log may show: the password goes over the line as it is.
 */
import { Association, STEP_COUNTER, STEP_END, STEP_SEND, STEP_WAIT } from "../dlms/association.js";
import type { Cipher } from "../dlms/cipher.js";
import type { Inquiry } from "../dlms/reading.js";
import { HDLCConnection } from "../hdlc/connection.js";
import { ROOM } from "../hdlc/decoder.js";
import { EVENT_APDU, EVENT_CONNECTED } from "../hdlc/events.js";
import { afterSignOn, HDLC_LOST } from "../hdlc/failures.js";
import type { Crypto } from "../io/crypto.js";
import { TAP_TRANSMITTED } from "../io/link.js";
import type { Output } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { FAILURE_COUNTERS } from "./failures.js";
import type { DLMSSettings } from "./settings.js";

/** In place of a byte that is not shown. */
const HIDDEN = 0x2a;

/** The longest answer: room for ten registers at once several times over. */
const APDU_LIMIT = 1024;
/** Bytes of the buffer that a session works in. */
export const SESSION_BUFFER = APDU_LIMIT + ROOM;
/** Information of a frame that is proposed, and frames in a row; a meter that has less says so. */
const INFO = APDU_LIMIT;
const WINDOW = 7;

/** The line that HDLC goes over. */
export interface Carrier {
	/** Speed, Bd. */
	readonly baud: number;
	/** After a sign-on: the meter is known to be there. */
	readonly isSignedOn: boolean;
	/** The meter may hold a connection of ours. */
	readonly releaseFirst: boolean;
}

export interface DLMSSessionOptions {
	readonly settings: DLMSSettings;
	/** Client address. */
	readonly client: number;
	readonly carrier: Carrier;
	/** SESSION_BUFFER bytes. */
	readonly buffer: Uint8Array;
	/** MECHANISM_… of dlms/aarq.ts, and whether the APDUs are ciphered; the cipher that one of them needs. */
	readonly mechanism: number;
	readonly ciphered: boolean;
	readonly cipher: Cipher | undefined;
	readonly reading: Inquiry;
	readonly crypto: Crypto;
	/** Lets the cipher use more invocation counters, once they are kept; false when they can't be. */
	keepAhead(): boolean;
}

export class DLMSSession {
	/** The meter has taken the HDLC connection. */
	connected = false;
	readonly association: Association;
	readonly #options: DLMSSessionOptions;
	readonly connection: HDLCConnection;
	#countersFailed = false;
	/** Where the password stands in the piece that was polled last. */
	#hideFrom = 0;
	#hideTo = 0;

	constructor(options: DLMSSessionOptions, nowMs: number) {
		const { settings, client, carrier, buffer, mechanism, ciphered, cipher, reading, crypto } = options;
		const { logical, physical, addressLength, receiveTimeoutMs, password, release } = settings;
		this.#options = options;
		this.association = new Association({
			mechanism,
			ciphered,
			password,
			cipher,
			reading,
			pduLimit: APDU_LIMIT,
			release,
			random: (length) => crypto.random(length),
		});
		this.connection = new HDLCConnection({
			address: { client, logical, physical, length: addressLength },
			baud: carrier.baud,
			receiveTimeoutMs,
			releaseFirst: carrier.releaseFirst,
			info: INFO,
			window: WINDOW,
			apdu: buffer,
		});
		this.connection.connect(nowMs);
	}

	get reading(): Inquiry {
		return this.#options.reading;
	}

	get cipher(): Cipher | undefined {
		return this.#options.cipher;
	}

	/** Why the list was not worked through, if it was not. Final with EVENT_END. */
	get failure(): Failure | undefined {
		if (this.#countersFailed) return FAILURE_COUNTERS;
		const { association } = this;
		if (association.isRead || association.failure !== undefined) return association.failure;
		// Without a failure it was ended from outside before it came to its end.
		const failure = this.connection.failure ?? HDLC_LOST;
		return this.#options.carrier.isSignedOn ? afterSignOn(failure) : failure;
	}

	/** Ends it when the meter has taken the connection, or gave no answer the first time. */
	letGo(nowMs: number): void {
		const { connection } = this;
		if (connection.frames > 0 || connection.repeated > 0) connection.disconnect(nowMs);
	}

	/** Ends it now, for the owner's reasons. */
	disconnect(nowMs: number): void {
		this.connection.disconnect(nowMs);
	}

	/** The piece `bytes[start..end)` of the line as a log may show it: itself, or a copy up to its end. */
	shown(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
		const { secretStart, secretEnd } = this.association;
		if (secretStart === secretEnd) return bytes;
		const copy = bytes.slice(0, end);
		if (direction === TAP_TRANSMITTED) copy.fill(HIDDEN, start + this.#hideFrom, start + this.#hideTo);
		else {
			// The head may echo it, late, or with a character lost or damaged: each character that is in it is hidden.
			const { password } = this.#options.settings;
			for (let i = start; i < end; i++) if (password.includes(copy[i])) copy[i] = HIDDEN;
		}
		return copy;
	}

	/** `output` of the connection goes to the line. */
	noteSecret(output: Output): void {
		const { request, secretStart, secretEnd } = this.association;
		const inside = output.bytes === request;
		this.#hideFrom = inside ? Math.max(0, secretStart - output.start) : 0;
		this.#hideTo = inside ? Math.max(this.#hideFrom, Math.min(secretEnd, output.end) - output.start) : 0;
	}

	/**
	 * An event of `poll` other than the end: goes on with what the association wants next. The owner calls it, for `poll`
	 * would be one call more on the stack of the microcontroller, which just holds what follows.
	 */
	goOn(event: number, nowMs: number): void {
		const { association, connection } = this;
		let step = STEP_END;
		if (event === EVENT_CONNECTED) {
			this.connected = true;
			association.frameLimit = connection.requestLimit;
			step = association.begin();
		} else if (event === EVENT_APDU) step = association.receive(this.#options.buffer, 0, connection.apduLength);
		while (step === STEP_COUNTER) {
			if (this.#options.keepAhead()) step = association.resume();
			else {
				this.#countersFailed = true;
				step = STEP_END;
			}
		}
		if (step === STEP_SEND) connection.send(association.request, 0, association.requestLength, nowMs);
		else if (step === STEP_WAIT) connection.waitOn(nowMs);
		else connection.disconnect(nowMs);
	}
}

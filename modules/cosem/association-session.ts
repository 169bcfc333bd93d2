/**
 * One HDLC connection (8N1) with one association: connects, reads what `reading` requests, and disconnects. The caller
 * runs `connection` and passes its events (hdlc/events.ts) to `onEvent`. After EVENT_END, `failure` is the result. A
 * plain-text password is hidden in the bytes for the log.
 */
import { Association, STEP_COUNTER, STEP_END, STEP_PAUSE, STEP_SEND, STEP_WAIT } from "../dlms/association.js";
import type { Cipher } from "../dlms/cipher.js";
import type { Inquiry } from "../dlms/reading.js";
import { HDLCConnection } from "../hdlc/connection.js";
import { ROOM } from "../hdlc/decoder.js";
import { EVENT_APDU, EVENT_CONNECTED } from "../hdlc/events.js";
import { afterSignOn, HDLC_LOST } from "../hdlc/failures.js";
import type { Crypto } from "../io/crypto.js";
import { TRANSMITTED } from "../io/link.js";
import type { Output } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { FAILURE_COUNTERS } from "./failures.js";
import type { DLMSSettings } from "./settings.js";

export const RESUME = 0;

const HIDDEN = 0x2a;

const APDU_LIMIT = 1024;
export const SESSION_BUFFER = APDU_LIMIT + ROOM;
/** Proposed maximum length of an information field, bytes. The meter may reduce it. */
const INFO = APDU_LIMIT;
const WINDOW = 7;

export interface Carrier {
	readonly baud: number;
	/** True after a sign-on, which has shown that the meter is present. */
	readonly isSignedOn: boolean;
	/** True if an earlier connection to the meter may still be open. */
	readonly releaseFirst: boolean;
}

export interface AssociationSessionOptions {
	readonly settings: DLMSSettings;
	readonly client: number;
	readonly carrier: Carrier;
	readonly buffer: Uint8Array;
	readonly mechanism: number;
	readonly ciphered: boolean;
	/** Cipher for the APDUs or for the authentication mechanism; undefined if neither needs one. */
	readonly cipher: Cipher | undefined;
	readonly reading: Inquiry;
	readonly crypto: Crypto;
	/** Reserves invocation counters in flash. Returns false if the flash refuses the write. */
	reserve(): boolean;
}

export class AssociationSession {
	connected = false;
	/** True while the association is open but has nothing to send (STEP_PAUSE). */
	isPaused = false;
	readonly association: Association;
	readonly #options: AssociationSessionOptions;
	readonly connection: HDLCConnection;
	#countersFailed = false;
	#hideFrom = 0;
	#hideTo = 0;

	constructor(options: AssociationSessionOptions, nowMs: number) {
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

	get failure(): Failure | undefined {
		if (this.#countersFailed) return FAILURE_COUNTERS;
		const { association } = this;
		if (association.isRead || association.failure !== undefined) return association.failure;
		const failure = this.connection.failure ?? HDLC_LOST;
		return this.#options.carrier.isSignedOn ? afterSignOn(failure) : failure;
	}

	endProbe(nowMs: number): void {
		const { connection } = this;
		if (connection.frames > 0 || connection.repeated > 0) connection.disconnect(nowMs);
	}

	/**
	 * Disconnects. An association that would stay open is released first; if an answer is pending, this happens when it
	 * has arrived.
	 */
	disconnect(nowMs: number): void {
		const { reading } = this;
		if (!this.connected || reading.staysOpen !== true) {
			this.connection.disconnect(nowMs);
			return;
		}
		reading.staysOpen = false;
		if (this.isPaused) this.onEvent(RESUME, nowMs);
	}

	/**
	 * Returns the bytes to show in the log. If they may contain the password, the result is a copy in which it is
	 * hidden.
	 */
	shown(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
		const { secretStart, secretEnd } = this.association;
		if (secretStart === secretEnd) return bytes;
		const copy = bytes.slice(0, end);
		if (direction === TRANSMITTED) copy.fill(HIDDEN, start + this.#hideFrom, start + this.#hideTo);
		else {
			// Received bytes may be an echo of the password. The echo may be late or damaged, so every byte that occurs
			// in the password is hidden.
			const { password } = this.#options.settings;
			for (let i = start; i < end; i++) if (password.includes(copy[i])) copy[i] = HIDDEN;
		}
		return copy;
	}

	noteSecret(output: Output): void {
		const { request, secretStart, secretEnd } = this.association;
		const inside = output.bytes === request;
		this.#hideFrom = inside ? Math.max(0, secretStart - output.start) : 0;
		this.#hideTo = inside ? Math.max(this.#hideFrom, Math.min(secretEnd, output.end) - output.start) : 0;
	}

	/**
	 * Processes an event of the connection except EVENT_END. RESUME continues after a pause. Must not be called inside
	 * `connection.poll`, because the microcontroller's stack would overflow.
	 */
	onEvent(event: number, nowMs: number): void {
		const { association, connection } = this;
		let step = STEP_END;
		if (event === EVENT_CONNECTED) {
			this.connected = true;
			association.frameLimit = connection.requestLimit;
			step = association.begin();
		} else if (event === EVENT_APDU) step = association.receive(this.#options.buffer, 0, connection.apduLength);
		else if (event === RESUME) step = association.resume();
		while (step === STEP_COUNTER) {
			if (this.#options.reserve()) step = association.resume();
			else {
				this.#countersFailed = true;
				step = STEP_END;
			}
		}
		this.isPaused = step === STEP_PAUSE;
		if (this.isPaused) return;
		if (step === STEP_SEND) connection.send(association.request, 0, association.requestLength, nowMs);
		else if (step === STEP_WAIT) connection.awaitAPDU(nowMs);
		else connection.disconnect(nowMs);
	}
}

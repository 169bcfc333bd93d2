/**
 * One association, from the AARQ through its read requests to the release (IEC 62056-5-3). It is a sans-io machine,
 * which gets complete APDUs from any transport.
 *
 *   `begin` returns the first action, and `receive` returns the next one for each response:
 *   STEP_SEND     send `request[0..requestLength)`, then pass the response to `receive`
 *   STEP_WAIT     a notification arrived: keep waiting for the response
 *   STEP_COUNTER  reserve higher invocation counters in flash, raise the cipher's `counterLimit`, then call `resume`
 *   STEP_PAUSE    nothing to send now, but the association stays open: `resume` sends the next requests or ends it
 *   STEP_END      finished: see `isRead` or `failure`
 *
 *   Sequence: AARQ and AARE; with GMAC or SHA-256, an ACTION that exchanges and checks the answers to both challenges;
 *   the GET requests of `reading`; RLRQ and RLRE if configured.
 *
 * In a ciphered context, the user information of the AARQ is ciphered, and so are all later requests. Responses in
 * plain text are then refused, except exceptions and service errors.
 *
 * `isRead` and `failure` are final when the release begins. Limits: a request has at most REQUEST_LIMIT bytes, a
 * response at most `pduLimit` bytes.
 */

import { equalConstantTime } from "../bytes/equal.js";
import type { Failure } from "../readout/failure.js";
import {
	ACCEPTED,
	AssociationResponse,
	DIAGNOSTIC_AUTHENTICATION_REQUIRED,
	mechanismFailure,
	rejectionFailure,
} from "./aare.js";
import {
	AARQ_LIMIT,
	type AssociationRequest,
	CONTEXT_CIPHERED,
	CONTEXT_PLAIN,
	encodeAARQ,
	encodeRLRQ,
	MECHANISM_HIGH_GMAC,
	MECHANISM_HIGH_SHA256,
	MECHANISM_LOW,
	SECRET_LIMIT,
	secretEnd,
} from "./aarq.js";
import { ACTION_REFUSED, ACTION_RESPONSE, ANSWER_AT, findAnswer, putActionRequest } from "./action.js";
import { CIPHER_OVERHEAD, type Cipher, COUNTER_END, DIGEST_LENGTH, MAC_LENGTH, suiteFailure } from "./cipher.js";
import type { Cursor } from "./cursor.js";
import { EXCEPTION_RESPONSE, ExceptionResponse } from "./exception.js";
import {
	DLMS_AUTHENTICATION_REQUIRED,
	DLMS_CONTEXT,
	DLMS_COUNTER_EXHAUSTED,
	DLMS_EXCEPTION,
	DLMS_HLS_REFUSED,
	DLMS_KEY_MISSING,
	DLMS_MALFORMED,
	DLMS_METER_TITLE,
	DLMS_METER_UNVERIFIED,
	DLMS_PDU_SIZE,
	DLMS_REJECTED,
	DLMS_SHORT_NAMES,
	DLMS_UNPROTECTED,
} from "./failures.js";
import { ATTRIBUTE_LENGTH, GET_RESPONSE, LIST_HEAD, NORMAL_HEAD } from "./get.js";
import {
	CONFIRMED_SERVICE_ERROR,
	CONFORMANCE_ACTION,
	CONFORMANCE_GET,
	CONFORMANCE_LIST,
	INITIATE_RESPONSE,
	Initiate,
	putInitiateRequest,
	serviceErrorFailure,
} from "./initiate.js";
import { type Inquiry, LIST_LIMIT } from "./reading.js";
import { REASON_EXCEPTION } from "./reasons.js";

export const STEP_SEND = 1;
export const STEP_WAIT = 2;
export const STEP_COUNTER = 3;
export const STEP_END = 4;
export const STEP_PAUSE = 5;

/**
 * Length of our challenge, bytes. Each byte has 6 random bits and is a printable character, because some meters require
 * printable characters.
 */
const CHALLENGE_LENGTH = 16;
/**
 * Offset in `request` after the AARQ. This place has first the initiate request, and later the meter's challenge. Our
 * challenge is at CHALLENGE_AT.
 */
const AFTER_AARQ = AARQ_LIMIT;
const CHALLENGE_AT = AFTER_AARQ + SECRET_LIMIT;
/**
 * Maximum length of a request, bytes. The longest one is a ciphered list of LIST_LIMIT attributes. Requests before the
 * association is established have less than AFTER_AARQ bytes.
 */
export const REQUEST_LIMIT = LIST_HEAD + LIST_LIMIT * ATTRIBUTE_LENGTH + CIPHER_OVERHEAD + 1;

const CHALLENGE_BASE = 0x30;
const CHALLENGE_BITS = 0x3f;

const DATA_NOTIFICATION = 0x0f;
const EVENT_NOTIFICATION = 0xc2;
const GLO_EVENT_NOTIFICATION = 0xca;

const STATE_ASSOCIATE = 0;
const STATE_AUTHENTICATE = 1;
const STATE_READ = 2;
const STATE_RELEASE = 3;
const STATE_ENDED = 4;

export interface AssociationOptions {
	readonly mechanism: number;
	readonly ciphered: boolean;
	/** Password (MECHANISM_LOW) or secret (MECHANISM_HIGH_SHA256), at most SECRET_LIMIT bytes. */
	readonly password: Uint8Array;
	/** Cipher; required if `ciphered` is true, and for MECHANISM_HIGH_…. */
	readonly cipher: Cipher | undefined;
	readonly reading: Inquiry;
	/** Length of the longest APDU that the caller can receive, 64 to 65535 bytes. */
	readonly pduLimit: number;
	readonly release: boolean;
	random(length: number): Uint8Array;
}

export class Association {
	readonly request = new Uint8Array(REQUEST_LIMIT);
	requestLength = 0;
	/** Maximum length of a request that fits one frame, bytes. Every meter accepts requests in one frame. */
	frameLimit = REQUEST_LIMIT;
	/**
	 * Position of the password in `request`, from `secretStart` to before `secretEnd`. These bytes must not be logged.
	 * The range is empty without a password.
	 */
	secretStart = 0;
	secretEnd = 0;
	failure: Failure | undefined;
	diagnostic = -1;
	readonly exception = new ExceptionResponse();
	readonly #options: AssociationOptions;
	readonly #cursor: Cursor;
	readonly #initiate = new Initiate();
	/** Length of the meter's challenge in `request`, where it begins at AFTER_AARQ. */
	#meterChallenge = 0;
	#state = STATE_ASSOCIATE;

	constructor(options: AssociationOptions) {
		this.#options = options;
		this.#cursor = options.reading.cursor;
	}

	get isRead(): boolean {
		return this.#state >= STATE_RELEASE && this.failure === undefined;
	}

	begin(): number {
		const { mechanism, ciphered, cipher, password } = this.#options;
		const gmac = mechanism === MECHANISM_HIGH_GMAC;
		const keyed = cipher?.complete === true && (!gmac || cipher.authenticates);
		const secretless = mechanism === MECHANISM_HIGH_SHA256 && (cipher === undefined || password.length === 0);
		if (((ciphered || gmac) && !keyed) || secretless || password.length > SECRET_LIMIT)
			return this.end(DLMS_KEY_MISSING);
		return this.resume();
	}

	resume(): number {
		this.secretStart = this.secretEnd = 0;
		// The cursor must not refer to the last response, which would then stay in memory during the pause.
		this.#cursor.set(this.request, 0, 0);
		if (this.#state === STATE_ENDED) return STEP_END;
		if (this.#state === STATE_READ && this.#options.reading.done)
			return this.#options.reading.staysOpen ? STEP_PAUSE : this.finish();
		const { cipher, ciphered, mechanism } = this.#options;
		const isMAC = this.#state === STATE_AUTHENTICATE && mechanism === MECHANISM_HIGH_GMAC;
		const needed = (ciphered ? 1 : 0) + (isMAC ? 1 : 0);
		if (cipher !== undefined && needed > 0 && !cipher.has(needed)) {
			if (this.#state === STATE_RELEASE) return this.end(this.failure);
			return cipher.counter + needed > COUNTER_END ? this.end(DLMS_COUNTER_EXHAUSTED) : STEP_COUNTER;
		}
		if (this.#state === STATE_ASSOCIATE) this.associate();
		else if (this.#state === STATE_AUTHENTICATE) this.authenticate();
		else if (this.#state === STATE_READ) return this.requestData();
		else this.release();
		return STEP_SEND;
	}

	/** Takes a complete APDU of any kind, and returns the next action. */
	receive(bytes: Uint8Array, start: number, end: number): number {
		if (this.#state === STATE_ENDED || this.#state === STATE_RELEASE) return this.end(this.failure);
		const tag = start < end ? bytes[start] : -1;
		const cursor = this.#cursor.set(bytes, start, end);
		if (isNotification(tag)) return STEP_WAIT;
		if (tag === EXCEPTION_RESPONSE) return this.onException(cursor);
		if (this.#state === STATE_ASSOCIATE) return this.onAARE(cursor);
		const { cipher, ciphered } = this.#options;
		if (!ciphered || cipher === undefined || tag === CONFIRMED_SERVICE_ERROR) return this.onResponse(cursor);
		if (tag === GET_RESPONSE || tag === ACTION_RESPONSE) return this.end(DLMS_UNPROTECTED);
		const problem = cipher.open(cursor);
		return problem === undefined ? this.onResponse(cursor) : this.end(problem);
	}

	private associate(): void {
		const { mechanism, password } = this.#options;
		if (this.isHigh) this.makeChallenge();
		const request = this.associationRequest();
		this.requestLength = encodeAARQ(this.request, request);
		if (mechanism !== MECHANISM_LOW) return;
		this.secretEnd = secretEnd(this.requestLength, request.informationEnd - request.informationStart);
		this.secretStart = this.secretEnd - password.length;
	}

	private makeChallenge(): void {
		const random = this.#options.random(CHALLENGE_LENGTH);
		for (let i = 0; i < CHALLENGE_LENGTH; i++)
			this.request[CHALLENGE_AT + i] = CHALLENGE_BASE + (random[i] & CHALLENGE_BITS);
	}

	private get challenge(): Uint8Array {
		return this.request.subarray(CHALLENGE_AT, CHALLENGE_AT + CHALLENGE_LENGTH);
	}

	private get isHigh(): boolean {
		return this.#options.mechanism >= MECHANISM_HIGH_GMAC;
	}

	private associationRequest(): AssociationRequest {
		const { mechanism, ciphered, cipher, password, pduLimit } = this.#options;
		const { isHigh } = this;
		const services = this.#options.reading.services | CONFORMANCE_GET;
		const conformance = isHigh ? services | CONFORMANCE_ACTION : services;
		let end = putInitiateRequest(this.request, AFTER_AARQ, conformance, pduLimit);
		if (ciphered && cipher !== undefined) end = cipher.seal(this.request, AFTER_AARQ, end, this.request, AFTER_AARQ);
		return {
			context: ciphered ? CONTEXT_CIPHERED : CONTEXT_PLAIN,
			mechanism,
			title: ciphered || isHigh ? cipher?.title : undefined,
			secret: isHigh ? this.challenge : password,
			information: this.request,
			informationStart: AFTER_AARQ,
			informationEnd: end,
		};
	}

	private onAARE(cursor: Cursor): number {
		const { mechanism, ciphered, cipher } = this.#options;
		const { bytes } = cursor;
		const answer = new AssociationResponse();
		const isWhole = answer.read(cursor);
		this.diagnostic = answer.diagnostic;
		if (answer.result > ACCEPTED) return this.end(this.rejection(answer, cursor));
		if (!isWhole) return this.end(DLMS_MALFORMED);
		const { isHigh } = this;
		const isChallenged = answer.diagnostic === DIAGNOSTIC_AUTHENTICATION_REQUIRED;
		const mechanismProblem = isHigh || isChallenged ? mechanismFailure(answer.mechanism, mechanism) : undefined;
		if (mechanismProblem !== undefined) return this.end(mechanismProblem);
		if (cipher !== undefined && (ciphered || isHigh)) {
			const { titleStart, titleEnd } = answer;
			const problem = titleStart < titleEnd ? cipher.setMeterTitle(bytes, titleStart, titleEnd) : undefined;
			if (problem !== undefined) return this.end(problem);
			if (!cipher.meterTitleKnown) return this.end(DLMS_METER_TITLE);
		}
		if (!isHigh && isChallenged) return this.end(DLMS_AUTHENTICATION_REQUIRED);
		const problem = this.onInitiate(cursor.set(bytes, answer.informationStart, answer.informationEnd));
		if (problem !== undefined) return this.end(problem);
		return isHigh ? this.onChallenge(bytes, answer) : this.beginReading();
	}

	private rejection(answer: AssociationResponse, cursor: Cursor): Failure {
		const { informationStart, informationEnd } = answer;
		// Some meters send an initiate response although they refuse the association. It shows whether the meter uses
		// short names.
		const hasInitiate = this.#initiate.read(cursor.set(cursor.bytes, informationStart, informationEnd));
		if (answer.isShort || (hasInitiate && this.#initiate.isShort)) return DLMS_SHORT_NAMES;
		const mechanismProblem = mechanismFailure(answer.mechanism, this.#options.mechanism);
		if (mechanismProblem !== undefined) return mechanismProblem;
		const rejected = rejectionFailure(answer.diagnostic);
		if (rejected !== DLMS_REJECTED || informationStart === informationEnd) return rejected;
		const error = serviceErrorFailure(cursor.set(cursor.bytes, informationStart, informationEnd));
		return error === DLMS_EXCEPTION ? rejected : error;
	}

	/** Checks the initiate response. Returns the failure; undefined if the association can continue. */
	private onInitiate(cursor: Cursor): Failure | undefined {
		const { ciphered, cipher } = this.#options;
		const tag = cursor.left > 0 ? cursor.bytes[cursor.at] : -1;
		if (tag === CONFIRMED_SERVICE_ERROR) return serviceErrorFailure(cursor);
		if (ciphered && cipher !== undefined) {
			if (tag === INITIATE_RESPONSE) return DLMS_UNPROTECTED;
			const problem = cipher.open(cursor);
			if (problem !== undefined) return problem;
			if (cursor.bytes[cursor.at] === CONFIRMED_SERVICE_ERROR) return serviceErrorFailure(cursor);
		} else if (tag > 0 && tag !== INITIATE_RESPONSE) return DLMS_CONTEXT;
		if (!this.#initiate.read(cursor)) return DLMS_MALFORMED;
		// If the meter offers GET, an association with short names is usable.
		const { isShort, conformance } = this.#initiate;
		if (isShort && (conformance & CONFORMANCE_GET) === 0) return DLMS_SHORT_NAMES;
		return this.roomIn(REQUEST_LIMIT) < NORMAL_HEAD + ATTRIBUTE_LENGTH ? DLMS_PDU_SIZE : undefined;
	}

	/**
	 * Takes the meter's challenge. A challenge that equals ours is rejected, because the meter could send our own
	 * answer back.
	 */
	private onChallenge(bytes: Uint8Array, answer: AssociationResponse): number {
		const challenge = bytes.subarray(answer.challengeStart, answer.challengeEnd);
		this.#meterChallenge = challenge.length;
		if (challenge.length === 0 || challenge.length > SECRET_LIMIT || equalConstantTime(challenge, this.challenge))
			return this.end(DLMS_METER_UNVERIFIED);
		this.request.set(challenge, AFTER_AARQ);
		this.#state = STATE_AUTHENTICATE;
		return this.resume();
	}

	private authenticate(): void {
		const { cipher } = this.#options;
		const { proofLength, meterChallenge, request } = this;
		putActionRequest(request, 0, proofLength);
		if (proofLength === DIGEST_LENGTH) request.set(this.digest(false, meterChallenge, this.challenge), ANSWER_AT);
		else cipher?.answer(meterChallenge, 0, meterChallenge.length, request, ANSWER_AT);
		this.seal(ANSWER_AT + proofLength);
	}

	private get meterChallenge(): Uint8Array {
		return this.request.subarray(AFTER_AARQ, AFTER_AARQ + this.#meterChallenge);
	}

	private get proofLength(): number {
		return this.#options.mechanism === MECHANISM_HIGH_SHA256 ? DIGEST_LENGTH : MAC_LENGTH;
	}

	private digest(isMeters: boolean, answered: Uint8Array, own: Uint8Array): Uint8Array {
		const { cipher, password } = this.#options;
		return cipher?.digest(password, isMeters, answered, own) ?? this.request.subarray(0, 0);
	}

	private onResponse(cursor: Cursor): number {
		const tag = cursor.left > 0 ? cursor.bytes[cursor.at] : -1;
		if (isNotification(tag)) return STEP_WAIT;
		if (tag === EXCEPTION_RESPONSE) return this.onException(cursor);
		if (this.#state === STATE_AUTHENTICATE) return this.onProof(cursor, tag);
		const { reading } = this.#options;
		if (tag === CONFIRMED_SERVICE_ERROR) reading.refuse(REASON_EXCEPTION);
		else if (tag === GET_RESPONSE) reading.take();
		else return this.end(DLMS_MALFORMED);
		return this.resume();
	}

	private onProof(cursor: Cursor, tag: number): number {
		if (tag === CONFIRMED_SERVICE_ERROR) return this.end(DLMS_EXCEPTION);
		if (tag !== ACTION_RESPONSE) return this.end(DLMS_MALFORMED);
		const { proofLength } = this;
		const at = findAnswer(cursor, proofLength);
		if (at === ACTION_REFUSED) return this.end(DLMS_HLS_REFUSED);
		if (at < 0) return this.end(DLMS_METER_UNVERIFIED);
		const { bytes } = cursor;
		if (proofLength === DIGEST_LENGTH) {
			const expected = this.digest(true, this.challenge, this.meterChallenge);
			const same = equalConstantTime(expected, bytes.subarray(at, at + DIGEST_LENGTH));
			return same ? this.beginReading() : this.end(DLMS_METER_UNVERIFIED);
		}
		const suite = suiteFailure(bytes[at]);
		if (suite !== undefined) return this.end(suite);
		const verified = this.#options.cipher?.isAnswer(this.challenge, bytes, at) === true;
		return verified ? this.beginReading() : this.end(DLMS_METER_UNVERIFIED);
	}

	private beginReading(): number {
		this.#state = STATE_READ;
		this.#options.reading.begin((this.#initiate.conformance & CONFORMANCE_LIST) !== 0);
		return this.resume();
	}

	private roomIn(limit: number): number {
		const { pduLimit } = this.#initiate;
		const total = Math.min(pduLimit || REQUEST_LIMIT, limit);
		return this.#options.ciphered ? total - CIPHER_OVERHEAD - (total > 0xff ? 1 : 0) : total;
	}

	private requestData(): number {
		const { reading } = this.#options;
		// A list request must fit one frame. A request for a single attribute may need several frames.
		const isList = (reading.services & CONFORMANCE_LIST) !== 0;
		const limit = isList ? Math.min(this.frameLimit, REQUEST_LIMIT) : REQUEST_LIMIT;
		this.seal(reading.request(this.request, 0, Math.max(NORMAL_HEAD + ATTRIBUTE_LENGTH, this.roomIn(limit))));
		return STEP_SEND;
	}

	private onException(cursor: Cursor): number {
		this.exception.read(cursor);
		const { failure } = this.exception;
		if (this.#state !== STATE_READ) return this.end(failure ?? DLMS_EXCEPTION);
		// Some meters refuse a list request with the exception that means a lost association, so this is not always the
		// end.
		const { reading } = this.#options;
		if (failure !== undefined && !(this.exception.isLoss && reading.listed)) return this.end(failure);
		reading.refuse(REASON_EXCEPTION);
		return this.resume();
	}

	private finish(): number {
		this.#options.reading.end();
		if (!this.#options.release) return this.end(undefined);
		this.#state = STATE_RELEASE;
		return this.resume();
	}

	private release(): void {
		this.requestLength = encodeRLRQ(this.request, this.#options.ciphered ? this.associationRequest() : undefined);
	}

	private seal(length: number): void {
		const { ciphered, cipher } = this.#options;
		const sealed = ciphered && cipher !== undefined;
		this.requestLength = sealed ? cipher.seal(this.request, 0, length, this.request, 0) : length;
	}

	private end(failure: Failure | undefined): number {
		if (this.#state === STATE_READ) this.#options.reading.end();
		this.#state = STATE_ENDED;
		this.failure = failure;
		return STEP_END;
	}
}

function isNotification(tag: number): boolean {
	return tag === DATA_NOTIFICATION || tag === EVENT_NOTIFICATION || tag === GLO_EVENT_NOTIFICATION;
}

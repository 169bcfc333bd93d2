/**
 * DLMS/COSEM server with logical names (IEC 62056-5-3). It supports associations without security, with a password
 * (LLS), and with HLS (GMAC or SHA-256). It supports ciphering with suites 0 and 1, the service GET, and the ACTION
 * that HLS needs.
 */
import { randomBytes } from "node:crypto";
import * as ACSE from "./dlms-acse.js";
import { answerChallenge, digestOf } from "./dlms-cipher.js";
import { octets, type Zone } from "./dlms-data.js";
import { ACTION, GET, type GetContext, GetService } from "./dlms-get.js";
import type { COSEMObject } from "./dlms-object.js";
import { ASSOCIATION_CODE, COUNTER_CODE, householdObjects } from "./dlms-objects.js";
import {
	exception,
	type Message,
	MessageSecurity,
	NOT_ALLOWED,
	NOT_POSSIBLE,
	NOT_SUPPORTED,
	type Party,
	type Reaction,
	type SecurityOptions,
	TITLE_BYTES,
	UNKNOWN_SERVICE,
} from "./dlms-security.js";
import type { Answer } from "./hdlc-station.js";
import type { HouseholdReading } from "./household.js";
import type { StoredRows } from "./steady-household.js";

export const ASSOCIATED = 30;
export const ASSOCIATION_REFUSED = 31;
export const AUTHENTICATED = 32;
export const AUTHENTICATION_FAILED = 33;
export const RELEASED = 36;
export const ANSWERED = 37;
export const NOT_SERVED = 38;

const CHALLENGE_BYTES = 16;
const KEY_BYTES = 16;
const SMALLEST_PDU = 12;
/** Conformance block of a server with short names: READ, WRITE, multiple references. */
const SHORT_SERVICES = 0x180200;
const DLMS_VERSION = 6;
const VERSION_TOO_LOW = 1;
const INCOMPATIBLE = 2;
const PDU_TOO_SHORT = 3;
const REFUSED = 4;
export interface ServerOptions extends SecurityOptions {
	household: { reading(nowMs: number): HouseholdReading };
	zone: Zone;
	stored?: StoredRows;
	logicalDevice: number;
	publicClient: number;
	lowClient: number;
	gmacClient: number;
	/** True if HLS uses SHA-256, with the password as secret. */
	bySHA256?: boolean;
	/** True if an association lasts until RLRQ. The next association is refused until then. */
	keepsAssociation?: boolean;
	password: Uint8Array;
	encryption: "off" | "allowed" | "required";
	pdu: number;
	conformance: number;
	oddTypes?: boolean;
	/** True if the public client may read only clock, names and counter. */
	publicLimited?: boolean;
	results: ReadonlyMap<string, number>;
	faults: ServerFaults;
}

export interface ServerFaults {
	/** Result, source and diagnostic with which each AARQ is refused. */
	refusal?: readonly [number, number, number];
	bareRefusal?: boolean;
	/** Reason of the initiate error in the AARE. */
	initiateError?: number;
	onWrongKey?: Reaction;
	onLowCounter?: Reaction;
	suite?: number;
	strictSuite?: boolean;
	wrongAnswer?: boolean;
	actionResult?: number;
	/** State and service of the exception that answers every request after the first `exceptionAfter` ones. */
	exception?: readonly [number, number];
	exceptionAfter?: number;
	/** After this many requests the meter drops the association. */
	requestLimit?: number;
	/** HLS mechanism that replaces GMAC. Each AARQ is refused, or accepted and challenged. */
	hls?: { mechanism: number; accepts: boolean; isNamed: boolean };
	/** Each AARQ is refused, or is accepted as if the client had requested short names. */
	shortNames?: "refuse" | "accept";
}

interface Association extends Party {
	client: number;
	isAuthenticated: boolean;
	context: GetContext;
	challenge: Buffer;
	ownChallenge: Buffer;
	openedAt: number;
	requests: number;
}

const PUBLIC_CLASSES = [8, 15, 17];
const PUBLIC_CODES = ["0.0.42.0.0.255", "0.0.96.1.0.255", COUNTER_CODE];

export class DLMSServer {
	readonly #options: ServerOptions;
	readonly #report: (code: number) => void;
	readonly #get: GetService;
	readonly #security: MessageSecurity;
	#association: Association | undefined;
	#isOccupied = false;
	#requests = 0;
	#nowMs = 0;

	constructor(options: ServerOptions, onEvent: (code: number) => void) {
		this.#options = options;
		this.#report = onEvent;
		this.#security = new MessageSecurity(options, onEvent);
		const objects = householdObjects({ ...options, counter: () => this.#security.counter });
		this.#get = new GetService({ ...options, objects });
	}

	reset(): void {
		this.#association = undefined;
		this.#get.reset();
	}

	answer(apdu: Buffer, client: number, nowMs: number): Answer {
		this.#nowMs = nowMs;
		if (apdu[0] === 0x60) return this.#associate(apdu, client);
		if (apdu[0] === 0x62) return this.#release(apdu);
		const association = this.#association;
		if (association === undefined) return exception(NOT_ALLOWED, NOT_POSSIBLE);
		const message = this.#security.uncover(apdu, association);
		if (!("plain" in message)) return message.answer;
		const { exception: fault, exceptionAfter = 0 } = this.#options.faults;
		if (fault !== undefined && ++this.#requests > exceptionAfter) return exception(...fault);
		const { requestLimit = Number.POSITIVE_INFINITY } = this.#options.faults;
		if (++association.requests > requestLimit) return exception(NOT_ALLOWED, NOT_POSSIBLE);
		const answer = this.#serve(message.plain, association, message);
		if (answer.length === 0) {
			this.#report(NOT_SERVED);
			return exception(UNKNOWN_SERVICE, NOT_SUPPORTED);
		}
		this.#report(ANSWERED);
		return answer[0] === 0xd8 ? answer : message.wrap(answer);
	}

	notification(nowMs: number): Buffer {
		const power = Buffer.alloc(5);
		power[0] = 0x05;
		power.writeInt32BE(Math.round(this.#options.household.reading(nowMs).power), 1);
		return Buffer.concat([Buffer.from("0f0000000100", "hex"), power]);
	}

	#serve(plain: Buffer, association: Association, message: Message): Buffer {
		const { context } = association;
		if (!association.isAuthenticated && plain[0] !== 0xc3) return exception(NOT_ALLOWED, NOT_POSSIBLE);
		if (plain[0] === 0xc0 && context.conformance & GET) {
			const limited = { ...context, limit: context.limit - message.overhead };
			return this.#get.answer(plain, limited, this.#options.household.reading(this.#nowMs)) ?? NOTHING;
		}
		if (plain[0] === 0xc1 && plain[1] === 1) return Buffer.of(0xc5, 0x01, plain[2], 3);
		if (plain[0] === 0xc3 && plain[1] === 1 && context.conformance & ACTION) return this.#act(plain, association);
		return NOTHING;
	}

	#release(apdu: Buffer): Answer {
		// A ciphered context requires a ciphered initiate request.
		if (this.#association?.isCiphered && !apdu.includes(0xbe)) return exception(NOT_ALLOWED, NOT_POSSIBLE);
		this.reset();
		this.#isOccupied = false;
		this.#report(RELEASED);
		return Buffer.from("6303800100", "hex");
	}

	#associate(apdu: Buffer, client: number): Answer {
		this.reset();
		const aarq = ACSE.readAARQ(apdu);
		if (aarq === undefined) return this.#refuse(ACSE.CONTEXT_PLAIN, ACSE.DIAGNOSTIC_NONE + 1);
		const [result, source, diagnostic] = this.#options.faults.refusal ?? [];
		if (result !== undefined) return this.#refuse(aarq.context, diagnostic!, { result, source: source! });
		if (this.#options.faults.shortNames !== undefined) return this.#answerShort(this.#options.faults.shortNames);
		if (this.#options.faults.hls !== undefined && client === this.#options.gmacClient)
			return this.#answerHLS(aarq, this.#options.faults.hls);
		if (this.#isOccupied)
			return this.#refuse(aarq.context, ACSE.DIAGNOSTIC_NONE + 1, { result: ACSE.REJECTED_FOR_NOW });
		const refusal = this.#diagnosticOf(aarq, client);
		if (refusal !== ACSE.DIAGNOSTIC_NONE) return this.#refuse(aarq.context, refusal);
		const clientTitle = aarq.title ?? Buffer.alloc(TITLE_BYTES);
		let initiate = aarq.userInformation;
		let openedAt = this.#security.counter;
		if (aarq.context === ACSE.CONTEXT_CIPHERED) {
			const ciphered = initiate[0] === 0x21 ? initiate.subarray(2) : NOTHING;
			const refuse = () => this.#refuse(aarq.context, ACSE.DIAGNOSTIC_FAILED);
			const opened = this.#security.open(this.#options.keys, clientTitle, ciphered, refuse);
			if ("answer" in opened) return opened.answer;
			initiate = opened.plain;
			openedAt = opened.counter;
		}
		const wanted = ACSE.readInitiate(initiate);
		const reason = this.#options.faults.initiateError ?? initiateError(wanted, this.#options.conformance);
		if (wanted === undefined || reason !== 0) return this.#refuseInitiate(aarq.context, reason);
		return this.#accept(aarq, wanted, { client, clientTitle, openedAt });
	}

	#answerShort(how: "refuse" | "accept"): Buffer {
		this.#report(how === "refuse" ? ASSOCIATION_REFUSED : ASSOCIATED);
		const common = { context: ACSE.CONTEXT_SHORT, source: ACSE.SOURCE_USER };
		if (how === "refuse")
			return ACSE.writeAARE({ ...common, result: ACSE.REJECTED, diagnostic: ACSE.DIAGNOSTIC_CONTEXT });
		return ACSE.writeAARE({
			...common,
			result: ACSE.ACCEPTED,
			diagnostic: ACSE.DIAGNOSTIC_NONE,
			userInformation: ACSE.writeInitiateResponse(SHORT_SERVICES, this.#options.pdu, ACSE.NAME_SHORT),
		});
	}

	/** Challenges the client. Its proof is not verified. */
	#answerHLS({ context, mechanism }: ACSE.AARQ, hls: NonNullable<ServerFaults["hls"]>): Buffer {
		this.#report(hls.accepts ? ASSOCIATED : ASSOCIATION_REFUSED);
		const refused = mechanism === ACSE.MECHANISM_NONE ? ACSE.DIAGNOSTIC_MECHANISM_REQUIRED : ACSE.DIAGNOSTIC_MECHANISM;
		const response = ACSE.writeInitiateResponse(this.#options.conformance, this.#options.pdu);
		return ACSE.writeAARE({
			context,
			result: hls.accepts ? ACSE.ACCEPTED : ACSE.REJECTED,
			source: ACSE.SOURCE_USER,
			diagnostic: hls.accepts ? ACSE.DIAGNOSTIC_REQUIRED : refused,
			title: this.#options.title,
			...(hls.isNamed ? { mechanism: hls.mechanism } : {}),
			...(hls.accepts ? { challenge: randomBytes(CHALLENGE_BYTES), userInformation: response } : {}),
		});
	}

	#diagnosticOf({ context, mechanism, title, secret }: ACSE.AARQ, client: number): number {
		const { encryption, publicClient, lowClient, password, bySHA256 } = this.#options;
		const high = bySHA256 ? ACSE.MECHANISM_SHA256 : ACSE.MECHANISM_GMAC;
		const isCiphered = context === ACSE.CONTEXT_CIPHERED;
		if (!isCiphered && context !== ACSE.CONTEXT_PLAIN) return ACSE.DIAGNOSTIC_CONTEXT;
		if (isCiphered && encryption === "off") return ACSE.DIAGNOSTIC_CONTEXT;
		if (!isCiphered && encryption === "required" && client !== publicClient) return ACSE.DIAGNOSTIC_CONTEXT;
		const own = client === publicClient ? ACSE.MECHANISM_NONE : client === lowClient ? ACSE.MECHANISM_LOW : high;
		if (mechanism !== own) {
			return mechanism === ACSE.MECHANISM_NONE ? ACSE.DIAGNOSTIC_MECHANISM_REQUIRED : ACSE.DIAGNOSTIC_MECHANISM;
		}
		if (own === ACSE.MECHANISM_LOW && !secret.equals(password)) return ACSE.DIAGNOSTIC_FAILED;
		const needsTitle = isCiphered || own === high;
		if (needsTitle && title?.length !== TITLE_BYTES) return ACSE.DIAGNOSTIC_TITLE;
		if (own === high && (secret.length < 8 || secret.length > 64)) return ACSE.DIAGNOSTIC_FAILED;
		return ACSE.DIAGNOSTIC_NONE;
	}

	#refuse(context: number, diagnostic: number, how: { result?: number; source?: number } = {}): Buffer {
		this.#report(ASSOCIATION_REFUSED);
		return ACSE.writeAARE({
			context: context === ACSE.CONTEXT_CIPHERED ? context : ACSE.CONTEXT_PLAIN,
			result: ACSE.REJECTED,
			source: ACSE.SOURCE_USER,
			diagnostic,
			...how,
			...(this.#options.faults.bareRefusal ? {} : { userInformation: ACSE.writeInitiateError(REFUSED) }),
		});
	}

	#refuseInitiate(context: number, reason: number): Buffer {
		this.#report(ASSOCIATION_REFUSED);
		return ACSE.writeAARE({
			context,
			result: ACSE.REJECTED,
			source: ACSE.SOURCE_USER,
			diagnostic: ACSE.DIAGNOSTIC_NONE + 1,
			userInformation: ACSE.writeInitiateError(reason),
		});
	}

	#accept(
		aarq: ACSE.AARQ,
		wanted: ACSE.Initiate,
		from: { client: number; clientTitle: Buffer; openedAt: number },
	): Buffer {
		const options = this.#options;
		const isCiphered = aarq.context === ACSE.CONTEXT_CIPHERED;
		const isHigh = aarq.mechanism >= ACSE.MECHANISM_GMAC;
		this.#isOccupied = options.keepsAssociation === true;
		const conformance = wanted.conformance & options.conformance;
		const ownChallenge = isHigh ? randomBytes(CHALLENGE_BYTES) : NOTHING;
		const { dedicatedKey } = wanted;
		this.#association = {
			...from,
			isCiphered,
			isAuthenticated: !isHigh,
			challenge: aarq.secret,
			ownChallenge,
			requests: 0,
			context: {
				client: from.client,
				conformance,
				limit: Math.min(wanted.pdu || 0xffff, options.pdu),
				context: aarq.context,
				mechanism: aarq.mechanism,
				title: options.title,
				clientTitle: from.clientTitle,
				...(options.publicLimited && from.client === options.publicClient ? { mayRead: isPublic } : {}),
			},
			...(dedicatedKey?.length === KEY_BYTES ? { dedicated: { ...options.keys, encryption: dedicatedKey } } : {}),
		};
		this.#report(ASSOCIATED);
		const response = ACSE.writeInitiateResponse(conformance, options.pdu);
		return ACSE.writeAARE({
			context: aarq.context,
			result: ACSE.ACCEPTED,
			source: ACSE.SOURCE_USER,
			diagnostic: isHigh ? ACSE.DIAGNOSTIC_REQUIRED : ACSE.DIAGNOSTIC_NONE,
			...(isCiphered || isHigh ? { title: options.title } : {}),
			...(isHigh ? { mechanism: aarq.mechanism, challenge: ownChallenge } : {}),
			userInformation: isCiphered ? this.#security.cipher(0x28, options.keys, options.security, response) : response,
		});
	}

	/** Answers an ACTION. Only reply_to_HLS_authentication of the association is supported. */
	#act(plain: Buffer, association: Association): Buffer {
		const head = Buffer.of(0xc7, 0x01, plain[2]);
		const code = [...plain.subarray(5, 11)].join(".");
		const { actionResult, wrongAnswer } = this.#options.faults;
		const isOurs = plain.length > 11 && plain.readUInt16BE(3) === 15 && code === ASSOCIATION_CODE && plain[11] === 1;
		if (!isOurs) return Buffer.concat([head, Buffer.of(association.isAuthenticated ? 4 : 3, 0)]);
		const { keys, bySHA256, faults } = this.#options;
		if (bySHA256) return this.#actSHA256(plain, association, head);
		const value = plain.subarray(15);
		const counter = value.length === 17 ? value.readUInt32BE(1) : 0;
		const origin = { title: association.clientTitle, counter };
		const isRight =
			!association.isAuthenticated &&
			plain.subarray(12, 15).equals(Buffer.of(1, 0x09, 17)) &&
			counter > association.openedAt &&
			(!faults.strictSuite || (value[0] & 0x0f) === (faults.suite ?? 0)) &&
			answerChallenge(keys, origin, association.ownChallenge, (value[0] ?? 0) & 0x0f).equals(value);
		if (!isRight || actionResult !== undefined) {
			return this.#refuseProof(head);
		}
		association.isAuthenticated = true;
		this.#security.counter = Math.max(this.#security.counter, counter);
		this.#report(AUTHENTICATED);
		const answer = this.#security.answerChallenge(association.challenge);
		if (wrongAnswer) answer[16] ^= 0xff;
		return Buffer.concat([head, Buffer.of(0, 1, 0), octets(answer)]);
	}

	#actSHA256(plain: Buffer, association: Association, head: Buffer): Buffer {
		const { password, title, faults } = this.#options;
		const { clientTitle, challenge, ownChallenge, isAuthenticated } = association;
		const expected = digestOf(password, [clientTitle, title], [ownChallenge, challenge]);
		const isRight = !isAuthenticated && plain.subarray(12).equals(Buffer.concat([Buffer.of(1), octets(expected)]));
		if (!isRight || faults.actionResult !== undefined) return this.#refuseProof(head);
		association.isAuthenticated = true;
		this.#report(AUTHENTICATED);
		const answer = digestOf(password, [title, clientTitle], [challenge, ownChallenge]);
		if (faults.wrongAnswer) answer[31] ^= 0xff;
		return Buffer.concat([head, Buffer.of(0, 1, 0), octets(answer)]);
	}

	#refuseProof(head: Buffer): Buffer {
		this.reset();
		this.#report(AUTHENTICATION_FAILED);
		return Buffer.concat([head, Buffer.of(this.#options.faults.actionResult ?? 3, 0)]);
	}
}

const NOTHING = Buffer.alloc(0);

function isPublic({ classId, code }: COSEMObject): boolean {
	return PUBLIC_CLASSES.includes(classId) || PUBLIC_CODES.includes(code);
}

function initiateError(wanted: ACSE.Initiate | undefined, conformance: number): number {
	if (wanted === undefined) return INCOMPATIBLE;
	if (wanted.version < DLMS_VERSION) return VERSION_TOO_LOW;
	if (wanted.pdu !== 0 && wanted.pdu < SMALLEST_PDU) return PDU_TOO_SHORT;
	return (wanted.conformance & conformance & GET) === 0 ? INCOMPATIBLE : 0;
}

/**
 * Reads the last records of a load profile. A few meters have the profile in their readout. Others send it in
 * programming mode, when `P.01` is read with a start time:
 *
 *     readout      the only step if it has the profile; otherwise its clock (0.9.1, 0.9.2) is used below
 *     sign-on      `ACK 0 Z 1`, answered by `SOH P0 STX (…) ETX BCC`
 *     password     `SOH P1 STX (…) ETX BCC` if configured; refused if the answer is missing or not ACK
 *     clock        `R5 0.9.2()`, `R5 0.9.1()`, if the readout had no clock
 *     profile      `R5 P.01(sYYMMDDhhmm;)`, then other forms if the meter refuses that one (FORMS)
 *     break        `B0`
 *
 * `s` is 0 in winter, 1 in summer. The answer has the same form as a profile in a readout (parts/meter/routes/profile.ts): a
 * header with time, status, period in minutes, codes and units, then lines of values. IEC 62056-21:2002, 6.3.4, 6.4.3
 * and 6.5. The contents of P.01 and the time before `;` are defined in VDEW "Lastenheft Elektronische Lastgangzähler"
 * 2.1.2. After EOT an ACK requests the next part.
 *
 * A password that was not accepted is not sent again in the same request, because meters lock after a few wrong ones.
 *
 * If the client asks for a span of time, there is no readout first, and the request has both ends of the span:
 * `P.01(sYYMMDDhhmm;sYYMMDDhhmm)`.
 *
 * Otherwise the requested range begins at the meter's time minus the wanted number of periods. A period is assumed to
 * be 15 minutes. If the header states a longer period, or the answer is too long, the request is repeated.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { NO_BYTES } from "../io/machine.js";
import { GROUP_PROFILE } from "../obis/code.js";
import type { Failure } from "../readout/failure.js";
import {
	EVENT_END,
	type ProfileMoment,
	type ProfileRequest,
	type ProfileSpan,
	type ReadSession,
	type SessionContext,
} from "../readout/protocol.js";
import type { Readout } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { daysOf, digitsOf } from "../time/date.js";
import { ACK, NAK } from "./acknowledge.js";
import { Attempts } from "./attempts.js";
import { PART_FIRST, PART_NEXT } from "./block.js";
import {
	IEC_BROKEN_OFF,
	IEC_NO_ANSWER,
	IEC_NO_CLOCK,
	IEC_NO_PROFILE,
	IEC_NO_PROGRAMMING,
	IEC_PASSWORD_REFUSED,
	IEC_PASSWORD_SILENCE,
} from "./failures.js";
import { MODE_C } from "./ident.js";
import { IECReadSession, type IECSettings } from "./protocol.js";
import { HAND_OVER_NEVER, OUTCOME_BLOCK } from "./session.js";

const SOH = 0x01;
const STX = 0x02;
const ETX = 0x03;
const DIGIT_0 = 0x30;
const PARENTHESIS_OPEN = 0x28;
const LETTER_E = 0x45;
const LETTER_P = 0x50;
const LETTER_R = 0x52;

/** Digit after `R` in each form of the request. After a refusal, the next form is tried. */
const FORMS = "5565";
/** Index of the form that has no season digit before the time. */
const FORM_BARE = 1;
/** Index of the form that assumes a period of a day, because the meter had no record for the last quarter hours. */
const FORM_DAYS = 3;
/** Maximum number of repetitions after NAKs, and maximum number of repetitions with a better period. */
const REPEATS = 2;
/** Maximum number of sessions in programming mode; more would take longer than a client waits. */
const TRIES = 3;

const STEP_DEMAND = 0;
const STEP_PASSWORD = 1;
const STEP_ROWS = 2;

const PASSWORD_AT = 5;
const HIDDEN = 0x2a;

/** Values of group E of the codes 0.9.1 and 0.9.2. */
const CLOCK_TIME = 1;
const CLOCK_DATE = 2;
const SEASON_UNKNOWN = -1;
const YEAR_2000 = 2000 * 12;
const DAY_S = 86_400;
const HOUR_S = 3600;
const QUARTER_S = 900;

/** State that all sessions of a profile request share. */
class ProfileQuestions {
	/** Group D of the profile's code: 1 for P.01. */
	readonly #number: number;
	readonly #entries: number;
	readonly #span: ProfileSpan | undefined;
	/** Date of the meter's clock, as s since 1970; NaN if unknown. */
	#dateS = Number.NaN;
	/** Time of the meter's clock, s since midnight; NaN if unknown. */
	#timeS = Number.NaN;
	#season = SEASON_UNKNOWN;
	#periodS = QUARTER_S;
	/** Additional time to request, s. If the season is unknown, the meter's clock may be an hour ahead. */
	#marginS = 0;
	/** Period stated in the header, s; 0: none. */
	#statedS = 0;
	#form = 0;
	#repeats = REPEATS;
	tries = TRIES;

	constructor({ code, entries, span }: ProfileRequest) {
		this.#number = code[3];
		this.#entries = entries;
		this.#span = span;
	}

	/** Group E of the part of the clock to request next; 0 if date and time are known. */
	get clock(): number {
		if (Number.isNaN(this.#dateS)) return CLOCK_DATE;
		return Number.isNaN(this.#timeS) ? CLOCK_TIME : 0;
	}

	/** Returns true if the records contain the profile; otherwise takes the clock from them. */
	look(records: Uint8Array): boolean {
		const cursor = new RecordCursor(records);
		const asked = this.clock;
		while (cursor.nextRecord()) {
			if (cursor.isRow || !cursor.nextValue()) continue;
			const { c, d, e } = cursor.code;
			if (c === GROUP_PROFILE && d === this.#number) {
				// Some meters send ERROR instead of a time.
				const isError = cursor.text[0] === LETTER_E;
				if (isError || !cursor.nextValue() || !cursor.nextValue()) continue;
				this.#statedS = 60 * digitsIn(cursor.text, cursor.length);
				return true;
			}
			if (c === 0 && d === 9) this.takeClock(cursor, e);
			else if (cursor.addressLength === 0) this.takeClock(cursor, asked);
		}
		return false;
	}

	/**
	 * Examines an answer. Returns true if the profile is complete, false if `put()` has another request, or the failure.
	 */
	take(records: Uint8Array, overflow: boolean): boolean | Failure {
		const asked = this.clock;
		const isThere = this.look(records);
		if (asked > 0) return this.clock !== asked ? false : this.refused();
		if (!isThere) return this.refused();
		if (this.#span !== undefined) return true;
		const isShort = overflow && (this.#marginS > 0 || (this.#statedS > 0 && this.#statedS < this.#periodS));
		if (!(isShort || this.#statedS > this.#periodS) || this.#repeats === 0) return true;
		this.#repeats--;
		if (this.#statedS > 0) this.#periodS = this.#statedS;
		if (overflow) this.#marginS = 0;
		return false;
	}

	/** Call it after a refusal. Returns false if `put()` has another form to try. */
	refused(): false | Failure {
		const span = this.#span;
		if (this.clock > 0) {
			if (span === undefined) return IEC_NO_CLOCK;
			this.#dateS = this.#timeS = 0;
			return false;
		}
		this.#form++;
		if (this.#form === FORM_DAYS) this.#periodS = DAY_S;
		return this.#form < (span === undefined ? FORMS.length : FORM_DAYS) ? false : IEC_NO_PROFILE;
	}

	put(into: Uint8Array): number {
		const { clock } = this;
		into[0] = SOH;
		into[1] = LETTER_R;
		into[2] = FORMS.charCodeAt(this.#form);
		into[3] = STX;
		let to = 4;
		if (clock > 0) {
			into.set(asciiBytes("0.9."), to);
			to += 4;
			into[to++] = DIGIT_0 + clock;
			into[to++] = PARENTHESIS_OPEN;
		} else {
			const span = this.#span;
			const localS = this.#dateS + this.#timeS - this.#entries * this.#periodS - this.#marginS + 60;
			const season = this.#season === SEASON_UNKNOWN ? 0 : this.#season;
			into[to++] = LETTER_P;
			into[to++] = 0x2e;
			to = putDigits(into, to, this.#number, this.#number < 100 ? 2 : 3);
			into[to++] = PARENTHESIS_OPEN;
			to = this.putMoment(into, to, span?.from ?? { localS, season });
			into[to++] = 0x3b;
			if (span !== undefined) to = this.putMoment(into, to, span.to);
		}
		return endCommand(into, to);
	}

	private putMoment(into: Uint8Array, at: number, { localS, season }: Omit<ProfileMoment, "utcS">): number {
		let to = at;
		if (this.#form !== FORM_BARE) into[to++] = DIGIT_0 + season;
		const days = Math.floor(localS / DAY_S);
		const minutes = Math.floor((localS - days * DAY_S) / 60);
		to = putDigits(into, to, digitsOf(days), 6);
		return putDigits(into, to, Math.floor(minutes / 60) * 100 + (minutes % 60), 4);
	}

	private takeClock({ text, length }: RecordCursor, part: number): void {
		const digits = new Uint8Array(length);
		let count = 0;
		for (let i = 0; i < length; i++) {
			const digit = text[i] - DIGIT_0;
			if (digit >= 0 && digit <= 9) digits[count++] = digit;
		}
		const hasSeason = count % 2;
		const pair = (at: number) => digits[at] * 10 + digits[at + 1];
		if (part === CLOCK_TIME && count >= 4 && count <= 7)
			this.#timeS = pair(hasSeason) * HOUR_S + pair(hasSeason + 2) * 60;
		else if (part === CLOCK_DATE && count >= 6 && count <= 9) {
			const at = count - 6;
			this.#dateS = daysOf(YEAR_2000 + pair(at) * 12 + pair(at + 2) - 1, pair(at + 4)) * DAY_S;
		} else return;
		if (hasSeason) this.#season = digits[0];
		if (this.#span !== undefined) {
			this.#span.clockS = this.#dateS + this.#timeS;
			this.#span.clockSeason = this.#season;
		}
		this.#marginS = this.#season === SEASON_UNKNOWN ? HOUR_S : 0;
	}
}

class ReadoutFirst extends IECReadSession {
	readonly #questions: ProfileQuestions;
	#isInVain = false;

	constructor(context: SessionContext<IECSettings>, attempts: Attempts, questions: ProfileQuestions) {
		super(context, attempts);
		this.#questions = questions;
	}

	override readout(event: number, utcMs: number): Readout | undefined {
		const readout = super.readout(event, utcMs);
		const isWhole = event === EVENT_END && this.outcome === OUTCOME_BLOCK;
		if (readout === undefined || !isWhole || this.mode !== MODE_C) return readout;
		this.#isInVain = !this.#questions.look(readout.records);
		return this.#isInVain ? undefined : readout;
	}

	override next(quietMs: number, nowMs: number): ReadSession | undefined {
		const again = super.next(quietMs, nowMs);
		if (!this.#isInVain) return again;
		const context = { ...this.context, quietMs, nowMs };
		return new ProgrammingMode(context, new Attempts(context), this.#questions);
	}

	protected override another(context: SessionContext<IECSettings>, attempts: Attempts): ReadSession {
		return new ReadoutFirst(context, attempts, this.#questions);
	}
}

class ProgrammingMode extends IECReadSession {
	readonly #questions: ProfileQuestions;
	#step = STEP_DEMAND;
	#refusals = 0;

	constructor(context: SessionContext<IECSettings>, attempts: Attempts, questions: ProfileQuestions) {
		super(context, attempts, HAND_OVER_NEVER, true);
		this.#questions = questions;
	}

	override next(quietMs: number, nowMs: number): ReadSession | undefined {
		const next = super.next(quietMs, nowMs);
		this.#questions.tries--;
		const isOver = this.failure?.isFinal || this.#step === STEP_PASSWORD || this.#questions.tries === 0;
		return isOver ? undefined : next;
	}

	/** Returns the bytes for the log, without the password and its BCC, even in a late or incomplete echo. */
	shown(_direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
		if (this.#step !== STEP_PASSWORD) return bytes;
		const secret = this.message.subarray(PASSWORD_AT, PASSWORD_AT + this.context.settings.password.length + 3);
		const copy = bytes.slice(0, end);
		for (let i = start; i < end; i++) if (secret.includes(copy[i])) copy[i] = HIDDEN;
		return copy;
	}

	protected override another(context: SessionContext<IECSettings>, attempts: Attempts): ReadSession {
		return new ProgrammingMode(context, attempts, this.#questions);
	}

	protected override get noBlock(): Failure {
		if (this.#step === STEP_PASSWORD) return IEC_PASSWORD_SILENCE;
		return this.#step === STEP_ROWS ? IEC_NO_ANSWER : IEC_NO_PROGRAMMING;
	}

	protected override receiveBlock(bytes: Uint8Array, start: number, end: number, nowMs: number): number {
		const step = this.#step;
		const yes = step === STEP_PASSWORD ? ACK : NAK;
		let i = start;
		while (i < end && bytes[i] > STX && bytes[i] !== NAK && bytes[i] !== yes) i++;
		const isTold = i < end && bytes[i] > STX;
		if (!isTold || step === STEP_DEMAND || this.block.started) return super.receiveBlock(bytes, start, end, nowMs);
		if (step === STEP_PASSWORD) {
			if (bytes[i] === ACK) this.enter(nowMs);
			else this.fail(IEC_PASSWORD_REFUSED);
		} else if (this.#refusals++ < REPEATS) this.ask(this.#questions.put(this.message), PART_FIRST, nowMs);
		else this.goOn(this.#questions.refused(), nowMs);
		return end;
	}

	protected override answered(nowMs: number): void {
		const { block, parser } = this;
		const { records, settings } = this.context;
		const step = this.#step;
		if (block.programming && parser.values === 0) {
			if (step === STEP_PASSWORD) this.fail(IEC_PASSWORD_REFUSED);
			else this.fail(step === STEP_ROWS ? IEC_BROKEN_OFF : IEC_NO_PROGRAMMING);
		} else if (step === STEP_DEMAND) {
			if (!block.programming) this.fail(IEC_NO_PROGRAMMING);
			else if (settings.password.length === 0) this.enter(nowMs);
			else {
				this.#step = STEP_PASSWORD;
				this.ask(putPassword(this.message, settings.password), PART_FIRST, nowMs);
			}
		} else if (block.programming) {
			// The echo of the command is skipped.
			this.expectBlock(nowMs, true);
		} else if (step === STEP_PASSWORD) {
			this.fail(IEC_PASSWORD_REFUSED);
		} else if (block.more) {
			this.message[0] = ACK;
			this.ask(1, PART_NEXT, nowMs);
		} else {
			parser.endBlock(true);
			this.goOn(this.#questions.take(records.kept ?? NO_BYTES, records.overflow), nowMs);
		}
	}

	private enter(nowMs: number): void {
		this.#step = STEP_ROWS;
		this.goOn(false, nowMs);
	}

	private goOn(outcome: boolean | Failure, nowMs: number): void {
		if (outcome === true) this.end(OUTCOME_BLOCK);
		else if (outcome !== false) this.fail(outcome);
		else {
			this.#refusals = 0;
			this.ask(this.#questions.put(this.message), PART_FIRST, nowMs);
		}
	}
}

/** Returns the number in the text, or 0 if it has a character that is not a digit. */
function digitsIn(text: Uint8Array, length: number): number {
	let number = 0;
	for (let i = 0; i < length; i++) {
		const digit = text[i] - DIGIT_0;
		if (digit < 0 || digit > 9) return 0;
		number = number * 10 + digit;
	}
	return number;
}

function putPassword(into: Uint8Array, password: Uint8Array): number {
	into[0] = SOH;
	into[1] = LETTER_P;
	into[2] = DIGIT_0 + 1;
	into[3] = STX;
	into[4] = PARENTHESIS_OPEN;
	into.set(password, PASSWORD_AT);
	return endCommand(into, PASSWORD_AT + password.length);
}

function endCommand(into: Uint8Array, at: number): number {
	into[at] = 0x29;
	into[at + 1] = ETX;
	let check = 0;
	for (let i = 1; i < at + 2; i++) check ^= into[i];
	into[at + 2] = check;
	return at + 3;
}

function putDigits(into: Uint8Array, at: number, number: number, count: number): number {
	let rest = number;
	for (let i = at + count - 1; i >= at; i--) {
		into[i] = DIGIT_0 + (rest % 10);
		rest = Math.floor(rest / 10);
	}
	return at + count;
}

/**
 * Opens a readout, and then programming mode if the profile is missing. For a span of time, programming mode is the
 * only step.
 */
export function openProfile(context: SessionContext<IECSettings>, profile: ProfileRequest): ReadSession {
	const questions = new ProfileQuestions(profile);
	if (profile.span !== undefined) return new ProgrammingMode(context, new Attempts(context), questions);
	return new ReadoutFirst(context, new Attempts(context), questions);
}

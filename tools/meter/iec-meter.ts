/**
 * The meter's side of IEC 62056-21 (2002): messages (6.3), modes A to D (6.4), and the sign-on of mode E. It shares no
 * code with the gateway's reader, so that each checks the other.
 *
 *   sign-on   <- `/ ? [address] ! CR LF`          at 300 Bd
 *   answer    -> identification, after tr
 *   mode A       the block follows immediately, at 300 Bd
 *   mode B       the block follows after tr, at the rate of Z
 *   mode C    <- `ACK 0 Z Y CR LF` within 1.5 s: with Y=0 the block follows at the rate of Z, with Y=1 programming
 *                mode; without a valid acknowledgement the block follows at 300 Bd
 *   then      <- NAK within 1.5 s: the meter repeats the block; after ACK or silence it returns to 300 Bd
 *   mode E    <- `ACK 2 Z 2`: the meter repeats it at the new rate, then HDLC uses the line
 *   programming  the answers are those of iec-programming.ts, until `SOH B0 ETX BCC` or INACTIVITY_MS
 *   mode D    -> the whole transmission, unsolicited and repeated, at a fixed rate
 *
 * A meter does not listen while it sends. With `clocked`, characters take time on the line; otherwise (on a
 * pseudo-terminal) an answer is sent in no time.
 */
import { SeededRandom } from "../../hosts/node/random.js";
import { BITS_PER_CHARACTER } from "../../hosts/node/wire-character.js";
import { FORMAT_7E1 } from "../../modules/io/host.js";
import type { Machine, Output } from "../../modules/io/machine.js";
import { damage, type MeterFaults, noiseBytes, shapeMessage } from "./faults.js";
import { baudCharacterFor } from "./household.js";
import { type Answer, ProgrammingMode, readCommand } from "./iec-programming.js";
import { eventOf, lineChange, noOutput, transmission } from "./outputs.js";
import { COMPLETE, isBreak, MeterRequest, readAcknowledge, readHandOver, readSignOn, sameAddress } from "./request.js";
import {
	ACK,
	answersQuickly,
	baudCharacter,
	CR,
	LF,
	type MeterMode,
	modeOf,
	NAK,
	promisedBaud,
	SOH,
	STX,
	type Telegram,
} from "./telegram.js";
import { WakeUp } from "./wake-up.js";

export const OPENING_BAUD = 300;
/** Speed of mode D according to the standard, Bd. Most meters use 9600 Bd. */
export const PUSH_BAUD = 2400;
export const REACTION_MS = 200;
export const QUICK_REACTION_MS = 20;
/** Longest wait for an acknowledgement, and for a request to repeat the block: the longest tr. */
export const WAIT_MS = 1500;
/** Silence that ends programming mode. The standard permits 60 to 120 s. */
export const INACTIVITY_MS = 60_000;

export const METER_SIGNED_ON = 1;
/** Event: the sign-on was for another meter, or the meter sleeps. */
export const METER_REFUSED = 2;
export const METER_ACKNOWLEDGED = 3;
/** Event: no known acknowledgement arrived, so the meter sends the default readout at 300 Bd. */
export const METER_DEFAULT = 4;
/** Event: the acknowledged speed was announced but does not work. The meter is silent. */
export const METER_DEAD = 5;
export const METER_BLOCK = 6;
export const METER_REPEAT = 7;
export const METER_PROGRAMMING = 8;
export const METER_ENDED = 9;
export const METER_PUSH = 10;
/** Event: HDLC uses the line until `takeBack`. */
export const METER_HANDED_OVER = 11;

export interface IECMeterOptions {
	source: (nowMs: number) => Telegram;
	/** Default: the mode of the source's first telegram. */
	mode?: MeterMode;
	/**
	 * Device address: up to 32 characters of 0-9 A-Z a-z and blank. A meter without an address answers only the general
	 * sign-on. A text with a leading `/` is the only sign-on that the meter answers, up to its `!`.
	 */
	address?: string;
	battery?: boolean;
	/** Speed of mode D, Bd. Default: 2400. */
	pushBaud?: number;
	/**
	 * Interval between the starts of two pushes. If a push takes longer, the next one follows immediately. Default: 3000.
	 */
	pushMs?: number;
	/** Reaction time tr. Default: 200 ms, or 20 ms if the third letter of the maker is lower case. */
	reactionMs?: number;
	/**
	 * If given, the meter accepts `ACK 2 Z 2` and is then silent until `takeBack`. With `only` it refuses mode C. If
	 * omitted, it refuses mode E.
	 */
	handOver?: "both" | "only";
	/** True if the meter repeats the acknowledgement of mode E at the new speed. Default: true. */
	confirmsHandOver?: boolean;
	/** True if characters take time on the line. Default: true. */
	clocked?: boolean;
	/** Programming mode. By default all commands are refused. */
	programming?: ProgrammingMode;
	faults?: MeterFaults;
	seed?: number;
}

const IDLE = 0;
const IDENT_DUE = 1;
const AWAITS_ACKNOWLEDGE = 2;
const BLOCK_DUE = 3;
const KEEPS_BLOCK = 4;
const PROGRAMMING_DUE = 5;
const PROGRAMMING = 6;
const PUSHES = 7;
const HAND_OVER_DUE = 8;
const HANDED_OVER = 9;

export class IECMeter implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly mode: MeterMode;
	readonly #options: IECMeterOptions;
	readonly #faults: MeterFaults;
	readonly #random: SeededRandom;
	readonly #request = new MeterRequest();
	readonly #wakeUp: WakeUp | undefined;
	readonly #programming: ProgrammingMode;
	#answer: Answer | undefined;
	readonly #outputs: Output[] = [];
	#telegram: Telegram;
	#state = IDLE;
	#baud = 0;
	#quietMs = 0;
	#isRepeated = false;
	#silence: number;
	#wrongBCC: number;

	constructor(options: IECMeterOptions) {
		this.#options = options;
		this.#faults = options.faults ?? {};
		this.#random = new SeededRandom(options.seed ?? 1);
		this.#silence = this.#faults.silence ?? 0;
		this.#wrongBCC = this.#faults.wrongBCC ?? 0;
		this.#programming = options.programming ?? new ProgrammingMode({}, (nowMs) => nowMs);
		this.#telegram = options.source(0);
		this.mode = options.mode ?? modeOf(this.#telegram);
		if (options.battery) this.#wakeUp = new WakeUp();
		this.#changeLine(this.mode === "D" ? (options.pushBaud ?? PUSH_BAUD) : OPENING_BAUD);
		if (this.mode === "D") {
			this.#state = PUSHES;
			this.deadlineMs = 0;
		}
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.advance(nowMs);
		for (let i = start; i < end; i++) this.#take(bytes[i], nowMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		switch (this.#state) {
			case IDENT_DUE:
				this.#sendIdent(nowMs);
				break;
			case AWAITS_ACKNOWLEDGE:
				this.#report(METER_DEFAULT);
				this.#sendBlock(nowMs);
				break;
			case BLOCK_DUE:
				this.#sendBlock(nowMs);
				break;
			case PROGRAMMING_DUE:
				this.#sendAnswer(nowMs);
				break;
			case PUSHES:
				this.#push(nowMs);
				break;
			case HAND_OVER_DUE:
				this.#handOver(nowMs);
				break;
			default:
				this.#end();
		}
	}

	takeBack(): void {
		this.#end();
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}

	#take(character: number, nowMs: number): void {
		if (this.#state === PUSHES || nowMs < this.#quietMs) return;
		this.#wakeUp?.take(character, nowMs);
		const isComplete = this.#request.take(character, nowMs) === COMPLETE;
		switch (this.#state) {
			case IDLE:
				if (isComplete) this.#takeSignOn(nowMs);
				break;
			case AWAITS_ACKNOWLEDGE:
				// Each character of the acknowledgement extends the time for the remaining ones.
				if (this.#request.isAcknowledge) this.deadlineMs = nowMs + WAIT_MS;
				if (isComplete) this.#takeAnswer(nowMs);
				break;
			case KEEPS_BLOCK:
				if (character === NAK) this.#repeat(nowMs);
				else if (character === ACK) this.#end();
				else if (isComplete) this.#takeSignOn(nowMs);
				break;
			case PROGRAMMING:
				this.deadlineMs = nowMs + INACTIVITY_MS;
				if (isComplete || character === ACK || character === NAK) this.#takeCommand(character, isComplete, nowMs);
				break;
		}
	}

	#takeCommand(character: number, isComplete: boolean, nowMs: number): void {
		const { bytes, length } = this.#request;
		if (isComplete && isBreak(this.#request)) {
			this.#end();
			return;
		}
		if (isComplete && bytes[0] !== SOH) return;
		const command = isComplete ? readCommand(bytes.subarray(0, length)) : undefined;
		if (command !== undefined) this.#answer = this.#programming.take(command.command, command.data, nowMs);
		else if (isComplete) this.#answer = { bytes: Uint8Array.of(NAK) };
		else this.#answer = character === ACK ? this.#programming.more() : this.#programming.again();
		this.#enter(PROGRAMMING_DUE, nowMs + this.#reactionMs);
	}

	#sendAnswer(nowMs: number): void {
		if (this.#answer !== undefined) {
			const { cut = Number.POSITIVE_INFINITY } = this.#faults;
			const isData = this.#answer.bytes[0] === STX;
			this.#send(isData ? this.#answer.bytes.slice(0, cut) : this.#answer.bytes, nowMs);
		}
		if (this.#answer?.ends) this.#end();
		else this.#enter(PROGRAMMING, Math.max(nowMs, this.#quietMs) + INACTIVITY_MS);
	}

	#takeAnswer(nowMs: number): void {
		if (!this.#request.isAcknowledge) {
			if (isBreak(this.#request)) this.#end();
			else this.#takeSignOn(nowMs);
			return;
		}
		const promised = promisedBaud(baudCharacter(this.#telegram), "C") ?? OPENING_BAUD;
		const handOverBaud = this.#options.handOver === undefined ? undefined : readHandOver(this.#request);
		if (handOverBaud !== undefined && handOverBaud <= promised) {
			if (this.#isDead(handOverBaud)) return;
			this.#changeLine(handOverBaud);
			this.#enter(HAND_OVER_DUE, nowMs + this.#reactionMs);
			return;
		}
		if (this.#options.handOver === "only") {
			this.#report(METER_REFUSED);
			this.#end();
			return;
		}
		const wanted = readAcknowledge(this.#request);
		if (wanted === undefined || wanted.baud > promised) {
			this.#report(METER_DEFAULT);
			this.#enter(BLOCK_DUE, nowMs + this.#reactionMs);
			return;
		}
		if (this.#isDead(wanted.baud)) return;
		if (wanted.isProgramming) this.#answer = this.#programming.begin();
		this.#report(wanted.isProgramming ? METER_PROGRAMMING : METER_ACKNOWLEDGED);
		this.#changeLine(wanted.baud);
		this.#enter(wanted.isProgramming ? PROGRAMMING_DUE : BLOCK_DUE, nowMs + this.#reactionMs);
	}

	#isDead(baud: number): boolean {
		if (this.#faults.lieBaud === undefined || baud === this.#faults.lieBaud) return false;
		this.#report(METER_DEAD);
		this.#end();
		return true;
	}

	#handOver(nowMs: number): void {
		const z = baudCharacterFor(this.#baud, "C")!.charCodeAt(0);
		if (this.#options.confirmsHandOver !== false) this.#send(Uint8Array.of(ACK, 0x32, z, 0x32, CR, LF), nowMs);
		this.#report(METER_HANDED_OVER);
		this.#enter(HANDED_OVER, Number.POSITIVE_INFINITY);
	}

	#takeSignOn(nowMs: number): void {
		const address = readSignOn(this.#request);
		if (address === undefined) return;
		const { address: own = "" } = this.#options;
		const isOurs = own.startsWith("/") ? address === own : address === "" || sameAddress(address, own);
		if (!isOurs || this.#wakeUp?.isAwake(nowMs) === false || this.#silence > 0) {
			if (isOurs && this.#silence > 0) this.#silence--;
			this.#report(METER_REFUSED);
			return;
		}
		this.#report(METER_SIGNED_ON);
		this.#changeLine(OPENING_BAUD);
		this.#telegram = this.#options.source(nowMs);
		this.#isRepeated = false;
		this.#enter(IDENT_DUE, nowMs + this.#reactionMs);
	}

	#sendIdent(nowMs: number): void {
		const z = baudCharacter(this.#telegram);
		this.#send(Uint8Array.from([...noiseBytes(this.#faults.noise ?? 0), ...this.#telegram.opening]), nowMs);
		if (this.mode === "C") this.#enter(AWAITS_ACKNOWLEDGE, this.#quietMs + WAIT_MS);
		else if (this.mode === "A") this.#sendBlock(nowMs);
		else {
			this.#changeLine(this.#faults.lieBaud ?? promisedBaud(z, "B") ?? OPENING_BAUD);
			this.#enter(BLOCK_DUE, this.#quietMs + this.#reactionMs);
		}
	}

	#sendBlock(nowMs: number): void {
		const isSpoilt = this.#wrongBCC > 0;
		if (isSpoilt) this.#wrongBCC--;
		this.#report(METER_BLOCK);
		this.#send(shapeMessage(this.#telegram.message, this.#faults, this.#isRepeated, isSpoilt), nowMs);
		this.#enter(KEEPS_BLOCK, this.#quietMs + WAIT_MS);
	}

	#repeat(nowMs: number): void {
		this.#report(METER_REPEAT);
		this.#isRepeated = true;
		this.#enter(BLOCK_DUE, nowMs + this.#reactionMs);
	}

	#push(nowMs: number): void {
		this.#telegram = this.#options.source(nowMs);
		const { opening, message } = this.#telegram;
		const isSpoilt = this.#wrongBCC > 0;
		if (isSpoilt) this.#wrongBCC--;
		this.#report(METER_PUSH);
		const block = shapeMessage(message, this.#faults, false, isSpoilt);
		this.#send(Uint8Array.from([...noiseBytes(this.#faults.noise ?? 0), ...opening, ...block]), nowMs);
		this.deadlineMs = Math.max(nowMs + (this.#options.pushMs ?? 3000), this.#quietMs);
	}

	#end(): void {
		this.#report(METER_ENDED);
		this.#changeLine(OPENING_BAUD);
		this.#enter(IDLE, Number.POSITIVE_INFINITY);
	}

	#enter(state: number, deadlineMs: number): void {
		this.#state = state;
		this.deadlineMs = deadlineMs;
		this.#request.clear();
	}

	get #reactionMs(): number {
		const own = answersQuickly(this.#telegram) ? QUICK_REACTION_MS : REACTION_MS;
		return (this.#options.reactionMs ?? own) + (this.#faults.lateMs ?? 0);
	}

	#send(bytes: Uint8Array, nowMs: number): void {
		damage(bytes, this.#faults.damage ?? 0, this.#random);
		const characterMs = this.#options.clocked === false ? 0 : (BITS_PER_CHARACTER * 1000) / this.#baud;
		this.#quietMs = Math.max(nowMs, this.#quietMs) + bytes.length * characterMs;
		this.#outputs.push(transmission(bytes));
	}

	#changeLine(baud: number): void {
		if (baud === this.#baud) return;
		this.#baud = baud;
		this.#outputs.push(lineChange(baud, FORMAT_7E1));
	}

	#report(code: number): void {
		this.#outputs.push(eventOf(code));
	}
}

/**
 * One session with the slaves of an M-Bus (EN 13757-2, 5.7), from wake-up to the last telegram.
 *
 *     WAKING     wake-up sent: RESETTING
 *     RESETTING  reset sent: ASKING
 *     ASKING     frame, the same as the one before: ASKING for the next frame, RESETTING of the next slave, or the end
 *                another frame: ASKING for the same one, TRIES times in all
 *
 * Frames are protected by a sum of eight bits only, which lets one of 256 damaged ones through. So each frame is asked
 * for twice, with the same frame count bit, at which a slave repeats it (5.7.2). Many slaves send their present values
 * instead. Records that differ in the last two of TRIES receptions are left out, and the readout counts as truncated.
 *
 * The wake-up is that of optical ports: 2.2 s of 55, in 8N1. Slaves on wires ignore it.
 */
import { FORMAT_8E1, FORMAT_8N1 } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import type { Opening } from "../readout/protocol.js";
import { type RequestProtocol, RequestSession, TRIES } from "../readout/request-session.js";
import { MBUS_BROKEN, MBUS_LOST, MBUS_SILENCE, MBUS_UNREADABLE } from "./failures.js";
import { SlaveAnswer } from "./slave-answer.js";
import { identOf, isReadable, isSameData, isSameHeader, SlaveTelegram } from "./telegram.js";

const SND_NKE = 0x40;
const REQ_UD2 = 0x5b;
const FRAME_COUNT_BIT = 0x20;
const SHORT_START = 0x10;
const END = 0x16;
export const ANY_ADDRESS = 254;
const FRAMES_LIMIT = 32;

const WAKE_UP = 0x55;
const WAKE_UP_MS = 2200;
const WAKE_UP_BITS = 10;
const WAKE_UP_PAUSE_MS = 60;

const STEP_WAKING = 0;
const STEP_RESETTING = 1;
const STEP_ASKING = 2;

const PROTOCOL: RequestProtocol = Object.freeze({
	name: "M-Bus",
	silence: MBUS_SILENCE,
	broken: MBUS_BROKEN,
	lost: MBUS_LOST,
});

export interface Slaves {
	readonly baud: number;
	/** Primary address of the first slave, which those of the others follow; ANY_ADDRESS: a single slave. */
	readonly address: number;
	readonly count: number;
}

export class MBusSession extends RequestSession {
	readonly #address: number;
	readonly #slaves: number;
	readonly #answer = new SlaveAnswer();
	readonly #telegram: SlaveTelegram;
	#step: number;
	#slave = 0;
	#frames = 0;
	#countBit = 0;
	#previous = NO_BYTES;

	/** `identOnly`: one frame is enough, and its values are not needed. */
	constructor(opening: Opening<unknown>, slaves: Slaves, wakesUp: boolean, identOnly: boolean) {
		const { baud, address, count } = slaves;
		super(PROTOCOL, { baud, format: FORMAT_8E1 }, opening, identOnly);
		this.#address = address;
		this.#slaves = address === ANY_ADDRESS ? 1 : count;
		this.#telegram = new SlaveTelegram(opening.records);
		this.#step = wakesUp ? STEP_WAKING : STEP_RESETTING;
	}

	protected override ask(nowMs: number): void {
		const { baud } = this.line;
		let control = SND_NKE;
		if (this.#step === STEP_WAKING) {
			this.#step = STEP_RESETTING;
			this.outputs.line(baud, FORMAT_8N1);
			this.send(new Uint8Array((baud * WAKE_UP_MS) / (WAKE_UP_BITS * 1000)).fill(WAKE_UP), nowMs);
			this.deadlineMs = nowMs + WAKE_UP_MS + WAKE_UP_PAUSE_MS;
			return;
		}
		if (this.#step === STEP_RESETTING) {
			this.#step = STEP_ASKING;
			this.#frames = 0;
			this.#countBit = FRAME_COUNT_BIT;
			this.isAnswered = false;
			this.#telegram.begin(this.#slaves > 1 ? this.#slave + 1 : 0);
			this.outputs.line(baud, FORMAT_8E1);
		} else {
			this.tries++;
			control = REQ_UD2 | this.#countBit;
		}
		const address = this.#address + this.#slave;
		this.#answer.reset();
		this.send(Uint8Array.of(SHORT_START, control, address, control + address, END), nowMs);
	}

	protected override take(byte: number): boolean {
		const answer = this.#answer;
		return answer.take(byte) && this.#step === STEP_ASKING && answer.frame.length > 0 === this.tries > 0;
	}

	protected override proceed(nowMs: number): void {
		const { frame } = this.#answer;
		const previous = this.#previous;
		if (frame.length === 0) this.ask(nowMs);
		else if (this.identOnly) {
			this.meterId = identOf(frame);
			this.end(undefined);
		} else if (isSameHeader(frame, previous) && (this.tries === TRIES || isSameData(frame, previous))) {
			if (isReadable(frame)) this.write(frame, nowMs);
			else this.end(MBUS_UNREADABLE);
		} else if (this.tries === TRIES) this.abort(nowMs);
		else {
			this.#previous = frame;
			this.ask(nowMs);
		}
	}

	private write(frame: Uint8Array, nowMs: number): void {
		const telegram = this.#telegram;
		if (this.#slave === 0 && this.#frames === 0) this.meterId = identOf(frame);
		telegram.write(frame, this.#previous, this.#frames === 0);
		this.isCut ||= telegram.isCut;
		this.tries = 0;
		this.#previous = NO_BYTES;
		if (telegram.hasMore && ++this.#frames < FRAMES_LIMIT) {
			this.#countBit ^= FRAME_COUNT_BIT;
			this.ask(nowMs);
		} else if (++this.#slave < this.#slaves) {
			this.#step = STEP_RESETTING;
			this.ask(nowMs);
		} else this.end(undefined);
	}
}

/**
 * One session with the slaves of an M-Bus (EN 13757-2, 5.7), from wake-up to the last telegram.
 *
 *     state      event                           reaction
 *     WAKING     wake-up sent                    RESETTING
 *     RESETTING  reset sent                      ASKING
 *     ASKING     frame equal to the last one     ASKING for the next frame, RESETTING of the next slave, or the end
 *                frame unlike the last one       ASKING for the same frame again, TRIES times in all
 *
 * Only a sum of eight bits protects a frame, and one in 256 damaged frames passes this check. So each frame is
 * requested twice with the same frame count bit; this bit tells the slave to repeat its last frame (5.7.2). Many slaves
 * send their present values instead, so that the receptions differ. After TRIES receptions, the records that differ in
 * the last two are left out, and the readout counts as truncated.
 *
 * The wake-up is that of optical ports: bytes of 55 in 8N1, for 2.2 s. Slaves on wires ignore it.
 */
import { FORMAT_8E1, FORMAT_8N1 } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import type { Opening } from "../readout/protocol.js";
import { type RequestProtocol, RequestSession, TRIES } from "../readout/request-session.js";
import { MBUS_BROKEN, MBUS_LOST, MBUS_SILENCE, MBUS_UNREADABLE } from "./failures.js";
import { END, LinkFrames, SHORT_START, SND_NKE } from "./link-frames.js";
import { identOf, isReadable, isSameData, isSameHeader, SlaveTelegram } from "./telegram.js";

const REQ_UD2 = 0x5b;
const FRAME_COUNT_BIT = 0x20;
/** Control field of an answer with data, and the mask of its flags ACD and DFC. */
const RSP_UD = 0x08;
const RSP_UD_FLAGS = 0x30;
/** Length of the shortest answer with data, which has only the fields C, A and CI. */
const SHORTEST_ANSWER = 3;
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
	/**
	 * Primary address of the first slave. The addresses of the others follow it. ANY_ADDRESS: there is a single slave.
	 */
	readonly address: number;
	readonly count: number;
}

export class MBusSession extends RequestSession {
	readonly #address: number;
	readonly #slaves: number;
	readonly #frames = new LinkFrames();
	readonly #telegram: SlaveTelegram;
	#step: number;
	#slave = 0;
	/** Number of frames read from this slave so far. */
	#frameCount = 0;
	#countBit = 0;
	#previous = NO_BYTES;

	/** With `identOnly`, the session ends after one frame, and only the identification in it is used. */
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
			this.#frameCount = 0;
			this.#countBit = FRAME_COUNT_BIT;
			this.isAnswered = false;
			this.#telegram.begin(this.#slaves > 1 ? this.#slave + 1 : 0);
			this.outputs.line(baud, FORMAT_8E1);
		} else {
			this.tries++;
			control = REQ_UD2 | this.#countBit;
		}
		const address = this.#address + this.#slave;
		this.#frames.reset();
		this.send(Uint8Array.of(SHORT_START, control, address, control + address, END), nowMs);
	}

	/** The slave acknowledges a reset, and answers a request with a long frame. Short frames are echoes of requests. */
	protected override take(byte: number): boolean {
		const frames = this.#frames;
		if (!frames.take(byte) || this.#step !== STEP_ASKING) return false;
		const { frame } = frames;
		if (this.tries === 0) return frame.length === 0;
		return frame.length >= SHORTEST_ANSWER && (frame[0] & ~RSP_UD_FLAGS) === RSP_UD;
	}

	protected override proceed(nowMs: number): void {
		const { frame } = this.#frames;
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
		if (this.#slave === 0 && this.#frameCount === 0) this.meterId = identOf(frame);
		telegram.write(frame, this.#previous, this.#frameCount === 0);
		this.isCut ||= telegram.isCut;
		this.tries = 0;
		this.#previous = NO_BYTES;
		if (telegram.hasMore && ++this.#frameCount < FRAMES_LIMIT) {
			this.#countBit ^= FRAME_COUNT_BIT;
			this.ask(nowMs);
		} else if (++this.#slave < this.#slaves) {
			this.#step = STEP_RESETTING;
			this.ask(nowMs);
		} else this.end(undefined);
	}
}

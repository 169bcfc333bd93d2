/**
 * One session with the slaves of an M-Bus (EN 13757-2, 5.7), from wake-up to the last telegram.
 *
 *     state      event                           next state
 *     WAKING     wake-up sent                    RESETTING
 *     RESETTING  reset sent                      ASKING
 *                secondary address               SELECTING
 *     SELECTING  acknowledged                    ASKING
 *     ASKING     frame equal to the last one     ASKING for the next frame, RESETTING the next slave, or end
 *                frame unlike the last one       ASKING for the same frame again, up to TRIES times
 *
 * Only a sum of eight bits protects a frame, so one in 256 damaged frames passes this check. Each frame is therefore
 * requested twice with the same frame count bit, which tells the slave to repeat its last frame (5.7.2). Many slaves
 * send their present values instead, so the two frames differ. After TRIES frames, the newest values are used if the
 * last three frames all differ (telegram.ts). Otherwise, the records that differ between the last two are left out, and
 * the readout counts as truncated.
 *
 * The wake-up is for meters with an optical port: bytes of 55 in 8N1, for 2.2 s. Slaves on a wired bus ignore it.
 */
import { FORMAT_8E1, FORMAT_8N1 } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import type { SessionContext } from "../readout/protocol.js";
import { type RequestProtocol, RequestSession, TRIES } from "../readout/request-session.js";
import { MBUS_BROKEN, MBUS_LOST, MBUS_SILENCE, MBUS_UNREADABLE } from "./failures.js";
import { isAnswer, LinkFrames, SND_NKE, shortFrame } from "./link-frames.js";
import { addressIn, isSelected, SELECTED, selectFrame } from "./secondary.js";
import { identOf, isReadable, isSameData, isSameHeader, SlaveTelegram } from "./telegram.js";

export const REQ_UD2 = 0x5b;
export const FRAME_COUNT_BIT = 0x20;
export const ANY_ADDRESS = 254;
const FRAMES_LIMIT = 32;

const WAKE_UP = 0x55;
const WAKE_UP_MS = 2200;
const WAKE_UP_BITS = 10;
const WAKE_UP_PAUSE_MS = 60;

const STEP_WAKING = 0;
const STEP_RESETTING = 1;
const STEP_ASKING = 2;
const STEP_SELECTING = 3;

const PROTOCOL: RequestProtocol = Object.freeze({
	name: "M-Bus",
	silence: MBUS_SILENCE,
	broken: MBUS_BROKEN,
	lost: MBUS_LOST,
});

export interface Slaves {
	readonly baud: number;
	/**
	 * Primary address of the first slave. The other slaves have the addresses that follow it. ANY_ADDRESS if there is a
	 * single slave.
	 */
	readonly address: number;
	readonly count: number;
	/** Secondary addresses of the slaves (secondary.ts), which are used instead of primary ones. */
	readonly secondary: readonly Uint8Array[];
}

export class MBusSession extends RequestSession {
	readonly #address: number;
	readonly #secondary: readonly Uint8Array[];
	readonly #slaves: number;
	readonly #frames = new LinkFrames();
	readonly #telegram: SlaveTelegram;
	#step: number;
	#slave = 0;
	/** Number of frames read from the present slave. */
	#frameCount = 0;
	#countBit = 0;
	#previous = NO_BYTES;
	/** Frame before `#previous`. */
	#earlier = NO_BYTES;

	/** If `identOnly`, the session ends after one frame, and only the identification in this frame is used. */
	constructor(context: SessionContext<unknown>, slaves: Slaves, wakesUp: boolean, identOnly: boolean) {
		const { baud, address, count, secondary } = slaves;
		super(PROTOCOL, { baud, format: FORMAT_8E1 }, context, identOnly);
		this.#address = address;
		this.#secondary = secondary;
		this.#slaves = secondary.length || (address === ANY_ADDRESS ? 1 : count);
		this.#telegram = new SlaveTelegram(context.records);
		this.#step = wakesUp ? STEP_WAKING : STEP_RESETTING;
	}

	protected override ask(nowMs: number): void {
		const { baud } = this.line;
		const { wanted } = this;
		let control = SND_NKE;
		if (this.#step === STEP_WAKING) {
			this.#step = STEP_RESETTING;
			this.outputs.line(baud, FORMAT_8N1);
			this.send(new Uint8Array((baud * WAKE_UP_MS) / (WAKE_UP_BITS * 1000)).fill(WAKE_UP), nowMs);
			this.deadlineMs = nowMs + WAKE_UP_MS + WAKE_UP_PAUSE_MS;
			return;
		}
		if (this.#step === STEP_RESETTING) {
			this.#step = wanted === undefined ? STEP_ASKING : STEP_SELECTING;
			this.#frameCount = 0;
			this.#countBit = FRAME_COUNT_BIT;
			this.isAnswered = false;
			this.#telegram.begin(this.#slaves > 1 ? this.#slave + 1 : 0);
			this.outputs.line(baud, FORMAT_8E1);
		} else {
			this.tries++;
			control = REQ_UD2 | this.#countBit;
		}
		this.#frames.reset();
		if (wanted !== undefined && this.#step === STEP_SELECTING) this.send(selectFrame(wanted), nowMs);
		else this.send(shortFrame(control, wanted === undefined ? this.#address + this.#slave : SELECTED), nowMs);
	}

	/** Secondary address of the present slave; undefined if primary addresses are used. */
	private get wanted(): Uint8Array | undefined {
		return this.#secondary[this.#slave];
	}

	/**
	 * Processes a byte. A slave acknowledges a reset or a selection with E5, and answers a request with data. Other
	 * frames are echoes.
	 */
	protected override take(byte: number): boolean {
		const frames = this.#frames;
		if (!frames.take(byte) || this.#step < STEP_ASKING) return false;
		const { frame } = frames;
		if (this.tries === 0 || this.#step === STEP_SELECTING) return frame.length === 0;
		const { wanted } = this;
		return isAnswer(frame) && (wanted === undefined || isSelected(addressIn(frame) ?? wanted, wanted));
	}

	protected override proceed(nowMs: number): void {
		const { frame } = this.#frames;
		const previous = this.#previous;
		if (frame.length === 0) {
			if (this.#step === STEP_SELECTING) this.tries = 0;
			this.#step = STEP_ASKING;
			this.ask(nowMs);
		} else if (this.identOnly) {
			this.meterId = identOf(frame);
			this.end(undefined);
		} else if (isSameHeader(frame, previous) && (this.tries === TRIES || isSameData(frame, previous))) {
			if (isReadable(frame)) this.write(frame, nowMs);
			else this.end(MBUS_UNREADABLE);
		} else if (this.tries === TRIES) this.abort(nowMs);
		else {
			this.#earlier = this.#previous;
			this.#previous = frame;
			this.ask(nowMs);
		}
	}

	private write(frame: Uint8Array, nowMs: number): void {
		const telegram = this.#telegram;
		if (this.#slave === 0 && this.#frameCount === 0) this.meterId = identOf(frame);
		telegram.write(frame, this.#previous, this.#frameCount === 0, this.#earlier);
		this.isCut ||= telegram.isCut;
		this.tries = 0;
		this.#previous = this.#earlier = NO_BYTES;
		if (telegram.hasMore && ++this.#frameCount < FRAMES_LIMIT) {
			this.#countBit ^= FRAME_COUNT_BIT;
			this.ask(nowMs);
		} else if (++this.#slave < this.#slaves) {
			this.#step = STEP_RESETTING;
			this.ask(nowMs);
		} else this.end(undefined);
	}
}

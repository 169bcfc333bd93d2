/**
 * DLMS/COSEM meter with HDLC on its optical port (IEC 62056-46), as a sans-io machine. HDLC begins directly at a fixed
 * speed, or after a sign-on in mode E of IEC 62056-21 (annex B.5).
 *
 *   direct   8N1 at a fixed speed
 *   mode E   iec-meter.ts handles the sign-on, the identification with `\2` and `ACK 2 Z 2` at 300 Bd. The meter
 *            repeats the acknowledgement at the new speed, then uses 8N1. After DISC or a silence the line is at
 *            300 Bd, 7E1 again
 */
import { SeededRandom } from "../../hosts/node/random.js";
import { BITS_PER_CHARACTER } from "../../hosts/node/wire-character.js";
import { FORMAT_7E1, FORMAT_8N1, type SerialFormat } from "../../modules/io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, type Output } from "../../modules/io/machine.js";
import { type FrameFaults, includes, spoilFrame } from "./dlms-faults.js";
import { DLMSServer, type ServerOptions } from "./dlms-server.js";
import { type Frame, FrameFinder, PENDING } from "./hdlc-frame.js";
import { HDLCStation, LINK_CLOSED, type StationOptions } from "./hdlc-station.js";
import { type IECMeter, METER_HANDED_OVER, OPENING_BAUD } from "./iec-meter.js";
import { eventOf, lineChange, noOutput, transmission } from "./outputs.js";

export const FRAME_DAMAGED = 40;
export const LINK_IDLE = 41;
const REACTION_MS = 20;
const INACTIVITY_MS = 120_000;

export interface DLMSMeterOptions {
	/** Speed of direct HDLC, Bd. */
	baud: number;
	/** Sign-on of mode E, which determines the speed. */
	signOn?: IECMeter;
	server: ServerOptions;
	station: Omit<StationOptions, "answer" | "onReset" | "onEvent">;
	/** Reaction time. Default: 20 ms. */
	reactionMs?: number;
	/** Silence that closes the link. Default: 120 s. */
	inactivityMs?: number;
	/** Time after DISC for which HDLC is still accepted in mode E. Default: 0. */
	lingerMs?: number;
	/** True if characters take time on the line. Default: true. */
	clocked?: boolean;
	faults?: FrameFaults & { damage?: number; lateMs?: number };
	seed?: number;
}

export class DLMSMeter implements Machine {
	readonly #options: DLMSMeterOptions;
	readonly #faults: FrameFaults & { damage?: number; lateMs?: number };
	readonly #server: DLMSServer;
	readonly #station: HDLCStation;
	readonly #random: SeededRandom;
	readonly #outputs: Output[] = [];
	#finder = new FrameFinder();
	#isSignOn: boolean;
	#baud: number;
	#answers: { frames: Buffer[]; atMs: number; closes: boolean }[] = [];
	#closes = false;
	#quietMs = 0;
	#idleMs = Number.POSITIVE_INFINITY;
	#nowMs = 0;
	#frames = 0;

	constructor(options: DLMSMeterOptions) {
		this.#options = options;
		this.#faults = options.faults ?? {};
		this.#random = new SeededRandom(options.seed ?? 1);
		this.#server = new DLMSServer(options.server, (code) => this.#report(code));
		this.#station = new HDLCStation({
			...options.station,
			answer: (apdu, client) => this.#server.answer(apdu, client, this.#nowMs),
			onReset: () => this.#server.reset(),
			onEvent: (code) => {
				if (code === LINK_CLOSED) this.#closes = true;
				this.#report(code);
			},
		});
		this.#isSignOn = options.signOn !== undefined;
		this.#baud = options.baud;
		if (this.#isSignOn) this.#pumpSignOn(0);
		else this.#changeLine(options.baud, FORMAT_8N1);
	}

	get deadlineMs(): number {
		if (this.#isSignOn) return this.#options.signOn!.deadlineMs;
		return Math.min(this.#idleMs, this.#answers[0]?.atMs ?? Number.POSITIVE_INFINITY);
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.advance(nowMs);
		if (this.#isSignOn) {
			this.#options.signOn!.receive(bytes, start, end, nowMs);
			this.#pumpSignOn(nowMs);
			return;
		}
		this.#nowMs = nowMs;
		for (let i = start; i < end; i++) {
			if (this.#options.clocked !== false && nowMs < this.#quietMs) continue;
			const found = this.#finder.take(bytes[i], nowMs);
			if (typeof found !== "number") this.#answer(found, nowMs);
			else if (found !== PENDING) this.#report(FRAME_DAMAGED);
		}
	}

	advance(nowMs: number): void {
		if (this.#isSignOn) {
			this.#options.signOn!.advance(nowMs);
			this.#pumpSignOn(nowMs);
			return;
		}
		while (this.#answers.length > 0 && this.#answers[0].atMs <= nowMs) {
			const { frames, atMs, closes } = this.#answers.shift()!;
			this.#send(frames, Math.max(atMs, this.#quietMs));
			if (closes && this.#options.signOn !== undefined) this.#idleMs = this.#quietMs + (this.#options.lingerMs ?? 0);
		}
		if (nowMs < this.#idleMs) return;
		this.#idleMs = Number.POSITIVE_INFINITY;
		this.#report(LINK_IDLE);
		if (this.#station.isOpen) this.#station.reset();
		if (this.#options.signOn !== undefined) this.#signOnAgain(nowMs);
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}

	#answer(frame: Frame, nowMs: number): void {
		this.#closes = false;
		const frames = this.#station.take(frame);
		this.#idleMs = nowMs + (this.#options.inactivityMs ?? INACTIVITY_MS);
		if (frames.length === 0) return;
		const reactionMs = (this.#options.reactionMs ?? REACTION_MS) + (this.#faults.lateMs ?? 0);
		this.#answers.push({ frames, atMs: nowMs + reactionMs, closes: this.#closes });
	}

	#send(frames: readonly Buffer[], fromMs: number): void {
		for (const frame of frames) {
			this.#frames++;
			const notification = includes(this.#faults.notify, this.#frames)
				? this.#station.unnumbered(this.#server.notification(fromMs))
				: undefined;
			if (notification !== undefined) this.#transmit(notification, fromMs);
			for (const bytes of spoilFrame(frame, this.#frames, this.#faults)) this.#transmit(bytes, fromMs);
		}
	}

	#transmit(bytes: Buffer, fromMs: number): void {
		const sent = Buffer.from(bytes);
		for (let i = 0; i < sent.length; i++) {
			if (this.#random.oneIn(this.#faults.damage ?? 0)) sent[i] ^= 1 << this.#random.below(8);
		}
		const characterMs = this.#options.clocked === false ? 0 : (BITS_PER_CHARACTER * 1000) / this.#baud;
		this.#quietMs = Math.max(fromMs, this.#quietMs) + sent.length * characterMs;
		this.#outputs.push(transmission(sent));
	}

	#pumpSignOn(nowMs: number): void {
		const signOn = this.#options.signOn!;
		for (let output = signOn.poll(); output.kind !== OUTPUT_NONE; output = signOn.poll()) {
			this.#outputs.push(output);
			if (output.kind === OUTPUT_LINE) this.#baud = output.baud;
			if (output.kind === OUTPUT_EVENT && output.code === METER_HANDED_OVER) {
				this.#isSignOn = false;
				this.#finder = new FrameFinder();
				this.#idleMs = nowMs + (this.#options.inactivityMs ?? INACTIVITY_MS);
				this.#changeLine(this.#baud, FORMAT_8N1);
			}
		}
	}

	#signOnAgain(nowMs: number): void {
		this.#isSignOn = true;
		this.#answers = [];
		this.#changeLine(OPENING_BAUD, FORMAT_7E1);
		this.#options.signOn!.takeBack();
		this.#pumpSignOn(nowMs);
	}

	#changeLine(baud: number, format: SerialFormat): void {
		this.#baud = baud;
		this.#outputs.push(lineChange(baud, format));
	}

	#report(code: number): void {
		this.#outputs.push(eventOf(code));
	}
}

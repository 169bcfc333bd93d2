/**
 * A sign-on that stops at the identification, for aligning the optical head: tells what came back (`POST meter/probe`).
 * With mode D it listens for LISTEN_MS instead.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { BASE_BAUD } from "../iec62056-21/ident.js";
import { EVENT_TELEGRAM, MeterListener } from "../iec62056-21/listener.js";
import {
	EVENT_END,
	MeterSession,
	RESULT_IDENT,
	RESULT_NO_IDENT,
	RESULT_NONE,
	RESULT_SILENCE,
} from "../iec62056-21/session.js";
import { FORMAT_7E1, type SerialPort } from "../io/host.js";
import { Link, type LinkTap, type LinkWorld, TAP_RECEIVED } from "../io/link.js";
import type { ConversationLog } from "./conversation-log.js";
import { SIMULATOR_IDENT } from "./simulator.js";

/** How long mode D is listened to: meters push every one to ten seconds. */
const LISTEN_MS = 12_000;
/** The first received bytes that are shown. */
export const PROBE_BYTES_LIMIT = 96;

/** What came back. */
export interface ProbeResult {
	/** RESULT_… of the session: RESULT_IDENT when an identification came; RESULT_NONE when the port failed. */
	readonly result: number;
	/** Identification without `/`, ASCII; empty if none came. */
	readonly ident: Uint8Array;
	/** Characters received, and those that were damaged. */
	readonly received: number;
	readonly damaged: number;
	/** The first of them; 0x80 and above: damaged. */
	readonly bytes: Uint8Array;
}

export interface ProbeWaiter {
	finished(result: ProbeResult): void;
}

export interface ProbeOptions {
	readonly world: LinkWorld;
	readonly port: SerialPort;
	readonly deviceAddress: Uint8Array;
	readonly battery: boolean;
	/** Silence before the sign-on, ms: the meter may still be in the conversation before. */
	readonly quietMs: number;
	/** The speed to listen at in mode D, Bd; 0: sign on. */
	readonly listenBaud: number;
	readonly simulator: boolean;
	readonly log: ConversationLog | undefined;
	finished(result: ProbeResult): void;
}

export class Probe implements LinkTap {
	readonly #options: ProbeOptions;
	readonly #bytes = new Uint8Array(PROBE_BYTES_LIMIT);
	#length = 0;
	#link: Link | undefined;
	#timer = 0;

	constructor(options: ProbeOptions) {
		this.#options = options;
	}

	start(): void {
		if (this.#options.simulator) {
			this.finish(RESULT_IDENT, asciiBytes(SIMULATOR_IDENT), 0, 0);
		} else if (this.#options.listenBaud > 0) this.listen();
		else this.signOn();
	}

	/** Ends it; nobody is told. */
	stop(): void {
		this.#link?.close();
		if (this.#timer !== 0) this.#options.world.timers.clear(this.#timer);
	}

	bytes(direction: number, bytes: Uint8Array, start: number, end: number): void {
		this.#options.log?.bytes(direction, bytes, start, end);
		if (direction !== TAP_RECEIVED) return;
		for (let i = start; i < end && this.#length < PROBE_BYTES_LIMIT; i++) this.#bytes[this.#length++] = bytes[i];
	}

	line(baud: number): void {
		this.#options.log?.line(baud);
	}

	private signOn(): void {
		const { world, deviceAddress, battery, quietMs } = this.#options;
		const options = {
			sink: NO_SINK,
			address: deviceAddress,
			battery,
			baudCeiling: BASE_BAUD,
			identOnly: true,
			quietMs,
		};
		const machine = new MeterSession(options, world.clock.monotonicMs());
		this.open(machine, BASE_BAUD, (code) => {
			if (code !== EVENT_END) return;
			const ident = machine.result === RESULT_IDENT ? machine.ident.copy() : new Uint8Array(0);
			this.finish(machine.result, ident, machine.received, machine.damaged);
		});
	}

	private listen(): void {
		const { world, listenBaud } = this.#options;
		const machine = new MeterListener(NO_SINK);
		const end = (): void => {
			let result = RESULT_NO_IDENT;
			if (machine.ident.length > 0) result = RESULT_IDENT;
			else if (machine.received === 0) result = RESULT_SILENCE;
			this.finish(result, machine.ident, machine.received, machine.damaged);
		};
		this.#timer = world.timers.set(() => {
			this.#timer = 0;
			world.guard("probe", end);
		}, LISTEN_MS);
		this.open(machine, listenBaud, (code) => {
			if (code === EVENT_TELEGRAM) end();
		});
	}

	private open(machine: MeterSession | MeterListener, baud: number, onEvent: (code: number) => void): void {
		const failed = (): void => this.finish(RESULT_NONE, new Uint8Array(0), 0, 0);
		try {
			this.#link = new Link(this.#options.world, {
				port: this.#options.port,
				line: { baud, format: FORMAT_7E1 },
				anyFraming: this.#options.listenBaud > 0,
				machine,
				tap: this,
				onEvent,
				onGone: failed,
			});
		} catch {
			failed();
		}
	}

	private finish(result: number, ident: Uint8Array, received: number, damaged: number): void {
		this.stop();
		this.#options.finished({ result, ident, received, damaged, bytes: this.#bytes.slice(0, this.#length) });
	}
}

const ignore = (): void => {};

/** Data sets are of no interest here. */
const NO_SINK = Object.freeze({
	begin: ignore,
	beginLine: ignore,
	beginSet: ignore,
	beginValue: ignore,
	text: ignore,
	endValue: ignore,
	discardSet: ignore,
	discardLine: ignore,
	endBlock: ignore,
});

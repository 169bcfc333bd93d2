/**
 * A sign-on that stops at the identification, for aligning the optical head: tells what came back (`POST meter/probe`).
 * With mode D it listens for LISTEN_MS instead. With DLMS/COSEM without a sign-on, or where nothing comes of one, an HDLC
 * connection is made and ended.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { HDLCConnection } from "../hdlc/connection.js";
import { ROOM } from "../hdlc/decoder.js";
import { EVENT_CONNECTED, EVENT_END as EVENT_DISCONNECTED } from "../hdlc/events.js";
import { INFO_DEFAULT } from "../hdlc/parameters.js";
import { IEC_NO_IDENT, IEC_SILENCE } from "../iec62056-21/failures.js";
import { BASE_BAUD } from "../iec62056-21/ident.js";
import { EVENT_TELEGRAM, MeterListener } from "../iec62056-21/listener.js";
import { EVENT_END, MeterSession } from "../iec62056-21/session.js";
import { FORMAT_7E1, FORMAT_8N1, type LineSettings, type SerialPort } from "../io/host.js";
import { Link, type LinkTap, type LinkWorld, TAP_RECEIVED } from "../io/link.js";
import type { Machine } from "../io/machine.js";
import { type Failure, furthest } from "../readout/failure.js";
import type { ConversationLog } from "./conversation-log.js";
import { OPENING_AUTO, OPENING_DIRECT } from "./dlms-settings.js";
import { FAILURE_PORT } from "./failures.js";
import type { MeterSettings } from "./settings.js";
import { SIMULATOR_IDENT } from "./simulator.js";

/** How long mode D is listened to: meters push every one to ten seconds. */
const LISTEN_MS = 12_000;
/** The first received bytes that are shown. */
export const PROBE_BYTES_LIMIT = 96;

/** What came back. */
export interface ProbeResult {
	/** None when an identification came, a telegram, or an HDLC connection. */
	readonly failure: Failure | undefined;
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
	readonly settings: MeterSettings;
	/** Silence before the sign-on, ms: the meter may still be in the conversation before. */
	readonly quietMs: number;
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
		const { simulator, modeD, isDLMS, dlms } = this.#options.settings;
		if (simulator) this.finish(undefined, asciiBytes(SIMULATOR_IDENT), 0, 0);
		else if (modeD) this.listen();
		else if (isDLMS && dlms.opening === OPENING_DIRECT) this.connect();
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
		const { world, settings, quietMs } = this.#options;
		const options = {
			sink: NO_SINK,
			address: settings.deviceAddress,
			battery: settings.battery,
			baudCeiling: BASE_BAUD,
			identOnly: true,
			quietMs,
		};
		const machine = new MeterSession(options, world.clock.monotonicMs());
		this.open(machine, { baud: BASE_BAUD, format: FORMAT_7E1 }, (code) => {
			if (code !== EVENT_END) return;
			const isIdent = machine.failure === undefined;
			if (!isIdent && settings.isDLMS && settings.dlms.opening === OPENING_AUTO) {
				this.#link?.close();
				this.connect(machine);
			} else {
				const ident = isIdent ? machine.ident.copy() : new Uint8Array(0);
				this.finish(machine.failure, ident, machine.received, machine.damaged);
			}
		});
	}

	/** HDLC without a sign-on; `signOn`: the one that came to nothing before. */
	private connect(signOn?: MeterSession): void {
		const { client, logical, physical, addressLength, receiveTimeoutMs, directBaud } = this.#options.settings.dlms;
		const machine = new HDLCConnection({
			address: { client, logical, physical, length: addressLength },
			baud: directBaud,
			receiveTimeoutMs,
			releaseFirst: false,
			info: INFO_DEFAULT,
			window: 1,
			apdu: new Uint8Array(INFO_DEFAULT + ROOM),
		});
		const { clock } = this.#options.world;
		let isConnected = false;
		this.open(machine, { baud: directBaud, format: FORMAT_8N1 }, (code) => {
			if (code === EVENT_CONNECTED) {
				isConnected = true;
				machine.disconnect(clock.monotonicMs());
			} else if (code === EVENT_DISCONNECTED) {
				const failure = isConnected ? machine.failure : furthest(signOn?.failure, machine.failure);
				const received = machine.received + (signOn?.received ?? 0);
				this.finish(failure, new Uint8Array(0), received, signOn?.damaged ?? 0);
			}
		});
		machine.connect(clock.monotonicMs());
		this.#link?.wake();
	}

	private listen(): void {
		const { world, settings } = this.#options;
		const machine = new MeterListener(NO_SINK);
		const end = (): void => {
			const isSilent = machine.received === 0;
			const failure = isSilent ? IEC_SILENCE : IEC_NO_IDENT;
			this.finish(machine.ident.length > 0 ? undefined : failure, machine.ident, machine.received, machine.damaged);
		};
		this.#timer = world.timers.set(() => {
			this.#timer = 0;
			world.guard("probe", end);
		}, LISTEN_MS);
		this.open(machine, { baud: settings.modeDBaud, format: FORMAT_7E1 }, (code) => {
			if (code === EVENT_TELEGRAM) end();
		});
	}

	private open(machine: Machine, line: LineSettings, onEvent: (code: number) => void): void {
		const failed = (): void => this.finish(FAILURE_PORT, new Uint8Array(0), 0, 0);
		try {
			this.#link = new Link(this.#options.world, {
				port: this.#options.port,
				line,
				anyFraming: this.#options.settings.modeD,
				machine,
				tap: this,
				onEvent,
				onGone: failed,
			});
		} catch {
			failed();
		}
	}

	private finish(failure: Failure | undefined, ident: Uint8Array, received: number, damaged: number): void {
		this.stop();
		this.#options.finished({ failure, ident, received, damaged, bytes: this.#bytes.slice(0, this.#length) });
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

/**
 * Reads the meter: which conversation, when, how often again, and what of it is kept. For the API now, for the schedule,
 * the hub and Zigbee later. One conversation at a time; whoever asks while one runs joins it.
 *
 * - Asked for (modes A, B, C): a conversation is one MeterSession. After a failure it is repeated: at a lower speed
 *   where the speed may be to blame (the identification promises more than the meter or the line can do), else as it
 *   was. A lower speed that worked is remembered for that meter.
 * - Asked for in DLMS/COSEM, or in mode E where the meter announces it: a conversation is one DLMSConversation, which
 *   repeats what failed by itself. The opening that worked is remembered.
 * - Unasked (mode D): a MeterListener listens as long as mode D is enabled; each whole telegram is a readout.
 * - Simulated: no line at all.
 *
 * A caller waits READ_WAIT_MS at most; the conversation itself goes on while characters keep coming, CONVERSATION_MS at
 * most, and what it gives is the last readout all the same (API decision 31).
 */
import { asciiBytes } from "../bytes/ascii.js";
import { equalConstantTime } from "../bytes/equal.js";
import { POLL_LIMIT } from "../dlms/poll-list.js";
import { ScalerCache } from "../dlms/scaler-cache.js";
import { IEC_CHECK_WRONG, IEC_CUT } from "../iec62056-21/failures.js";
import { BASE_BAUD, baudNumber, baudOf, MODE_C, MODE_D, MODE_E } from "../iec62056-21/ident.js";
import { EVENT_BAD_TELEGRAM, EVENT_TELEGRAM, MeterListener } from "../iec62056-21/listener.js";
import { EVENT_BAD_BLOCK, EVENT_END, MeterSession, OUTCOME_BLOCK } from "../iec62056-21/session.js";
import { FORMAT_7E1, type SerialPort } from "../io/host.js";
import { Link, type LinkTap } from "../io/link.js";
import type { Machine } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import {
	PROTOCOL_DLMS,
	PROTOCOL_IEC62056_21,
	type Readout,
	STATUS_CHECK_WRONG,
	STATUS_CUT,
	STATUS_OK,
} from "../readout/readout.js";
import { RecordWriter } from "../readout/record-writer.js";
import { Attempts } from "./attempts.js";
import type { ConversationLog } from "./conversation-log.js";
import { DLMSConversation, EVENT_CUT } from "./dlms-conversation.js";
import { OPENING_AUTO, OPENING_DIRECT } from "./dlms-settings.js";
import { FAILURE_BUSY, FAILURE_NO_TELEGRAM, FAILURE_PORT, FAILURE_WAIT } from "./failures.js";
import { Probe, type ProbeWaiter } from "./probe.js";
import type { MeterLight, MeterReaderOptions, MeterSettings, MeterWorld } from "./settings.js";
import { MeterSimulator, SIMULATOR_BAUD, SIMULATOR_IDENT } from "./simulator.js";
import { type ReadWaiter, ReadWaiters } from "./waiters.js";

/** The longest conversation: some meters need more than five minutes at 300 Bd. */
const CONVERSATION_MS = 600_000;
/**
 * From the end of a conversation to the next sign-on, of silence: a meter finishes what it sends, and keeps its block
 * for repetition 1500 ms before it hears a sign-on.
 */
const QUIET_MS = 2000;
/** A port that can't be opened or is gone is tried again after this while mode D listens. */
const REOPEN_MS = 10_000;

export class MeterReader {
	readonly #world: MeterWorld;
	readonly #port: SerialPort;
	readonly #settings: MeterSettings;
	readonly #light: MeterLight | undefined;
	readonly #trace: (message: string) => void;
	readonly #writer = new RecordWriter();
	readonly #attempts = new Attempts();
	readonly #waiters: ReadWaiters;
	#link: Link | undefined;
	/** What was asked for, and is going on. */
	#conversation: MeterSession | DLMSConversation | undefined;
	#listener: MeterListener | undefined;
	#listenedBaud = 0;
	#probe: Probe | undefined;
	/** Scalers of the objects of `#objects`, from one readout to the next. */
	#scalers: ScalerCache | undefined;
	#objects: Uint8Array | undefined;
	/** Why a hand-over to mode E came to nothing, in this readout; then it is read as in mode C. */
	#handOverFailure: Failure | undefined;
	/** When the next conversation may begin, monotonic ms. */
	#quietUntilMs = 0;
	/** Ends a conversation that takes too long, or tries again to listen. */
	#timer = 0;
	/** A readout that is not good enough to keep, in case nothing better comes. */
	#candidate: Readout | undefined;
	/** The last good readout. */
	last: Readout | undefined;
	/** Good readouts since the start. */
	readouts = 0;
	/** Unix ms of the last attempt; 0 when there was none or the clock was not set. */
	lastAttemptUtcMs = 0;
	/** Of the last attempt, if it failed. */
	lastFailure: Failure | undefined;
	/** Records the raw conversation when set, also one that is going on. */
	log: ConversationLog | undefined;
	readonly #tap: LinkTap = {
		bytes: (direction, bytes, start, end) => {
			const conversation = this.#conversation;
			const isDLMS = conversation instanceof DLMSConversation;
			this.log?.bytes(direction, isDLMS ? conversation.shown(direction, bytes, start, end) : bytes, start, end);
		},
		line: (baud) => this.log?.line(baud),
	};

	constructor(options: MeterReaderOptions) {
		this.#world = options.world;
		this.#port = options.port;
		this.#settings = options.settings;
		this.#light = options.light;
		this.#trace = (message) => options.trace(message);
		this.#waiters = new ReadWaiters(options.world, (waiter) => this.giveUp(waiter));
	}

	/** A conversation is going on. In mode D: a telegram is being waited for. */
	get running(): boolean {
		return this.#conversation !== undefined || (this.#listener !== undefined && this.#waiters.count > 0);
	}

	/** Call at the start, and after any of the settings has changed. */
	reconfigure(): void {
		if (this.#probe !== undefined) return;
		const { simulator, modeD, modeDBaud } = this.#settings;
		if (simulator && this.#conversation !== undefined) {
			this.close();
			this.simulate();
		}
		const listens = modeD && !simulator;
		// Whoever waits gets the next telegram.
		if (listens && this.#conversation !== undefined) this.close();
		if (this.#listener !== undefined && (!listens || this.#listenedBaud !== modeDBaud)) this.close();
		if (listens && this.#link === undefined) this.listen();
		else if (!listens && this.#waiters.count > 0 && this.#conversation === undefined) this.start();
	}

	/** Forgets what was learned of the meter: the owner has changed something about the conversation. */
	forget(): void {
		this.#settings.learn(0, new Uint8Array(0));
		this.#settings.dlms.learnOpening(OPENING_AUTO);
		this.#scalers = undefined;
	}

	/** Ends everything; waiters are not told. */
	stop(): void {
		this.close();
		this.#probe?.stop();
		this.#probe = undefined;
		this.#waiters.removeAll();
	}

	/** Asks for a readout. The waiter may be told before this returns. */
	read(waiter: ReadWaiter): void {
		// A telegram that failed its check before anybody asked is nothing to show him.
		if (this.#listener !== undefined && this.#waiters.count === 0) this.#candidate = undefined;
		if (!this.#waiters.add(waiter)) {
			waiter.finished(undefined, FAILURE_BUSY);
			return;
		}
		if (this.#link === undefined && this.#probe === undefined) this.start();
	}

	/** The waiter's client is gone. The conversation goes on. */
	cancel(waiter: ReadWaiter): void {
		this.#waiters.remove(waiter);
	}

	/** Signs on (or, in mode D, listens for a while) and tells what came back. False when a conversation is going on. */
	probe(waiter: ProbeWaiter): boolean {
		if (this.#conversation !== undefined || this.#probe !== undefined) return false;
		this.close();
		this.#probe = new Probe({
			world: this.#world,
			port: this.#port,
			settings: this.#settings,
			quietMs: this.quietMs,
			log: this.log,
			finished: (result) => {
				this.#probe = undefined;
				waiter.finished(result);
				this.reconfigure();
			},
		});
		this.#probe.start();
		return true;
	}

	private giveUp(waiter: ReadWaiter): void {
		const failure = this.#listener === undefined ? FAILURE_WAIT : FAILURE_NO_TELEGRAM;
		if (failure === FAILURE_NO_TELEGRAM && this.#candidate === undefined) this.lastFailure = failure;
		// What failed its check is shown to him who asked, when nothing better came in his time.
		waiter.finished(this.#candidate, failure);
	}

	private start(): void {
		if (this.#settings.simulator) {
			this.simulate();
			return;
		}
		if (this.#settings.modeD) {
			this.listen();
			return;
		}
		const { learnedBaud, baudMax } = this.#settings;
		this.#attempts.begin(learnedBaud === 0 ? baudMax : Math.min(learnedBaud, baudMax));
		this.#candidate = undefined;
		this.began();
		this.#light?.reading(true);
		this.#timer = this.#world.timers.set(() => {
			this.#timer = 0;
			this.#world.guard("meter", () => {
				this.#attempts.exhaust();
				{
					const c = this.#conversation;
					if (c instanceof DLMSConversation) c.abort(this.#world.clock.monotonicMs());
					else c?.abort();
				}
				this.#link?.wake();
			});
		}, CONVERSATION_MS);
		this.#handOverFailure = undefined;
		this.attempt();
	}

	private attempt(): void {
		const { isDLMS, handsOver } = this.#settings;
		this.#attempts.count++;
		if (isDLMS || (handsOver && this.#handOverFailure === undefined)) this.converse(!isDLMS);
		else this.signOn();
	}

	/** In DLMS/COSEM; `isOffered`: if the meter announces mode E. */
	private converse(isOffered: boolean): void {
		const { objects } = this.#settings.dlms;
		if (this.#objects !== objects) this.#scalers = undefined;
		this.#objects = objects;
		this.#scalers ??= new ScalerCache(POLL_LIMIT);
		const options = {
			settings: this.#settings,
			world: this.#world,
			writer: this.#writer,
			cache: this.#scalers,
			isOffered,
			baudCeiling: this.#attempts.baudCeiling,
			quietMs: this.quietMs,
		};
		const machine = new DLMSConversation(options, this.#world.clock.monotonicMs());
		this.#conversation = machine;
		this.openLink(machine, BASE_BAUD, (code) => {
			if (code === EVENT_CUT) this.#candidate = this.takeDLMS(machine, STATUS_CUT);
			else if (code === EVENT_END) this.conversed(machine, isOffered);
			else if (machine.session !== undefined) this.heard(machine.session, code);
		});
	}

	private began(): void {
		this.lastAttemptUtcMs = this.#world.clock.utcMs() ?? 0;
	}

	private signOn(): void {
		const options = {
			sink: this.#writer,
			address: this.#settings.deviceAddress,
			battery: this.#settings.battery,
			baudCeiling: this.#attempts.baudCeiling,
			identOnly: false,
			quietMs: this.quietMs,
		};
		const machine = new MeterSession(options, this.#world.clock.monotonicMs());
		this.#conversation = machine;
		this.openLink(machine, BASE_BAUD, (code) => this.heard(machine, code));
	}

	private heard(machine: MeterSession, code: number): void {
		if (code === EVENT_BAD_BLOCK) {
			this.#candidate = this.take(machine.ident.copy(), machine.mode, machine.baud, STATUS_CHECK_WRONG);
		} else if (code === EVENT_END) this.ended(machine);
	}

	/** How long the line must be silent before the next sign-on. */
	private get quietMs(): number {
		return Math.max(0, this.#quietUntilMs - this.#world.clock.monotonicMs());
	}

	private openLink(machine: Machine, baud: number, onEvent: (code: number) => void): void {
		try {
			this.#link = new Link(this.#world, {
				port: this.#port,
				line: { baud, format: FORMAT_7E1 },
				anyFraming: this.#listener !== undefined,
				machine,
				tap: this.#tap,
				onEvent,
				onGone: () => this.portFailed("the serial port is gone"),
			});
		} catch (error) {
			this.portFailed(error instanceof Error ? error.message : "the serial port can't be opened");
		}
	}

	private portFailed(message: string): void {
		this.#trace(`meter: ${message}`);
		const listened = this.#listener !== undefined;
		this.close();
		this.fail(FAILURE_PORT);
		if (!listened) return;
		this.#timer = this.#world.timers.set(() => {
			this.#timer = 0;
			this.#world.guard("meter", () => this.reconfigure());
		}, REOPEN_MS);
	}

	/** A conversation is over: keep what it gave, try again, or give up. */
	private ended(machine: MeterSession): void {
		this.#quietUntilMs = this.#world.clock.monotonicMs() + QUIET_MS;
		this.#link?.close();
		this.#link = undefined;
		const { failure } = machine;
		const ident = machine.ident.copy();
		if (machine.outcome === OUTCOME_BLOCK) {
			this.learn(ident);
			this.succeed(this.take(ident, machine.mode, machine.baud, this.#writer.overflow ? STATUS_CUT : STATUS_OK));
			return;
		}
		this.#trace(`meter: attempt ${this.#attempts.count} failed: ${failure?.code}`);
		const { damaged, broken } = machine.parser;
		if (failure === IEC_CUT && this.#writer.records > 0 && damaged + broken === 0) {
			this.#writer.endBlock(true);
			this.#candidate = this.take(ident, machine.mode, machine.baud, STATUS_CUT);
		}
		if (this.#attempts.failed(machine)) this.attempt();
		else this.exhausted(this.#handOverFailure ?? this.#attempts.furthest ?? FAILURE_PORT);
	}

	/** A conversation in DLMS/COSEM is over, with all its attempts; or there was no hand-over to it. */
	private conversed(machine: DLMSConversation, isOffered: boolean): void {
		const { session, failure, opening } = machine;
		if (session !== undefined && isOffered) {
			this.ended(session);
			return;
		}
		this.#quietUntilMs = this.#world.clock.monotonicMs() + QUIET_MS;
		this.#link?.close();
		this.#link = undefined;
		if (machine.unchecked) this.#trace("meter: without auth_key the answers can't be checked");
		if (failure === undefined) {
			this.succeed(this.takeDLMS(machine, this.#writer.overflow ? STATUS_CUT : STATUS_OK));
			const { dlms } = this.#settings;
			const isFound = !isOffered && dlms.opening === OPENING_AUTO && dlms.learnedOpening !== opening;
			if (isFound) dlms.learnOpening(opening);
			return;
		}
		this.#trace(`meter: DLMS/COSEM failed: ${failure?.code}`);
		if (isOffered && !machine.connected && !this.#attempts.exhausted) {
			this.#handOverFailure = failure;
			this.attempt();
		} else this.exhausted(failure);
	}

	/** A readout of the records that the writer kept last, and of what is missing among them. */
	private takeDLMS(machine: DLMSConversation, status: number): Readout {
		const { opening, baud, ident, records } = machine;
		const name = this.#scalers?.name ?? ident;
		const readout = this.take(name.length > 0 ? name : ident, opening === OPENING_DIRECT ? 0 : MODE_E, baud, status);
		return { ...readout, protocol: PROTOCOL_DLMS, missing: records?.missing ?? new Uint8Array(0) };
	}

	private exhausted(failure: Failure): void {
		const candidate = this.#candidate;
		if (candidate?.status === STATUS_CUT) {
			this.succeed(candidate);
			return;
		}
		this.close();
		this.lastFailure = failure;
		this.#waiters.tell(candidate, failure);
	}

	/** Remembers a speed below the settings' own that this readout succeeded at, or forgets that of another meter. */
	private learn(ident: Uint8Array): void {
		const { learnedBaud, baudMax, learnedFor } = this.#settings;
		// Some meters have control characters in their identification, which can't be stored as text.
		const meterId = ident.filter((character) => character >= 0x20 && character < 0x7f);
		const { baudCeiling } = this.#attempts;
		const lowered = baudCeiling < baudOf(baudNumber(baudMax));
		if (learnedBaud !== 0 && !equalConstantTime(meterId, learnedFor)) this.#settings.learn(0, meterId);
		else if (lowered && baudCeiling !== learnedBaud) this.#settings.learn(baudCeiling, meterId);
	}

	private listen(): void {
		const machine = new MeterListener(this.#writer);
		this.#listener = machine;
		this.#listenedBaud = this.#settings.modeDBaud;
		this.began();
		this.openLink(machine, this.#listenedBaud, (code) => {
			if (code === EVENT_TELEGRAM) {
				const status = this.#writer.overflow ? STATUS_CUT : STATUS_OK;
				this.began();
				this.keep(this.take(machine.ident, MODE_D, this.#listenedBaud, status));
			} else if (code === EVENT_BAD_TELEGRAM) {
				this.#candidate = this.take(machine.ident, MODE_D, this.#listenedBaud, STATUS_CHECK_WRONG);
				this.lastFailure = IEC_CHECK_WRONG;
			}
		});
	}

	private simulate(): void {
		const utcMs = this.#world.clock.utcMs();
		this.began();
		new MeterSimulator().run(this.#writer, utcMs ?? this.#world.clock.monotonicMs());
		this.keep(this.take(asciiBytes(SIMULATOR_IDENT), MODE_C, SIMULATOR_BAUD, STATUS_OK));
	}

	/** A readout of the block that the writer kept last. */
	private take(meterId: Uint8Array, mode: number, baud: number, status: number): Readout {
		const records = this.#writer.kept ?? new Uint8Array(0);
		const utcMs = this.#world.clock.utcMs() ?? 0;
		return { protocol: PROTOCOL_IEC62056_21, meterId, mode, baud, utcMs, status, records };
	}

	private succeed(readout: Readout): void {
		this.close();
		this.keep(readout);
	}

	private keep(readout: Readout): void {
		this.#candidate = undefined;
		this.last = readout;
		this.readouts++;
		this.#light?.flash();
		this.lastFailure = undefined;
		this.#waiters.tell(readout, undefined);
	}

	private fail(failure: Failure): void {
		this.lastFailure = failure;
		this.#waiters.tell(undefined, failure);
	}

	private close(): void {
		this.#link?.close();
		this.#link = undefined;
		this.#conversation = undefined;
		this.#listener = undefined;
		this.#light?.reading(false);
		if (this.#timer !== 0) this.#world.timers.clear(this.#timer);
		this.#timer = 0;
	}
}

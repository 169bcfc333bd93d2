/**
 * Bridge between meter and Zigbee. io/link.ts runs it on the coprocessor's port.
 *
 * One frame is in flight at a time. Answers are sent first, then requests of clients, then reports. Up to ANSWER_LIMIT
 * answers are queued; an answer is dropped after TRIES attempts. Reports are retried without limit. After a frame that
 * was not delivered there is a pause, which grows until a frame is delivered or received.
 */
import type { HostInfo, LineSettings, TextCodec } from "../io/host.js";
import type { LinkMachine, Output } from "../io/machine.js";
import type { Readout } from "../readout/readout.js";
import { Attributes } from "./attributes.js";
import {
	type Chip,
	type ClusterClient,
	type Incoming,
	isJoined,
	type Outgoing,
	RADIO_IDLE,
	RADIO_JOINING,
	RADIO_LEAVING,
	RADIO_OFF,
	type RadioListener,
	ZCL_LIMIT,
} from "./radio.js";
import { Reports } from "./reports.js";
import { ANSWER_SIZE, clientOf, Server } from "./server.js";
import { FRAME_CLUSTER, FRAME_MANUFACTURER, FRAME_TO_CLIENT, parseFrame } from "./zcl.js";

export interface BridgeListener {
	bridgeChanged(nowMs: number): void;
	/** Stores the coordinator's settings for reports. `bytes` is empty for the default settings. */
	storeReports(bytes: Uint8Array): void;
	/** Starts identifying the device; 0 seconds end the identification. */
	identify(seconds: number): void;
}

export interface BridgeOptions {
	chip(user: RadioListener): Chip;
	readonly user: BridgeListener;
	readonly info: HostInfo;
	readonly text: TextCodec;
	/**
	 * Number of alkaline cells that fit on the board. 0: the board has only a USB supply, and no Power Configuration
	 * cluster.
	 */
	readonly cells: number;
	readonly map: Uint8Array;
	readonly reports: Uint8Array | undefined;
	readonly clients: readonly ClusterClient[];
	/**
	 * Sequence number of the first report, 0 to 255. It differs at each start, because coordinators drop a report with
	 * the same number as the previous one, which may have been sent before a sleep.
	 */
	readonly sequence: number;
}

const ANSWER_LIMIT = 4;
const TRIES = 3;

/** Pause after a frame that was not delivered, ms. Each further one doubles the pause. */
const PAUSE_MS = 500;
const PAUSE_LIMIT_MS = 60_000;
/** Delay before the settings for reports are stored, ms, because several changes usually follow each other. */
const STORE_DELAY_MS = 5000;
/** Pause between two writes, ms, which limits the wear of the flash. */
const STORE_PAUSE_MS = 60_000;
/** Time after joining in which the coordinator queries the device, ms. */
const INTERVIEW_MS = 60_000;

/**
 * Difference between a report's number and those of recent answers. zigbee-herdsman-converters drop a report that has
 * one of the five previous numbers.
 */
const NUMBERS_APART = 16;

/** Set of the commands that are answers or reports, as bits: 01 04 07 09 0A 0B 0D 10 12 14 16. */
const ANSWER_COMMANDS = 0x552e92;

const NOTHING = 0;
const ANSWER = 1;
const REPORTED = 2;
const REQUEST = 3;

interface Answer extends Outgoing {
	tries: number;
	next: Answer | undefined;
}

export class Bridge implements LinkMachine, RadioListener {
	readonly chip: Chip;
	readonly #options: BridgeOptions;
	readonly #reports: Reports;
	#answers: Answer | undefined;
	#inFlight = NOTHING;
	#sequence: number;
	#failures = 0;
	#pauseUntilMs = 0;
	#storeMs = Number.POSITIVE_INFINITY;
	#storedMs = Number.NEGATIVE_INFINITY;
	#state = RADIO_OFF;
	#joinedMs = Number.NEGATIVE_INFINITY;

	constructor(options: BridgeOptions) {
		this.#options = options;
		this.#sequence = options.sequence;
		this.#reports = new Reports(new Attributes(options), options.reports);
		this.chip = options.chip(this);
	}

	get line(): LineSettings {
		return this.chip.line;
	}

	get servers(): readonly number[] {
		return this.#reports.attributes.clusters;
	}

	get clients(): readonly number[] {
		return this.#options.clients.map(({ cluster }) => cluster);
	}

	measured(readout: Readout, nowMs: number): void {
		this.#reports.attributes.setReadout(readout, nowMs);
		this.sendNext(nowMs);
	}

	meterFailed(isOld: boolean, nowMs: number): void {
		this.#reports.attributes.meterFailed(isOld, nowMs);
		this.sendNext(nowMs);
	}

	mapChanged(nowMs: number): void {
		const { length } = this.servers;
		this.#reports.attributes.mapChanged();
		this.#reports.forget();
		if (this.servers.length !== length) this.chip.clustersChanged(nowMs);
		this.sendNext(nowMs);
	}

	/** Updates the battery attributes. `volts`: voltage of all cells. Call it only on boards with cells. */
	batteryChanged(volts: number, percent: number, nowMs: number): void {
		this.#reports.attributes.setBattery(volts, percent);
		this.sendNext(nowMs);
	}

	/**
	 * True if a frame is in flight, if data wait to be sent or stored, or if the coordinator queries the device after
	 * joining.
	 */
	busy(nowMs: number): boolean {
		if (this.#storeMs < Number.POSITIVE_INFINITY) return true;
		if (!isJoined(this.#state)) return false;
		const { clients } = this.#options;
		if (nowMs - this.#joinedMs < INTERVIEW_MS || clients.some((client) => client.isBusy(nowMs))) return true;
		// A sleep does not wait for a coordinator that can't be reached.
		if (this.#failures >= TRIES) return false;
		return (
			this.#inFlight !== NOTHING ||
			this.#answers !== undefined ||
			this.#reports.dueMs <= nowMs ||
			clients.some(({ isReady }) => isReady)
		);
	}

	/** Returns the value of pair 1 to 5 that was reported last: kWh, kWh, W, V, A; NaN if there is none. */
	reportedValue(pair: number): number {
		return this.#reports.reported(pair) / [1, 1000, 1000, 1, 10, 100][pair];
	}

	reportedMs(pair: number): number {
		return this.#reports.reportedMs(pair);
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.chip.receive(bytes, start, end, nowMs);
		this.sendNext(nowMs);
	}

	poll(): Output {
		return this.chip.poll();
	}

	advance(nowMs: number): void {
		this.chip.advance(nowMs);
		for (const client of this.#options.clients) if (client.deadlineMs <= nowMs) client.advance(nowMs);
		if (this.#storeMs <= nowMs) this.store(nowMs);
		const { attributes } = this.#reports;
		if (attributes.identifyUntilMs <= nowMs) {
			attributes.identifyUntilMs = Number.POSITIVE_INFINITY;
			this.#options.user.identify(0);
		}
		this.sendNext(nowMs);
	}

	get deadlineMs(): number {
		let deadline = Math.min(this.chip.deadlineMs, this.#storeMs, this.#reports.attributes.identifyUntilMs);
		for (const client of this.#options.clients) deadline = Math.min(deadline, client.deadlineMs);
		if (!this.chip.canSend) return deadline;
		// The next frame must wait for the end of the pause. A report must also wait until it is due.
		const isWaiting = this.#answers !== undefined || this.#options.clients.some(({ isReady }) => isReady);
		return Math.min(deadline, Math.max(this.#pauseUntilMs, isWaiting ? 0 : this.#reports.dueMs));
	}

	radioChanged(nowMs: number): void {
		const { state } = this.chip;
		const isMember = isJoined(state);
		if (isMember !== isJoined(this.#state)) {
			if (isMember && this.#state === RADIO_JOINING) this.#joinedMs = nowMs;
			this.#inFlight = NOTHING;
			this.#reports.sent(false);
			this.#answers = undefined;
			this.#failures = this.#pauseUntilMs = 0;
			for (const client of this.#options.clients) {
				if (isMember) client.joined(nowMs);
				else client.left();
			}
		}
		this.#state = state;
		// Settings for reports belong to the coordinator that has made them.
		if (state === RADIO_IDLE || state === RADIO_JOINING || state === RADIO_LEAVING) this.#reports.reset();
		if (this.#reports.isChanged && !isMember) this.store(nowMs);
		this.#options.user.bridgeChanged(nowMs);
	}

	received(incoming: Incoming, nowMs: number): void {
		const frame = parseFrame(incoming);
		if (frame === undefined) return;
		const { control, command, isBroadcast } = frame;
		const { cluster, source, sourceEndpoint } = incoming;
		if (!isBroadcast) this.#failures = this.#pauseUntilMs = 0;
		const isCluster = (control & FRAME_CLUSTER) !== 0;
		if ((control & (FRAME_TO_CLIENT | FRAME_MANUFACTURER)) === FRAME_TO_CLIENT && (isCluster || isAnswer(command)))
			clientOf(this.#options.clients, cluster)?.received(frame, source, sourceEndpoint, nowMs);
		if (!isCluster && isAnswer(command)) return;
		const bytes = new Uint8Array(ANSWER_SIZE);
		const server = new Server(this.#reports, this.#options);
		const end = server.answer(frame, cluster, source, sourceEndpoint, bytes, nowMs);
		if (this.#reports.isChanged)
			this.#storeMs = Math.min(this.#storeMs, Math.max(nowMs + STORE_DELAY_MS, this.#storedMs + STORE_PAUSE_MS));
		if (end === 0) return;
		const ahead = (frame.sequence - this.#sequence + NUMBERS_APART) & 0xff;
		if (ahead <= 2 * NUMBERS_APART) this.#sequence = (frame.sequence + 128) & 0xff;
		const to = { destination: source, destinationEndpoint: sourceEndpoint };
		this.add({ cluster, ...to, bytes, start: 0, end, tries: 0, next: undefined });
		this.sendNext(nowMs);
	}

	sent(status: number, nowMs: number): void {
		const kind = this.#inFlight;
		const hasArrived = status === 0;
		this.#inFlight = NOTHING;
		if (hasArrived) this.#failures = this.#pauseUntilMs = 0;
		else this.#pauseUntilMs = nowMs + Math.min(PAUSE_MS * 2 ** this.#failures++, PAUSE_LIMIT_MS);
		if (kind === ANSWER) {
			const answer = this.#answers!;
			if (hasArrived || ++answer.tries === TRIES) this.#answers = answer.next;
		} else if (kind === REPORTED) {
			this.#reports.sent(hasArrived);
			if (hasArrived) this.#options.user.bridgeChanged(nowMs);
		} else if (kind >= REQUEST && !hasArrived) this.#options.clients[kind - REQUEST].failed(nowMs);
		this.sendNext(nowMs);
	}

	/** Queues an answer. If the queue is full, drops it. */
	private add(answer: Answer): void {
		let last = this.#answers;
		if (last === undefined) this.#answers = answer;
		else {
			let count = 1;
			for (; last.next !== undefined; last = last.next) count++;
			if (count < ANSWER_LIMIT) last.next = answer;
		}
	}

	private sendNext(nowMs: number): void {
		if (this.#inFlight !== NOTHING || nowMs < this.#pauseUntilMs || !this.chip.canSend) return;
		if (this.#answers !== undefined) {
			this.#inFlight = ANSWER;
			this.chip.send(this.#answers, nowMs);
			return;
		}
		const { clients } = this.#options;
		const client = clients.findIndex(({ isReady }) => isReady);
		if (client < 0 && this.#reports.dueMs > nowMs) return;
		const sequence = (this.#sequence + 1) & 0xff;
		const bytes = new Uint8Array(ZCL_LIMIT);
		const out: Outgoing = { cluster: 0, destination: 0, destinationEndpoint: 0, bytes, start: 0, end: 0 };
		if (client < 0) this.#reports.write(out, sequence, nowMs);
		else clients[client].write(out, sequence, nowMs);
		if (out.end === 0) return;
		this.#sequence = sequence;
		this.#inFlight = client < 0 ? REPORTED : REQUEST + client;
		this.chip.send(out, nowMs);
	}

	private store(nowMs: number): void {
		this.#storeMs = Number.POSITIVE_INFINITY;
		this.#storedMs = nowMs;
		this.#options.user.storeReports(this.#reports.pack());
	}
}

function isAnswer(command: number): boolean {
	return command < 32 && ((ANSWER_COMMANDS >> command) & 1) !== 0;
}

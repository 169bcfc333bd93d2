/**
 * The bridge between meter and Zigbee, as io/link.ts runs it on the coprocessor's port: the chip's driver, the clusters that
 * the endpoint serves, what is reported, and the clients that ask the coordinator.
 *
 * One frame is on its way at a time. When there is room for another, the first of these goes: an answer, what a client
 * asks, a report. A few answers wait (ANSWERS; who asks more at once asks again); clients and reports keep nothing that
 * waits: they write their newest when it is their turn. After a frame that did not arrive there is a pause, longer each
 * time, until one arrives or somebody sends us one; an answer is given up after TRIES, reports never are.
 */
import type { HostInfo, TextCodec } from "../io/host.js";
import type { Machine, Output } from "../io/machine.js";
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
	type RadioUser,
	ZCL_LIMIT,
} from "./radio.js";
import { Reports } from "./reports.js";
import { ANSWER_SIZE, clientOf, Server } from "./server.js";
import { FRAME_CLUSTER, FRAME_MANUFACTURER, FRAME_TO_CLIENT, parseFrame } from "./zcl.js";

/** Told inside calls of the bridge. */
export interface BridgeUser {
	/** State, network or values last sent may be others. */
	bridgeChanged(nowMs: number): void;
	/** Report settings of the coordinator, to be handed in at the next start; empty: there are none. */
	keepReports(bytes: Uint8Array): void;
	/** Somebody wants to see which device it is, for so many seconds; 0: no more. */
	identify(seconds: number): void;
}

export interface BridgeOptions {
	/** Makes the chip's driver. */
	chip(user: RadioUser): Chip;
	readonly user: BridgeUser;
	readonly info: HostInfo;
	readonly text: TextCodec;
	/** Alkaline cells that the board has room for; 0: no Power Configuration cluster, and the supply is USB. */
	readonly cells: number;
	/** Which code feeds which attribute (mapOf of obis/mapping.ts); `mapChanged` tells that it is another. */
	readonly map: Uint8Array;
	/** What keepReports was given last; undefined: nothing. */
	readonly reports: Uint8Array | undefined;
	readonly clients: readonly ClusterClient[];
	/**
	 * Number of the frame before the first, 0 to 255, another one at each start: coordinators drop a report that has the number
	 * of the one before, which a device on battery sent before it slept.
	 */
	readonly sequence: number;
}

/** Answers that wait. */
const ANSWERS = 4;
/** How often an answer is sent. */
const TRIES = 3;

/** After a frame that did not arrive; doubles each time. */
const PAUSE_MS = 500;
const PAUSE_LIMIT_MS = 60_000;
/** Report settings are written to flash so long after a change: several come in a row. */
const KEEP_MS = 5000;
/** Between two writes at least: a coordinator must not wear out flash. */
const KEEP_PAUSE_MS = 60_000;
/** A coordinator that has just let us in asks who we are: a device on battery waits with sleep. */
const INTERVIEW_MS = 60_000;

/**
 * Our numbers keep so far away from those of frames that were answered lately: an answer has the number of what it answers, and
 * zigbee-herdsman-converters drop a report with the number of one of the five frames before it.
 */
const NUMBERS_APART = 16;

/** A bit for each command of all clusters that answers another, or reports: 01 04 07 09 0A 0B 0D 10 12 14 16. */
const ANSWER_COMMANDS = 0x552e92;

/** What is on its way; from REQUEST on: of the client with that number. */
const NOTHING = 0;
const ANSWER = 1;
const REPORTED = 2;
const REQUEST = 3;

/** An answer that waits. */
interface Answer extends Outgoing {
	/** How often it was sent in vain. */
	tries: number;
	next: Answer | undefined;
}

export class Bridge implements Machine, RadioUser {
	readonly chip: Chip;
	readonly #options: BridgeOptions;
	readonly #reports: Reports;
	/** The first of those that wait: a chain, which takes nothing while there are none. */
	#answers: Answer | undefined;
	#onItsWay = NOTHING;
	#sequence: number;
	/** Frames in a row that did not arrive; nothing is sent before this. */
	#failures = 0;
	#pauseUntilMs = 0;
	/** When report settings are kept; Infinity: they are. */
	#keepMs = Number.POSITIVE_INFINITY;
	#keptMs = Number.NEGATIVE_INFINITY;
	/** RADIO_…, as told last. */
	#state = RADIO_OFF;
	/** When the coordinator has let us in. */
	#joinedMs = Number.NEGATIVE_INFINITY;

	constructor(options: BridgeOptions) {
		this.#options = options;
		this.#sequence = options.sequence;
		this.#reports = new Reports(new Attributes(options), options.reports);
		this.chip = options.chip(this);
	}

	/** For the chip. */
	get servers(): readonly number[] {
		return this.#reports.attributes.clusters;
	}

	get clients(): readonly number[] {
		return this.#options.clients.map(({ cluster }) => cluster);
	}

	/** A good readout of a meter (decision 20). */
	measured(readout: Readout, nowMs: number): void {
		this.#reports.attributes.take(readout, nowMs);
		this.pump(nowMs);
	}

	/** The meter was to be read, and gave none. */
	meterFailed(nowMs: number): void {
		this.#reports.attributes.meterFailed(nowMs);
		this.pump(nowMs);
	}

	/** The options have another map. */
	mapChanged(nowMs: number): void {
		const { length } = this.servers;
		this.#reports.attributes.mapChanged();
		this.#reports.forget();
		if (this.servers.length !== length) this.chip.clustersChanged(nowMs);
		this.pump(nowMs);
	}

	/** Volts of all cells together, and per cent that are left; only with room for cells. */
	batteryChanged(volts: number, percent: number, nowMs: number): void {
		this.#reports.attributes.setBattery(volts, percent);
		this.pump(nowMs);
	}

	/** Something is on its way, waits to be sent, or to be kept; or the coordinator is getting to know us. */
	busy(nowMs: number): boolean {
		if (this.#keepMs < Number.POSITIVE_INFINITY) return true;
		if (!isJoined(this.#state)) return false;
		const { clients } = this.#options;
		if (nowMs - this.#joinedMs < INTERVIEW_MS || clients.some((client) => client.isBusy(nowMs))) return true;
		// Nobody waits for a coordinator that does not hear us.
		if (this.#failures >= TRIES) return false;
		return (
			this.#onItsWay !== NOTHING ||
			this.#answers !== undefined ||
			this.#reports.dueMs <= nowMs ||
			clients.some(({ isReady }) => isReady)
		);
	}

	/** What was reported last of a pair of obis/mapping.ts, 1 to 5: kWh, kWh, W, V, A; NaN: nothing yet, or that it is unknown. */
	reportedValue(pair: number): number {
		return this.#reports.reported(pair) / [1, 1000, 1000, 1, 10, 100][pair];
	}

	/** When that was, monotonic. */
	reportedMs(pair: number): number {
		return this.#reports.reportedMs(pair);
	}

	/** Machine. */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.chip.receive(bytes, start, end, nowMs);
		this.pump(nowMs);
	}

	poll(): Output {
		return this.chip.poll();
	}

	advance(nowMs: number): void {
		this.chip.advance(nowMs);
		for (const client of this.#options.clients) if (client.deadlineMs <= nowMs) client.advance(nowMs);
		if (this.#keepMs <= nowMs) this.keep(nowMs);
		const { attributes } = this.#reports;
		if (attributes.identifyUntilMs <= nowMs) {
			attributes.identifyUntilMs = Number.POSITIVE_INFINITY;
			this.#options.user.identify(0);
		}
		this.pump(nowMs);
	}

	get deadlineMs(): number {
		let deadline = Math.min(this.chip.deadlineMs, this.#keepMs, this.#reports.attributes.identifyUntilMs);
		for (const client of this.#options.clients) deadline = Math.min(deadline, client.deadlineMs);
		if (!this.chip.canSend) return deadline;
		// What can be sent now has been: it waits for a pause to end, or is due later.
		const waits = this.#answers !== undefined || this.#options.clients.some(({ isReady }) => isReady);
		return Math.min(deadline, Math.max(this.#pauseUntilMs, waits ? 0 : this.#reports.dueMs));
	}

	/** RadioUser. */
	radioChanged(nowMs: number): void {
		const { state } = this.chip;
		const isIn = isJoined(state);
		if (isIn !== isJoined(this.#state)) {
			if (isIn && this.#state === RADIO_JOINING) this.#joinedMs = nowMs;
			this.#onItsWay = NOTHING;
			this.#reports.sent(false);
			this.#answers = undefined;
			this.#failures = this.#pauseUntilMs = 0;
			for (const client of this.#options.clients) {
				if (isIn) client.joined(nowMs);
				else client.left();
			}
		}
		this.#state = state;
		// What one coordinator has configured is of no use to the next.
		if (state === RADIO_IDLE || state === RADIO_JOINING || state === RADIO_LEAVING) this.#reports.reset();
		if (this.#reports.isChanged && !isIn) this.keep(nowMs);
		this.#options.user.bridgeChanged(nowMs);
	}

	received(incoming: Incoming, nowMs: number): void {
		const frame = parseFrame(incoming);
		if (frame === undefined) return;
		const { control, command, isBroadcast } = frame;
		const { cluster, source, sourceEndpoint } = incoming;
		// Somebody hears us.
		if (!isBroadcast) this.#failures = this.#pauseUntilMs = 0;
		const isCluster = (control & FRAME_CLUSTER) !== 0;
		if ((control & (FRAME_TO_CLIENT | FRAME_MANUFACTURER)) === FRAME_TO_CLIENT && (isCluster || isAnswer(command)))
			clientOf(this.#options.clients, cluster)?.received(frame, source, sourceEndpoint, nowMs);
		if (!isCluster && isAnswer(command)) return;
		const bytes = new Uint8Array(ANSWER_SIZE);
		const server = new Server(this.#reports, this.#options);
		const end = server.answer(frame, cluster, source, sourceEndpoint, bytes, nowMs);
		if (this.#reports.isChanged)
			this.#keepMs = Math.min(this.#keepMs, Math.max(nowMs + KEEP_MS, this.#keptMs + KEEP_PAUSE_MS));
		if (end === 0) return;
		const ahead = (frame.sequence - this.#sequence + NUMBERS_APART) & 0xff;
		if (ahead <= 2 * NUMBERS_APART) this.#sequence = (frame.sequence + 128) & 0xff;
		const to = { destination: source, destinationEndpoint: sourceEndpoint };
		this.add({ cluster, ...to, bytes, start: 0, end, tries: 0, next: undefined });
		this.pump(nowMs);
	}

	sent(status: number, nowMs: number): void {
		const what = this.#onItsWay;
		const hasArrived = status === 0;
		this.#onItsWay = NOTHING;
		if (hasArrived) this.#failures = this.#pauseUntilMs = 0;
		else this.#pauseUntilMs = nowMs + Math.min(PAUSE_MS * 2 ** this.#failures++, PAUSE_LIMIT_MS);
		if (what === ANSWER) {
			const answer = this.#answers!;
			if (hasArrived || ++answer.tries === TRIES) this.#answers = answer.next;
		} else if (what === REPORTED) {
			this.#reports.sent(hasArrived);
			if (hasArrived) this.#options.user.bridgeChanged(nowMs);
		} else if (what >= REQUEST && !hasArrived) this.#options.clients[what - REQUEST].failed(nowMs);
		this.pump(nowMs);
	}

	/** Behind those that wait, where there is room. */
	private add(answer: Answer): void {
		let last = this.#answers;
		if (last === undefined) this.#answers = answer;
		else {
			let count = 1;
			for (; last.next !== undefined; last = last.next) count++;
			if (count < ANSWERS) last.next = answer;
		}
	}

	/** Sends what is next. */
	private pump(nowMs: number): void {
		if (this.#onItsWay !== NOTHING || nowMs < this.#pauseUntilMs || !this.chip.canSend) return;
		if (this.#answers !== undefined) {
			this.#onItsWay = ANSWER;
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
		this.#onItsWay = client < 0 ? REPORTED : REQUEST + client;
		this.chip.send(out, nowMs);
	}

	private keep(nowMs: number): void {
		this.#keepMs = Number.POSITIVE_INFINITY;
		this.#keptMs = nowMs;
		this.#options.user.keepReports(this.#reports.pack());
	}
}

/** Whether a command that all clusters have answers another one, or is a report. */
function isAnswer(command: number): boolean {
	return command < 32 && ((ANSWER_COMMANDS >> command) & 1) !== 0;
}

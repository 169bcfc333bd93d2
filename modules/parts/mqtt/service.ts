/**
 * Owns the connection that publisher.ts needs. As long as MQTT is off, no publisher exists.
 *
 * Messages are made only in ticks of the driver and in callbacks of the connection. Calls by others set `#newsMs` at
 * most, because they come from inside requests and meter sessions, where too little stack is left.
 *
 * Each command runs in a separate tick, COMMAND_PAUSE_MS after the previous one. The same command is not queued twice.
 *
 * Limits: PIECE bytes per read or write; PIECES_AT_ONCE reads in one tick.
 */

import { CERTIFICATE_LIMIT } from "../../config/trusted-certificates.js";
import type { Core, Running } from "../../core/core.js";
import { kind } from "../../diagnostics/events.js";
import { CLIENT_UNREACHABLE, type Client, type ClientPort, type TLSClientOptions } from "../../io/client.js";
import type { ScheduledMachine, Task } from "../../io/driver.js";
import { NO_NETWORK } from "../../mqtt/failures.js";
import { COMMANDS } from "../../mqtt/messages.js";
import type { FileReceiver } from "../../mqtt/session.js";
import {
	Output,
	type OutputAccess,
	type OutputDeps,
	type OutputListener,
	type SendTest,
} from "../../publish/output.js";
import type { Readout } from "../../readout/readout.js";
import { CERTIFICATE } from "../certificate/part.js";
import { OutputPart, type OutputPartOptions } from "../publish/output-part.js";
import { MQTT_CERTIFICATE, MQTT_CLIENT_CERT, MQTT_ENABLED, MQTT_PAUSE_SECS } from "./fields.js";
import { type CommandListener, MQTT_OFF, MQTT_OPENING, MQTT_OUTPUT, MQTT_UP, Publisher } from "./publisher.js";
import { MQTT_TEXTS } from "./routes.js";

/** First failure after a success. The event's detail is the code of the failure. */
export const EVENT_MQTT_FAILED = kind(20, "mqtt_failed", { isPlain: true });
/** First success after a failure: the broker has accepted everything. */
export const EVENT_MQTT_SENT = kind(21, "mqtt_sent");

export const MQTT_PART: OutputPartOptions = Object.freeze({
	texts: MQTT_TEXTS,
	certificate: MQTT_CERTIFICATE,
	limit: CERTIFICATE_LIMIT,
	keys: "mqtt_cert",
	failed: EVENT_MQTT_FAILED,
	works: EVENT_MQTT_SENT,
});

const PIECE = 512;
const PIECES_AT_ONCE = 8;
const CONNECT_MS = 15_000;
const COMMAND_PAUSE_MS = 2000;
const MINUTE_S = 60;
/** Time after the last message or ping for which clients still count as wanting live values. */
const WANTED_MS = 120_000;

/** Carries out a command. `whyNot`: reason to ignore the command, or "". */
export type CommandTaker = (command: string, whyNot: string) => void;

interface Connection {
	readonly client: Client;
	readonly buffer: Uint8Array;
	/** Number of bytes that the connection accepts; -1 until it is open. */
	writable: number;
}

export class MQTTService
	extends OutputPart<MQTTService>
	implements CommandListener, OutputListener, Running, ScheduledMachine
{
	readonly output: Output;
	readonly #deps: OutputDeps;
	readonly #task: Task;
	#publisher: Publisher | undefined;
	#isUp = false;
	#connection: Connection | undefined;
	/** Value of the publisher's `connection` that was handled last. */
	#served = 0;
	#hasNetwork = false;
	#news: Readout | undefined;
	/** True if a readout failed after `#news`, and the publisher does not know that yet. */
	#hasFailed = false;
	#isUpdateNews = false;
	#isTested = false;
	/** True if settings have changed that the publisher does not use yet. */
	#hasChanged = false;
	#newsMs = Number.POSITIVE_INFINITY;
	#againMs = Number.POSITIVE_INFINITY;
	readonly #taker: CommandTaker;
	readonly files: FileReceiver | undefined;
	/** Commands to carry out. Each is a bit at its index in COMMANDS. */
	#commands = 0;
	#commandMs = Number.POSITIVE_INFINITY;
	#pausedUntilMs = 0;
	/** Delay of the first connection after the start, ms; 0 afterwards. */
	#delayMs: number;

	constructor(core: Core, deps: OutputDeps, taker: CommandTaker, delayMs = 0, files?: FileReceiver) {
		super(core, MQTT_PART);
		this.files = files;
		this.#taker = taker;
		this.#delayMs = delayMs;
		this.#deps = deps;
		this.output = new Output(deps, this, this, MQTT_OUTPUT);
		this.#task = deps.driver.register("mqtt", this);
	}

	get publisher(): Publisher | undefined {
		return this.#publisher;
	}

	override get sender(): MQTTService {
		return this;
	}

	borrowIdentity(): ReturnType<NonNullable<OutputAccess["borrowIdentity"]>> {
		const { config, ledger } = this.core;
		return config.get(MQTT_CLIENT_CERT) ? this.core.find(CERTIFICATE).borrow(ledger) : undefined;
	}

	get isSending(): boolean {
		return this.#newsMs < Number.POSITIVE_INFINITY || (this.#publisher?.isBusy ?? false);
	}

	whenMeasured(readout: Readout): void {
		this.#task.update((nowMs) => {
			this.#news = readout;
			this.#hasFailed = false;
			this.#newsMs = nowMs;
		});
	}

	whenMeterFailed(): void {
		this.#task.update((nowMs) => {
			this.#hasFailed = true;
			this.#newsMs = nowMs;
		});
	}

	forgetMeter(): void {
		this.#task.update(() => {
			this.#news = undefined;
			this.#publisher?.forgetMeter();
		});
	}

	whenUpdateChanged(): void {
		if (this.#publisher === undefined) return;
		this.#task.update((nowMs) => {
			this.#isUpdateNews = true;
			this.#newsMs = nowMs;
		});
	}

	whenNetworkChanged(isUp: boolean): void {
		this.#hasNetwork = isUp;
		this.#task.update((nowMs) => {
			this.#publisher?.networkChanged(false, nowMs);
			if (this.#deps.config.get(MQTT_ENABLED)) this.#publisher ??= this.beginning(nowMs);
			this.#publisher?.networkChanged(isUp, nowMs, this.#delayMs);
			if (isUp) this.#delayMs = 0;
		});
	}

	settingsChanged(): void {
		this.#task.update((nowMs) => {
			this.output.renew();
			this.#hasChanged = true;
			this.#newsMs = nowMs;
		});
	}

	/** Starts a test. Returns false during another test and shortly after one. */
	test(test: SendTest): boolean {
		return this.#task.update((nowMs) => {
			const isReady = this.#hasChanged || this.#publisher !== undefined;
			if (!isReady || !this.output.test(test, nowMs)) return false;
			this.#isTested = true;
			this.#newsMs = nowMs;
			return true;
		});
	}

	cancel(test: SendTest): void {
		this.#task.update((nowMs) => this.output.cancel(test, nowMs));
	}

	/** `ok`, `connecting`, or the code of a failure. */
	get stateText(): string {
		if (!this.#hasNetwork) return NO_NETWORK.code;
		const isUp = this.#publisher?.state === MQTT_UP && !this.#hasChanged;
		return this.output.failure?.code ?? (isUp ? "ok" : "connecting");
	}

	/** Closes the connection without DISCONNECT, so that the broker publishes the will. */
	override whenStopping(): void {
		this.#task.stop();
		this.close();
		this.output.giveBack();
	}

	permitted(): void {
		this.#task.fromHost((nowMs) => this.#publisher?.permitted(nowMs));
	}

	permitWanted(): void {
		this.#task.fromHost((nowMs) => this.#publisher?.permitWanted(nowMs));
	}

	get deadlineMs(): number {
		const publisherMs = this.#publisher?.deadlineMs ?? Number.POSITIVE_INFINITY;
		return Math.min(this.#againMs, this.#newsMs, this.#commandMs, this.output.deadlineMs, publisherMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#newsMs) this.takeNews(nowMs);
		if (nowMs >= this.#againMs) this.read(nowMs);
		if (nowMs >= this.#commandMs) this.runCommand(nowMs);
		this.#publisher?.advance(nowMs);
	}

	drain(nowMs: number): void {
		if (this.#publisher !== undefined) this.serve(this.#publisher, nowMs);
		this.output.drain(nowMs);
	}

	private serve(publisher: Publisher, nowMs: number): void {
		this.write(publisher, nowMs);
		const isUp = publisher.state === MQTT_UP;
		const { config, live } = this.#deps;
		if (isUp !== this.#isUp) live?.changed();
		this.#isUp = isUp;
		if (isUp && live !== undefined && config.get(MQTT_PAUSE_SECS) < MINUTE_S)
			live.wantedToMs = Math.max(live.wantedToMs, nowMs + WANTED_MS);
		if (publisher.connection !== this.#served) {
			this.#served = publisher.connection;
			this.close();
			if (publisher.state === MQTT_OPENING) this.openConnection(publisher);
		}
		if (publisher.state !== MQTT_OFF || this.#deps.config.get(MQTT_ENABLED)) return;
		this.#publisher = undefined;
		// The next publisher counts its connections from 0.
		this.#served = 0;
		this.output.answer(NO_NETWORK, 0, nowMs);
	}

	private takeNews(nowMs: number): void {
		const readout = this.#news;
		this.#news = undefined;
		this.#newsMs = Number.POSITIVE_INFINITY;
		if (this.#hasChanged) this.reconfigure(nowMs);
		// A publisher is needed even without a network, because a battery device may turn its radio on only for this
		// readout.
		if (this.#deps.config.get(MQTT_ENABLED)) this.#publisher ??= new Publisher(this.#deps, this.output, this);
		if (readout !== undefined) this.#publisher?.measured(readout, nowMs);
		if (this.#hasFailed) this.#publisher?.meterFailed(nowMs);
		if (this.#isUpdateNews) this.#publisher?.updateChanged(nowMs);
		if (this.#isTested) this.#publisher?.test(nowMs);
		this.#hasFailed = this.#isUpdateNews = this.#isTested = false;
	}

	private reconfigure(nowMs: number): void {
		this.#hasChanged = false;
		if (this.#publisher === undefined) {
			this.#publisher = this.beginning(nowMs);
			this.#publisher.networkChanged(this.#hasNetwork, nowMs);
		} else this.#publisher.reconfigure(nowMs);
	}

	/** Creates a publisher and passes it the last readout, so that values are published as soon as MQTT is enabled. */
	private beginning(nowMs: number): Publisher {
		const publisher = new Publisher(this.#deps, this.output, this);
		const readout = this.#deps.reader.outcomes.measured;
		if (readout !== undefined) publisher.measured(readout, nowMs);
		return publisher;
	}

	commanded(payload: string, isRetained: boolean, nowMs: number): void {
		const index = COMMANDS.indexOf(payload);
		// A retained command is ignored, because it would run again after each connection.
		if (isRetained || index < 0) this.#taker(payload, isRetained ? "retained" : "unknown");
		else {
			this.#commands |= 1 << index;
			this.#commandMs = Math.max(nowMs, this.#pausedUntilMs);
		}
	}

	private runCommand(nowMs: number): void {
		let index = 0;
		while ((this.#commands & (1 << index)) === 0) index++;
		this.#commands &= ~(1 << index);
		this.#pausedUntilMs = nowMs + COMMAND_PAUSE_MS;
		this.#commandMs = this.#commands === 0 ? Number.POSITIVE_INFINITY : this.#pausedUntilMs;
		this.#taker(COMMANDS[index], "");
	}

	private openConnection(publisher: Publisher): void {
		const { broker } = publisher;
		const connect = (port: ClientPort, tls: TLSClientOptions | undefined) =>
			new port.io({
				...port.pins,
				host: broker?.host ?? "",
				port: broker?.port ?? 0,
				timeoutMs: CONNECT_MS,
				...(tls === undefined ? {} : { tls }),
				onReadable: () => this.#task.fromHost((ms) => this.read(ms)),
				onWritable: (count) => this.#task.fromHost((ms) => this.writable(count, ms)),
				onError: (code) => this.#task.fromHost((ms) => this.#publisher?.lost(code, ms)),
			});
		const client = broker === undefined ? CLIENT_UNREACHABLE : this.output.connect(broker.secure, connect);
		if (typeof client === "number") this.#task.update((ms) => publisher.lost(client, ms));
		else this.#connection = { client, buffer: new Uint8Array(PIECE), writable: -1 };
	}

	private close(): void {
		const client = this.#connection?.client;
		this.#connection = undefined;
		this.#againMs = Number.POSITIVE_INFINITY;
		this.output.keep(client?.session);
		client?.close();
	}

	private writable(count: number, nowMs: number): void {
		const connection = this.#connection;
		if (connection === undefined) return;
		if (connection.writable < 0) this.#publisher?.connected(nowMs);
		connection.writable = count;
	}

	private write(publisher: Publisher, nowMs: number): void {
		const connection = this.#connection;
		while (connection !== undefined && connection.writable > 0) {
			const { buffer, client, writable } = connection;
			const count = publisher.take(buffer, 0, Math.min(PIECE, writable), nowMs);
			if (count === 0) break;
			connection.writable = client.write(buffer, 0, count);
			// If this message was sent with QoS 0, the next one may follow immediately.
			publisher.work(nowMs);
		}
	}

	private read(nowMs: number): void {
		this.#againMs = Number.POSITIVE_INFINITY;
		const connection = this.#connection;
		const publisher = this.#publisher;
		if (connection === undefined || publisher === undefined) return;
		const { buffer, client } = connection;
		for (let i = 0; i < PIECES_AT_ONCE && publisher.connection === this.#served; i++) {
			const count = client.read(buffer);
			if (count === undefined) return;
			publisher.received(buffer, 0, count, nowMs);
		}
		this.#againMs = nowMs;
	}
}

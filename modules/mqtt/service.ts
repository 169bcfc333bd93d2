/**
 * Has the connection open that publisher.ts wants, writes what it has to send as far as the broker takes it, and gives it
 * what comes. For app/gateway.ts. While MQTT is off there is no publisher.
 *
 * Limits: PIECE bytes are written or read at a time, PIECES_AT_ONCE of them read in one go; then all else may run.
 */
import { CLIENT_UNREACHABLE, type Client, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { ScheduledMachine, Task } from "../io/driver.js";
import { Output, type OutputAccess, type OutputDeps, type OutputListener, type SendTest } from "../publish/output.js";
import type { Readout } from "../readout/readout.js";
import { NO_NETWORK } from "./failures.js";
import { MQTT_ENABLED } from "./fields.js";
import { MQTT_OFF, MQTT_OPENING, MQTT_OUTPUT, MQTT_UP, Publisher } from "./publisher.js";

const PIECE = 512;
const PIECES_AT_ONCE = 8;
const CONNECT_MS = 15_000;
/** One that is opened, or stands. */
interface Connection {
	readonly client: Client;
	readonly buffer: Uint8Array;
	/** Bytes that it takes; -1: it does not stand yet. */
	writable: number;
}

export class MQTTService implements ScheduledMachine, OutputListener {
	readonly output: Output;
	readonly #deps: OutputDeps;
	readonly #task: Task;
	/** Undefined: MQTT is off. */
	#publisher: Publisher | undefined;
	/** The broker had let us in after the last change. */
	#isUp = false;
	#connection: Connection | undefined;
	/** `connection` of the publisher, as it was served last. */
	#served = 0;
	#hasNetwork = false;
	/** A readout that the publisher does not know yet; that reading has failed since; and when the last of them came. */
	#news: Readout | undefined;
	#hasFailed = false;
	#newsMs = Number.POSITIVE_INFINITY;
	/** More waits to be read than was read in one go. */
	#againMs = Number.POSITIVE_INFINITY;

	constructor(deps: OutputDeps, access: OutputAccess) {
		this.#deps = deps;
		this.output = new Output(deps, access, this, MQTT_OUTPUT);
		this.#task = deps.driver.register("mqtt", this);
	}

	/** How it stands; undefined: MQTT is off. */
	get publisher(): Publisher | undefined {
		return this.#publisher;
	}

	get isSending(): boolean {
		return this.#newsMs < Number.POSITIVE_INFINITY || (this.#publisher?.isBusy ?? false);
	}

	/** Taken in a turn of the driver: with the end of the conversation it would not fit on the chip's stack. */
	measured(readout: Readout): void {
		this.#task.update((nowMs) => {
			this.#news = readout;
			this.#hasFailed = false;
			this.#newsMs = nowMs;
		});
	}

	/** Attempts to read the meter fail now. */
	meterFailed(): void {
		this.#task.update((nowMs) => {
			this.#hasFailed = true;
			this.#newsMs = nowMs;
		});
	}

	/** The next readout is another meter's. */
	forgetMeter(): void {
		this.#task.update(() => {
			this.#news = undefined;
			this.#publisher?.forgetMeter();
		});
	}

	/** We have another address in a network, or none any more. */
	networkChanged(isUp: boolean): void {
		this.#hasNetwork = isUp;
		this.#task.update((nowMs) => {
			// Connections of the old IP address are dead.
			this.#publisher?.networkChanged(false, nowMs);
			if (this.#deps.config.get(MQTT_ENABLED)) this.#publisher ??= this.beginning(nowMs);
			this.#publisher?.networkChanged(isUp, nowMs);
		});
	}

	/** Settings of MQTT are other ones. */
	settingsChanged(): void {
		this.#task.update((nowMs) => {
			if (this.#publisher === undefined) {
				this.output.renew();
				this.#publisher = this.beginning(nowMs);
				this.#publisher.networkChanged(this.#hasNetwork, nowMs);
			} else this.#publisher.reconfigure(nowMs);
		});
	}

	/** Publishes now; false: a test is going on, or was a moment ago. */
	test(test: SendTest): boolean {
		return this.#task.update((nowMs) => {
			if (this.#publisher === undefined || !this.output.test(test, nowMs)) return false;
			this.#publisher.test(nowMs);
			return true;
		});
	}

	cancel(test: SendTest): void {
		this.#task.update((nowMs) => this.output.cancel(test, nowMs));
	}

	/** While MQTT is enabled, for status: `ok`, `connecting`, or the code of what is wrong. */
	get stateText(): string {
		if (!this.#hasNetwork) return NO_NETWORK.code;
		return this.output.failure?.code ?? (this.#publisher?.state === MQTT_UP ? "ok" : "connecting");
	}

	/** For good. The broker publishes our will. */
	stop(): void {
		this.#task.stop();
		this.close();
		this.output.giveBack();
	}

	/** For Output. */
	permitted(): void {
		this.#task.fromHost((nowMs) => this.#publisher?.permitted(nowMs));
	}

	/** For Output. */
	permitWanted(): void {
		this.#task.fromHost((nowMs) => this.#publisher?.permitWanted(nowMs));
	}

	/** For the driver. */
	get deadlineMs(): number {
		const publisherMs = this.#publisher?.deadlineMs ?? Number.POSITIVE_INFINITY;
		return Math.min(this.#againMs, this.#newsMs, this.output.deadlineMs, publisherMs);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs >= this.#newsMs) this.takeNews(nowMs);
		if (nowMs >= this.#againMs) this.read(nowMs);
		this.#publisher?.advance(nowMs);
	}

	/** Opens what is wanted, closes what is not, and writes. */
	drain(nowMs: number): void {
		if (this.#publisher !== undefined) this.serve(this.#publisher, nowMs);
		this.output.drain(nowMs);
	}

	private serve(publisher: Publisher, nowMs: number): void {
		this.write(publisher, nowMs);
		const isUp = publisher.state === MQTT_UP;
		if (isUp !== this.#isUp) this.#deps.live?.changed();
		this.#isUp = isUp;
		if (publisher.connection !== this.#served) {
			this.#served = publisher.connection;
			this.close();
			if (publisher.state === MQTT_OPENING) this.open(publisher);
		}
		if (publisher.state !== MQTT_OFF || this.#deps.config.get(MQTT_ENABLED)) return;
		this.#publisher = undefined;
		this.output.answer(NO_NETWORK, 0, nowMs);
	}

	private takeNews(nowMs: number): void {
		const readout = this.#news;
		this.#news = undefined;
		this.#newsMs = Number.POSITIVE_INFINITY;
		// It may be what a device on batteries turns its radio on for.
		if (this.#deps.config.get(MQTT_ENABLED)) this.#publisher ??= new Publisher(this.#deps, this.output);
		if (readout !== undefined) this.#publisher?.measured(readout, nowMs);
		if (this.#hasFailed) this.#publisher?.meterFailed(nowMs);
		this.#hasFailed = false;
	}

	/** One that knows the last readout: who turns MQTT on need not wait for the next. */
	private beginning(nowMs: number): Publisher {
		const publisher = new Publisher(this.#deps, this.output);
		const readout = this.#deps.reader.outcomes.measured;
		if (readout !== undefined) publisher.measured(readout, nowMs);
		return publisher;
	}

	private open(publisher: Publisher): void {
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

	/** It takes `count` bytes. */
	private writable(count: number, nowMs: number): void {
		const connection = this.#connection;
		if (connection === undefined) return;
		if (connection.writable < 0) this.#publisher?.stands(nowMs);
		connection.writable = count;
	}

	private write(publisher: Publisher, nowMs: number): void {
		const connection = this.#connection;
		while (connection !== undefined && connection.writable > 0) {
			const { buffer, client, writable } = connection;
			const count = publisher.take(buffer, 0, Math.min(PIECE, writable), nowMs);
			if (count === 0) break;
			connection.writable = client.write(buffer, 0, count);
			// What needs no answer may be followed by the next at once.
			publisher.work(nowMs);
		}
		publisher.work(nowMs);
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

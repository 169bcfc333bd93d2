/**
 * Has the connection open that publisher.ts wants, writes what it has to send as far as the broker takes it, and gives it
 * what comes. For app/gateway.ts. While MQTT is off there is no publisher.
 *
 * Limits: PIECE bytes are written or read at a time, PIECES_AT_ONCE of them read in one go; then the others have their turn.
 */
import { NO_MEMORY } from "../config/blob.js";
import type { TrustedCertificates } from "../config/trusted-certificates.js";
import {
	CLIENT_OUT_OF_MEMORY,
	CLIENT_UNREACHABLE,
	CLIENT_UNTRUSTED,
	type Client,
	type TLSClientOptions,
} from "../io/client.js";
import type { Drive, Driven, Driver } from "../io/driver.js";
import type { Clock, Network } from "../io/host.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import type { Turn, TurnHolder } from "../publish/turn.js";
import type { Readout } from "../readout/readout.js";
import { NO_NETWORK } from "./failures.js";
import { MQTT_ENABLED } from "./fields.js";
import {
	MQTT_OFF,
	MQTT_OPENING,
	MQTT_UP,
	type MQTTTest,
	Publisher,
	type PublisherOwner,
	type PublisherWorld,
} from "./publisher.js";

/** Who is told how it stands. */
export interface MQTTUser {
	/** What is wrong is something else than before; undefined: nothing is any more. */
	mqttChanged(failure: OutputFailure | undefined): void;
}

export interface MQTTWorld extends PublisherWorld {
	readonly driver: Driver;
	readonly clock: Pick<Clock, "utcMs">;
	readonly ports: Pick<Network, "tcpClient" | "tlsClient">;
	readonly certificates: Pick<TrustedCertificates, "isSet" | "lend">;
	readonly turn: Turn;
	readonly user: MQTTUser;
	/** Is told of each change of what the status shows. */
	readonly live?: { changed(): void };
	readonly reader: { readonly outcomes: { readonly measured: Readout | undefined } };
}

const PIECE = 512;
const PIECES_AT_ONCE = 8;
const CONNECT_MS = 15_000;
/** The longest session of TLS that is kept, bytes: that of a ticket. */
const SESSION_KEPT = 1024;

/** One that is opened, or stands. */
interface Connection {
	readonly client: Client;
	readonly buffer: Uint8Array;
	/** Bytes that it takes; -1: it does not stand yet. */
	writable: number;
}

export class MQTTService implements Driven, PublisherOwner, TurnHolder {
	readonly #world: MQTTWorld;
	readonly #drive: Drive;
	/** Unix ms at which the broker had all values of a readout for the last time; 0: never, or the clock was not set. */
	sentUtcMs = 0;
	/** Undefined: MQTT is off. */
	#publisher: Publisher | undefined;
	/** The broker had let us in after the last change. */
	#isUp = false;
	#connection: Connection | undefined;
	/** The turn of the publisher that was served last. */
	#turn = 0;
	/** Of TLS: shortens the next handshake with the same broker. */
	#session: Uint8Array | undefined;
	#hasNetwork = false;
	/** A readout that the publisher does not know yet, and since when. */
	#news: Readout | undefined;
	#newsMs = Number.POSITIVE_INFINITY;
	/** More waits to be read than was read in one go. */
	#againMs = Number.POSITIVE_INFINITY;

	constructor(world: MQTTWorld) {
		this.#world = world;
		this.#drive = world.driver.drive("mqtt", this);
	}

	/** How it stands; undefined: MQTT is off. */
	get publisher(): Publisher | undefined {
		return this.#publisher;
	}

	get isSending(): boolean {
		return this.#news !== undefined || (this.#publisher?.isBusy ?? false);
	}

	/** Taken in a turn of the driver: with the end of the conversation it would not fit on the chip's stack. */
	measured(readout: Readout): void {
		this.#drive.tell((nowMs) => {
			this.#news = readout;
			this.#newsMs = nowMs;
		});
	}

	/** The next readout is another meter's. */
	forgetMeter(): void {
		this.#drive.tell(() => {
			this.#news = undefined;
			this.#publisher?.forgetMeter();
		});
	}

	/** We have another address in a network, or none any more. */
	networkChanged(isUp: boolean): void {
		this.#hasNetwork = isUp;
		this.#drive.tell((nowMs) => {
			// What stood by the address of before is dead.
			this.#publisher?.networkChanged(false, nowMs);
			if (this.#world.config.get(MQTT_ENABLED)) this.#publisher ??= this.beginning(nowMs);
			this.#publisher?.networkChanged(isUp, nowMs);
		});
	}

	/** Settings of MQTT are other ones. */
	settingsChanged(): void {
		this.#session = undefined;
		this.#drive.tell((nowMs) => {
			if (this.#publisher === undefined) {
				this.#publisher = this.beginning(nowMs);
				this.#publisher.networkChanged(this.#hasNetwork, nowMs);
			} else this.#publisher.reconfigure(nowMs);
		});
	}

	/** Publishes now; `test` is told once what came of it, maybe before this returns. False: it may not be tested now. */
	test(test: MQTTTest): boolean {
		return this.#drive.tell((nowMs) => this.#publisher?.test(test, nowMs)) ?? false;
	}

	cancel(test: MQTTTest): void {
		this.#publisher?.cancel(test);
	}

	/** Of MQTT that is enabled, for status: `ok`, `connecting`, or the code of what is wrong. */
	get stateText(): string {
		const { failure, state } = this.#publisher ?? {};
		if (!this.#hasNetwork) return NO_NETWORK.code;
		return failure?.code ?? (state === MQTT_UP ? "ok" : "connecting");
	}

	/** For Publisher. */
	readoutTaken(): void {
		this.sentUtcMs = this.#world.clock.utcMs() ?? 0;
	}

	/** For good. The broker publishes our will. */
	stop(): void {
		this.#drive.stop();
		this.close();
		this.giveBackTurn();
	}

	/** For Turn. */
	turnGiven(): void {
		this.#drive.run((nowMs) => this.#publisher?.turnGiven(nowMs));
	}

	/** For Turn. */
	turnWanted(): void {
		this.#drive.run((nowMs) => this.#publisher?.turnWanted(nowMs));
	}

	/** For Publisher, as what follows. */
	askTurn(): boolean {
		return this.#world.turn.ask(this);
	}

	giveBackTurn(): void {
		this.#world.turn.giveBack(this);
	}

	get hasCertificate(): boolean {
		return this.#world.certificates.isSet;
	}

	failureChanged(failure: OutputFailure | undefined): void {
		this.#world.live?.changed();
		this.#world.user.mqttChanged(failure);
	}

	/** For the driver. */
	get deadlineMs(): number {
		return Math.min(this.#againMs, this.#newsMs, this.#publisher?.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs >= this.#newsMs) this.takeNews(nowMs);
		if (nowMs >= this.#againMs) this.read(nowMs);
		this.#publisher?.advance(nowMs);
	}

	/** Opens what is wanted, closes what is not, and writes. */
	drain(nowMs: number): void {
		const publisher = this.#publisher;
		if (publisher === undefined) return;
		this.write(publisher, nowMs);
		const isUp = publisher.state === MQTT_UP;
		if (isUp !== this.#isUp) this.#world.live?.changed();
		this.#isUp = isUp;
		if (publisher.turn !== this.#turn) {
			this.#turn = publisher.turn;
			this.close();
			if (publisher.state === MQTT_OPENING) this.open(publisher);
		}
		if (publisher.state === MQTT_OFF && !this.#world.config.get(MQTT_ENABLED)) this.#publisher = undefined;
	}

	private takeNews(nowMs: number): void {
		const readout = this.#news;
		this.#news = undefined;
		this.#newsMs = Number.POSITIVE_INFINITY;
		// It may be what a device on batteries turns its radio on for.
		if (this.#world.config.get(MQTT_ENABLED)) this.#publisher ??= new Publisher(this.#world, this);
		if (readout !== undefined) this.#publisher?.measured(readout, nowMs);
	}

	/** One that knows the last readout: who turns MQTT on need not wait for the next. */
	private beginning(nowMs: number): Publisher {
		const publisher = new Publisher(this.#world, this);
		const readout = this.#world.reader.outcomes.measured;
		if (readout !== undefined) publisher.measured(readout, nowMs);
		return publisher;
	}

	private open(publisher: Publisher): void {
		const { broker } = publisher;
		const { ports, certificates, clock } = this.#world;
		const port = broker?.secure ? ports.tlsClient : ports.tcpClient;
		if (broker === undefined || port === undefined) {
			this.#drive.tell((ms) => publisher.lost(CLIENT_UNREACHABLE, ms));
			return;
		}
		const { host, port: number, secure } = broker;
		const connect = (tls?: TLSClientOptions) =>
			new port.io({
				...port.pins,
				host,
				port: number,
				timeoutMs: CONNECT_MS,
				...(tls === undefined ? {} : { tls }),
				onReadable: () => this.#drive.run((ms) => this.read(ms)),
				onWritable: (count) => this.#drive.run((ms) => this.writable(count, ms)),
				onError: (code) => this.#drive.run((ms) => this.#publisher?.lost(code, ms)),
			});
		const utcMs = clock.utcMs();
		let client: Client | typeof NO_MEMORY | undefined;
		try {
			if (!secure) client = connect();
			else client = certificates.lend((trusted) => connect({ trusted, utcMs, session: this.#session }));
		} catch {
			// The host can't use the certificate.
		}
		if (client === undefined || client === NO_MEMORY) {
			const code = client === undefined ? CLIENT_UNTRUSTED : CLIENT_OUT_OF_MEMORY;
			this.#drive.tell((ms) => publisher.lost(code, ms));
			return;
		}
		this.#connection = { client, buffer: new Uint8Array(PIECE), writable: -1 };
		this.#session = undefined;
	}

	private close(): void {
		const client = this.#connection?.client;
		this.#connection = undefined;
		this.#againMs = Number.POSITIVE_INFINITY;
		if (client === undefined) return;
		const { session } = client;
		if (session !== undefined && session.length <= SESSION_KEPT) this.#session = session;
		client.close();
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
		for (let i = 0; i < PIECES_AT_ONCE && publisher.turn === this.#turn; i++) {
			const count = client.read(buffer);
			if (count === undefined) return;
			publisher.received(buffer, 0, count, nowMs);
		}
		this.#againMs = nowMs;
	}
}

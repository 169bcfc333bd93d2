/**
 * An in-memory network, and an event loop with a clock set by hand, for tests of the HTTP server. It follows the rules
 * of modules/io/host.ts: no callback inside a constructor or another call, none after close; a write beyond the
 * announced count throws.
 */
import assert from "node:assert/strict";
import type { CertificatePair } from "../../modules/io/crypto.js";
import type {
	Clock,
	Listener,
	ListenerOptions,
	ListenerPort,
	PendingSocket,
	Socket,
	SocketOptions,
	TextCodec,
	Timers,
} from "../../modules/io/host.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export const text: TextCodec = {
	encode: (text) => encoder.encode(text),
	decode: (bytes, start = 0, end = bytes.length) => decoder.decode(bytes.subarray(start, end)),
};

export class FakeEventLoop {
	nowMs = 1000;
	readonly #events: (() => void)[] = [];
	readonly #timers = new Map<number, { atMs: number; callback: () => void }>();
	#lastTimer = 0;
	timersSet = 0;

	readonly clock: Clock = {
		monotonicMs: () => this.nowMs,
		utcMs: () => undefined,
		setUTC: () => {},
	};

	readonly timers: Timers = {
		set: (callback, delayMs) => {
			this.timersSet++;
			this.#timers.set(++this.#lastTimer, { atMs: this.nowMs + delayMs, callback });
			return this.#lastTimer;
		},
		clear: (id) => {
			this.#timers.delete(id);
		},
	};

	get timerCount(): number {
		return this.#timers.size;
	}

	post(event: () => void): void {
		this.#events.push(event);
	}

	/** Runs all events that are due. */
	settle(): void {
		for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) event();
	}

	/** Advances the time by `ms`; timers run in order. */
	advance(ms: number): void {
		const untilMs = this.nowMs + ms;
		this.settle();
		for (;;) {
			let next: [number, { atMs: number; callback: () => void }] | undefined;
			for (const entry of this.#timers) if (next === undefined || entry[1].atMs < next[1].atMs) next = entry;
			if (next === undefined || next[1].atMs > untilMs) break;
			this.#timers.delete(next[0]);
			this.nowMs = Math.max(this.nowMs, next[1].atMs);
			next[1].callback();
			this.settle();
		}
		this.nowMs = untilMs;
	}
}

/** The client's end of a connection. */
export class FakeClient implements PendingSocket {
	readonly #loop: FakeEventLoop;
	/** Bytes that the server has not read yet. */
	toServer: number[] = [];
	readonly #received: number[] = [];
	/** Set it before the server takes the connection. */
	address = "192.0.2.7";
	/** True: closed or refused by the server. */
	closed = false;
	/** True: closed by the client. */
	hasLeft = false;
	/** False: bytes beyond the window wait. */
	reading = true;
	socket: FakeSocket | undefined;
	/** Number of times that the server marked the client as trusted. */
	known = 0;
	readonly #windowSize: number;
	/** Number of bytes in each write. */
	readonly writes: number[] = [];

	constructor(loop: FakeEventLoop, windowSize: number) {
		this.#loop = loop;
		this.#windowSize = windowSize;
	}

	get windowSize(): number {
		return this.#windowSize;
	}

	send(data: string | Uint8Array): this {
		for (const byte of typeof data === "string" ? encoder.encode(data) : data) this.toServer.push(byte);
		this.#loop.post(() => this.socket?.readable());
		return this;
	}

	/** Removes and returns all output of the server. */
	take(): string {
		return decoder.decode(this.takeBytes());
	}

	takeBytes(): Uint8Array {
		return Uint8Array.from(this.#received.splice(0));
	}

	get receivedLength(): number {
		return this.#received.length;
	}

	leave(): void {
		this.hasLeft = true;
		this.#loop.post(() => this.socket?.checkClosed());
	}

	/** Reads `count` bytes from the window of a client that doesn't read by itself. */
	drain(count: number): void {
		this.#loop.post(() => this.socket?.open(count));
	}

	deliver(bytes: Uint8Array): void {
		this.writes.push(bytes.length);
		this.#received.push(...bytes);
		if (this.reading) this.drain(bytes.length);
	}

	close(): void {
		this.closed = true;
	}
}

class FakeSocket implements Socket {
	readonly viaAccessPoint = false;
	readonly #options: SocketOptions;
	readonly #client: FakeClient;
	#writable = 0;
	#busy = false;
	#closed = false;

	constructor(loop: FakeEventLoop, options: SocketOptions) {
		this.#options = options;
		this.#client = options.from as FakeClient;
		this.#client.socket = this;
		loop.post(() => {
			this.open(this.#client.windowSize);
			this.readable();
			this.checkClosed();
		});
	}

	get remoteAddress(): string {
		return this.#client.address;
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		assert.equal(this.#closed, false, "read after close");
		assert.ok(start < end && end <= into.length, "read without room");
		const waiting = this.#client.toServer;
		if (waiting.length === 0) return undefined;
		const bytes = waiting.splice(0, end - start);
		into.set(bytes, start);
		if (waiting.length === 0 && this.#client.hasLeft) this.#client.leave();
		return bytes.length;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		assert.equal(this.#closed, false, "write after close");
		if (end - start > this.#writable) throw new RangeError("more than announced");
		assert.ok(end > start, "empty write");
		this.#writable -= end - start;
		this.#client.deliver(bytes.slice(start, end));
		return this.#writable;
	}

	trust(): void {
		this.#client.known++;
	}

	close(): void {
		this.#closed = true;
		this.#client.closed = true;
	}

	readable(): void {
		const count = this.#client.toServer.length;
		if (count > 0) this.#call(() => this.#options.onReadable?.(count));
	}

	/** Calls `onReadable` without data, as hosts may do. */
	readableInVain(): void {
		this.#call(() => this.#options.onReadable?.(1));
	}

	open(count: number): void {
		this.#writable = Math.min(this.#client.windowSize, this.#writable + count);
		this.#call(() => this.#options.onWritable?.(this.#writable));
	}

	checkClosed(): void {
		if (this.#client.hasLeft && this.#client.toServer.length === 0) this.#call(() => this.#options.onError?.());
	}

	#call(callback: () => void): void {
		if (this.#closed) return;
		assert.equal(this.#busy, false);
		this.#busy = true;
		try {
			callback();
		} finally {
			this.#busy = false;
		}
	}
}

export class FakePort implements ListenerPort {
	readonly io: new (
		options: ListenerOptions,
	) => Listener;
	readonly socket: new (
		options: SocketOptions,
	) => Socket;
	readonly pins = { marker: 1 };
	readonly secure: boolean;
	readonly #loop: FakeEventLoop;
	readonly #waiting: FakeClient[] = [];
	#options: ListenerOptions | undefined;
	listening = false;
	/** Number of times that the server reported a revoked token. */
	forgotten = 0;
	/** Identity of the open listener. */
	identity: CertificatePair | undefined;

	constructor(loop: FakeEventLoop, secure = false) {
		this.#loop = loop;
		this.secure = secure;
		const port = this;
		this.io = class {
			readonly port = 8080;
			constructor(options: ListenerOptions) {
				assert.equal((options as unknown as { marker: number }).marker, 1, "the options lack the pins");
				port.#options = options;
				port.identity = options.identity;
				port.listening = true;
			}
			read(): PendingSocket | undefined {
				return port.#waiting.shift();
			}
			setIdentity(): void {}
			testIdentity(): void {}
			forget(): void {
				port.forgotten++;
			}
			close(): void {
				port.listening = false;
			}
		};
		this.socket = class extends FakeSocket {
			constructor(options: SocketOptions) {
				super(loop, options);
			}
		};
	}

	connect(windowSize = 1536): FakeClient {
		const client = new FakeClient(this.#loop, windowSize);
		this.#waiting.push(client);
		this.#loop.post(() => {
			if (this.listening && this.#waiting.length > 0) this.#options?.onReadable(this.#waiting.length);
		});
		return client;
	}

	/** Reports a pending connection that can't be accepted yet. */
	press(): void {
		this.#loop.post(() => this.#options?.onReadable(0));
	}

	fail(message: string): void {
		this.#options?.onError?.(message);
	}
}

export interface Reply {
	readonly status: number;
	readonly fields: ReadonlyMap<string, string>;
	readonly body: string;
	readonly chunked: boolean;
}

/** Splits a server's output into replies; fails if they are malformed. `bare` selects replies without a body (HEAD). */
export function replies(bytes: Uint8Array, bare: (index: number) => boolean = () => false): Reply[] {
	const list: Reply[] = [];
	let rest = decoder.decode(bytes);
	assert.ok(/^[\x00-\x7f]*$/.test(rest), "these tests use ASCII only, so that characters are bytes");
	while (rest !== "") {
		const end = rest.indexOf("\r\n\r\n");
		assert.ok(end > 0, `no head in ${JSON.stringify(rest)}`);
		const lines = rest.slice(0, end).split("\r\n");
		const match = /^HTTP\/1\.1 (\d{3}) ([A-Za-z ]*)$/.exec(lines[0]);
		assert.ok(match, `status line ${lines[0]}`);
		rest = rest.slice(end + 4);
		const fields = new Map<string, string>();
		for (const line of lines.slice(1)) {
			const colon = line.indexOf(": ");
			assert.ok(colon > 0, line);
			const name = line.slice(0, colon).toLowerCase();
			assert.ok(!fields.has(name), `${name} twice`);
			fields.set(name, line.slice(colon + 2));
		}
		const status = Number(match[1]);
		let body = "";
		let chunked = false;
		const hasNone = status === 100 || status === 204 || status === 304 || bare(list.length);
		if (!hasNone && fields.get("transfer-encoding") === "chunked") {
			chunked = true;
			for (;;) {
				const line = /^([0-9a-f]+)\r\n/.exec(rest);
				assert.ok(line, `chunk size in ${JSON.stringify(rest.slice(0, 20))}`);
				const size = Number.parseInt(line[1], 16);
				const data = rest.slice(line[0].length, line[0].length + size);
				assert.equal(data.length, size);
				assert.equal(rest.slice(line[0].length + size, line[0].length + size + 2), "\r\n");
				rest = rest.slice(line[0].length + size + 2);
				body += data;
				if (size === 0) break;
			}
		} else if (!hasNone && fields.has("content-length")) {
			const length = Number(fields.get("content-length"));
			assert.ok(rest.length >= length, "body cut short");
			body = rest.slice(0, length);
			rest = rest.slice(length);
		} else if (!hasNone) {
			assert.equal(fields.get("connection"), "close");
			body = rest;
			rest = "";
		}
		list.push({ status, fields, body, chunked });
	}
	return list;
}

/**
 * TCP and TLS 1.2 clients of the host contract (stream-client.h). If CLIENT_LIMIT clients exist, a further client fails
 * as if memory were short.
 */
import type { Client, ClientOptions, ClientPort, TLSClientOptions } from "../../modules/io/client.js";
import type { CertificatePair } from "../../modules/io/crypto.js";

/** Kinds of events, as in stream_event. */
const READABLE = 2;
const WRITABLE = 3;
const ENDED = 4;

const PORT_LIMIT = 65_535;
const TIMEOUT_LEAST_MS = 100;
const TIMEOUT_MOST_MS = 60_000;

class NativeStream extends Native("xs_client_destructor") {
	constructor(
		target: object,
		host: string,
		port: number,
		timeoutMs: number,
		trusted: Uint8Array | undefined,
		name: string,
		utcMs: number | undefined,
		certificate: Uint8Array | undefined,
		key: Uint8Array | undefined,
		session: Uint8Array | undefined,
	) {
		super();
		native("xs_client").call(this, target, host, port, timeoutMs, trusted, name, utcMs, certificate, key, session);
	}
	get address(): string {
		return native("xs_client_get_address").call(this);
	}
	get resumed(): boolean {
		return native("xs_client_get_resumed").call(this);
	}
	get session(): ArrayBuffer | undefined {
		return native("xs_client_get_session").call(this);
	}
	read(into: Uint8Array, start: number, end: number): number {
		return native("xs_client_read").call(this, into, start, end);
	}
	write(bytes: Uint8Array, start: number, end: number): number {
		return native("xs_client_write").call(this, bytes, start, end);
	}
	close(): void {
		native("xs_client_close").call(this);
	}
}

const PLAIN: Partial<TLSClientOptions> = Object.freeze({});
const NO_IDENTITY: Partial<CertificatePair> = Object.freeze({});

function isWhole(value: number, least: number, most: number): boolean {
	return Number.isInteger(value) && value >= least && value <= most;
}

class TCPClient implements Client {
	// The object keeps only the callbacks, because the options may contain 10 KB of certificates.
	readonly #onReadable: ClientOptions["onReadable"];
	readonly #onWritable: ClientOptions["onWritable"];
	readonly #onError: ClientOptions["onError"];
	readonly #stream: NativeStream;
	/** Address of the server; "" until the client is connected. */
	#address = "";
	#writable = 0;
	#closed = false;

	constructor(options: ClientOptions, tls?: TLSClientOptions) {
		if (!isWhole(options.port, 1, PORT_LIMIT)) throw new RangeError("a port is 1 to 65535");
		if (!isWhole(options.timeoutMs, TIMEOUT_LEAST_MS, TIMEOUT_MOST_MS)) {
			throw new RangeError("a client's time limit is 100 to 60000 ms");
		}
		this.#onReadable = options.onReadable;
		this.#onWritable = options.onWritable;
		this.#onError = options.onError;
		const { host, port, timeoutMs } = options;
		const { trusted, name = host, utcMs, identity, session } = tls ?? PLAIN;
		const { certificate, key } = identity ?? NO_IDENTITY;
		const ownKey = key === certificate ? undefined : key;
		this.#stream = new NativeStream(this, host, port, timeoutMs, trusted, name, utcMs, certificate, ownKey, session);
	}

	get remoteAddress(): string {
		return this.#address;
	}

	get session(): Uint8Array | undefined {
		const session = this.#closed ? undefined : this.#stream.session;
		return session === undefined ? undefined : new Uint8Array(session);
	}

	get resumed(): boolean {
		return !this.#closed && this.#stream.resumed;
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		if (this.#closed || end <= start) return undefined;
		const count = this.#stream.read(into, start, end);
		return count === 0 ? undefined : count;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (end - start > this.#writable) throw new RangeError("more than may be written");
		if (end > start) this.#writable = Math.max(0, this.#stream.write(bytes, start, end));
		return this.#writable;
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#writable = 0;
		this.#stream.close();
	}

	onClient(kind: number, count: number): void {
		if (this.#closed) return;
		if (kind === READABLE) this.#onReadable?.(count);
		else if (kind === ENDED) {
			this.#writable = 0;
			this.#onError?.(count);
		} else if (kind === WRITABLE) {
			if (this.#address === "") this.#address = this.#stream.address;
			this.#writable = count;
			this.#onWritable?.(count);
		}
	}
}

class TLSClient extends TCPClient {
	constructor(options: ClientOptions) {
		if (options.tls?.trusted === undefined)
			throw new Error("a TLS client needs the certificates that it trusts: the option `tls`");
		super(options, options.tls);
	}
}

const NO_PINS = Object.freeze({});

export const TCP_CLIENT: ClientPort = Object.freeze({ io: TCPClient, pins: NO_PINS });
export const TLS_CLIENT: ClientPort = Object.freeze({ io: TLSClient, pins: NO_PINS });

/**
 * Serial ports, listeners and sockets of the host contract as thin proxies in the XS worker: each call is one command
 * to the Node process, where the real thing lives. Counts come with the events, so that a write that is too long is
 * refused here. `pins` carries the Wire.
 */
import type {
	CertificatePair,
	LineSettings,
	Listener,
	ListenerOptions,
	PendingSocket,
	Serial,
	SerialOptions,
	Socket,
	SocketOptions,
} from "../../../modules/io/host.js";
import {
	COMMAND_ACCEPT,
	COMMAND_CONFIGURE,
	COMMAND_LISTEN,
	COMMAND_READ,
	COMMAND_SERIAL,
	COMMAND_SET_IDENTITY,
	COMMAND_SOCKET,
	COMMAND_TEST_IDENTITY,
	COMMAND_WRITE,
	EVENT_DRAINED,
	EVENT_ERROR,
	EVENT_READABLE,
	EVENT_WRITABLE,
	READ_LIMIT,
} from "./protocol.js";
import { byteAndNumber, number32, type Target, toNumber32, type Wire } from "./wire.js";

export interface WirePins {
	readonly wire: Wire;
}
export interface ListenerPins extends WirePins {
	/** 1 for the TLS port. */
	readonly which: number;
}

interface StreamOptions {
	onReadable?(count: number): void;
	onWritable?(count: number): void;
	onDrained?(): void;
	onError?(code: number): void;
}

/** What a serial port and a socket have in common. */
class Stream implements Target {
	protected readonly wire: Wire;
	protected readonly id: number;
	readonly #options: StreamOptions;
	#writable = 0;
	#closed = false;

	constructor(wire: Wire, id: number, options: StreamOptions) {
		this.wire = wire;
		this.id = id;
		this.#options = options;
	}

	get closed(): boolean {
		return this.#closed;
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		const wanted = Math.min(end - start, READ_LIMIT);
		if (this.#closed || wanted <= 0) return undefined;
		const bytes = this.wire.call(COMMAND_READ, this.id, number32(wanted));
		if (bytes === undefined) return undefined;
		into.set(bytes, start);
		return bytes.length;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (end - start > this.#writable) throw new RangeError("more than may be written");
		if (end > start) {
			this.#writable = toNumber32(this.wire.call(COMMAND_WRITE, this.id, bytes.subarray(start, end)));
		}
		return this.#writable;
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#writable = 0;
		this.wire.close(this.id);
	}

	handle(kind: number, count: number): void {
		if (kind === EVENT_READABLE) this.#options.onReadable?.(count);
		else if (kind === EVENT_DRAINED) this.#options.onDrained?.();
		else if (kind === EVENT_ERROR) this.#options.onError?.(count);
		else if (kind === EVENT_WRITABLE) {
			this.#writable = count;
			this.#options.onWritable?.(count);
		}
	}
}

export class ProxySerial extends Stream implements Serial {
	constructor(options: SerialOptions) {
		const { wire } = options as SerialOptions & WirePins;
		super(wire, wire.newId(), options);
		wire.call(COMMAND_SERIAL, this.id, byteAndNumber(options.format, options.baud));
		wire.attach(this.id, this);
	}

	configure(line: LineSettings): void {
		if (!this.closed) this.wire.call(COMMAND_CONFIGURE, this.id, byteAndNumber(line.format, line.baud));
	}
}

class ProxyPending implements PendingSocket {
	readonly wire: Wire;
	readonly id: number;
	taken = false;

	constructor(wire: Wire, id: number) {
		this.wire = wire;
		this.id = id;
	}

	close(): void {
		if (this.taken) return;
		this.taken = true;
		this.wire.close(this.id);
	}
}

export class ProxySocket extends Stream implements Socket {
	readonly remoteAddress: string;
	readonly viaAccessPoint: boolean;

	constructor(options: SocketOptions) {
		const from = options.from as ProxyPending;
		if (from.taken) throw new Error("this connection was taken or closed before");
		from.taken = true;
		super(from.wire, from.id, options);
		const reply = from.wire.call(COMMAND_SOCKET, from.id);
		from.wire.attach(from.id, this);
		const origin = reply === undefined ? "0" : from.wire.decoder.decode(reply);
		this.viaAccessPoint = origin[0] === "1";
		this.remoteAddress = origin.slice(1);
	}
}

export class ProxyListener implements Listener, Target {
	readonly port: number;
	/** Not the options themselves, which hold the identity. */
	readonly #onReadable: ListenerOptions["onReadable"];
	readonly #onError: ListenerOptions["onError"];
	readonly #wire: Wire;
	readonly #id: number;
	/** Ids of the tests that are not answered yet; undefined before the first. */
	#tests: number[] | undefined;
	#closed = false;

	constructor(options: ListenerOptions) {
		const { wire, which, identity } = options as ListenerOptions & ListenerPins;
		this.#onReadable = options.onReadable;
		this.#onError = options.onError;
		this.#wire = wire;
		this.#id = wire.newId();
		const parts: Uint8Array[] = [new Uint8Array([which])];
		if (identity !== undefined) {
			parts.push(number32(identity.certificate.length), identity.certificate, identity.key);
		}
		this.port = toNumber32(wire.call(COMMAND_LISTEN, this.#id, ...parts));
		wire.attach(this.#id, this);
	}

	read(): PendingSocket | undefined {
		if (this.#closed) return undefined;
		const id = this.#wire.newId();
		const accepted = this.#wire.call(COMMAND_ACCEPT, this.#id, number32(id));
		return accepted === undefined ? undefined : new ProxyPending(this.#wire, id);
	}

	setIdentity({ certificate, key }: CertificatePair): void {
		if (this.#closed) throw new Error("the listener is closed");
		this.#wire.call(COMMAND_SET_IDENTITY, this.#id, number32(certificate.length), certificate, key);
	}

	testIdentity(done: (problem: string) => void): void {
		if (this.#closed) throw new Error("the listener is closed");
		const id = this.#wire.newId();
		this.#wire.call(COMMAND_TEST_IDENTITY, id, number32(this.#id));
		this.#tests ??= [];
		const tests = this.#tests;
		tests.push(id);
		this.#wire.ask(id, (problem) => {
			tests.splice(tests.indexOf(id), 1);
			done(problem);
		});
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		if (this.#tests !== undefined) for (const id of this.#tests) this.#wire.close(id);
		this.#wire.close(this.#id);
	}

	handle(kind: number, count: number, text: Uint8Array): void {
		if (kind === EVENT_READABLE) this.#onReadable(count);
		else if (kind === EVENT_ERROR) this.#onError?.(this.#wire.decoder.decode(text));
	}
}

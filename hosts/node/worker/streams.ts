/**
 * The worker's proxies of serial ports, listeners and sockets. Each call is one command to the Node process. Events
 * contain the room for writing, so that this code can refuse a write that is too long. `pins` contains the Wire.
 */
import type { CertificatePair } from "../../../modules/io/crypto.js";
import type {
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
	COMMANDS,
	EVENT_DRAINED,
	EVENT_ERROR,
	EVENT_READABLE,
	EVENT_WRITABLE,
	PORT_CONSOLE,
	PORT_COPROCESSOR,
	PORT_METER,
	READ_LIMIT,
} from "./protocol.js";
import type { Target, Wire } from "./wire.js";

const NOTHING = new Uint8Array(0);

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

export class Stream implements Target {
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
		const bytes = this.wire.call(COMMANDS.read, this.id, wanted)?.[0];
		if (bytes === undefined) return undefined;
		into.set(bytes, start);
		return bytes.length;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (end - start > this.#writable) throw new RangeError("more than may be written");
		if (end > start) {
			this.#writable = this.wire.call(COMMANDS.write, this.id, bytes.subarray(start, end))![0];
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
	constructor(options: SerialOptions, pins: object, which = PORT_METER) {
		const { wire } = pins as WirePins;
		super(wire, wire.newId(), options);
		wire.call(COMMANDS.serial, this.id, which, options.format, options.baud);
		wire.attach(this.id, this);
	}

	configure(line: LineSettings): void {
		if (!this.closed) this.wire.call(COMMANDS.configure, this.id, line.format, line.baud);
	}
}

export class ProxyConsole extends ProxySerial {
	constructor(options: SerialOptions, pins: object) {
		super(options, pins, PORT_CONSOLE);
	}
}

export class ProxyCoprocessor extends ProxySerial {
	constructor(options: SerialOptions, pins: object) {
		super(options, pins, PORT_COPROCESSOR);
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
		const [viaAccessPoint, address] = from.wire.call(COMMANDS.socket, from.id)!;
		from.wire.attach(from.id, this);
		this.viaAccessPoint = viaAccessPoint === 1;
		this.remoteAddress = address;
	}

	trust(): void {
		if (!this.closed) this.wire.call(COMMANDS.trust, this.id);
	}
}

export class ProxyListener implements Listener, Target {
	readonly port: number;
	/** The object keeps the callbacks instead of the options, because the options contain the private key. */
	readonly #onReadable: ListenerOptions["onReadable"];
	readonly #onError: ListenerOptions["onError"];
	readonly #wire: Wire;
	readonly #id: number;
	/** Ids of the unanswered self-tests, or undefined before the first test. */
	#tests: number[] | undefined;
	#closed = false;

	constructor(options: ListenerOptions) {
		const { wire, which, identity } = options as ListenerOptions & ListenerPins;
		this.#onReadable = options.onReadable;
		this.#onError = options.onError;
		this.#wire = wire;
		this.#id = wire.newId();
		const { certificate = NOTHING, key = NOTHING } = identity ?? {};
		this.port = wire.call(COMMANDS.listen, this.#id, which, certificate, key)![0];
		wire.attach(this.#id, this);
	}

	read(): PendingSocket | undefined {
		if (this.#closed) return undefined;
		const id = this.#wire.newId();
		const accepted = this.#wire.call(COMMANDS.accept, this.#id, id);
		return accepted === undefined ? undefined : new ProxyPending(this.#wire, id);
	}

	setIdentity({ certificate, key }: CertificatePair): void {
		if (this.#closed) throw new Error("the listener is closed");
		this.#wire.call(COMMANDS.setIdentity, this.#id, certificate, key);
	}

	testIdentity(done: (problem: string) => void): void {
		if (this.#closed) throw new Error("the listener is closed");
		const id = this.#wire.newId();
		this.#wire.call(COMMANDS.testIdentity, id, this.#id);
		this.#tests ??= [];
		const tests = this.#tests;
		tests.push(id);
		this.#wire.ask(id, (problem) => {
			tests.splice(tests.indexOf(id), 1);
			done(problem);
		});
	}

	forget(): void {
		if (!this.#closed) this.#wire.call(COMMANDS.forget, this.#id);
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

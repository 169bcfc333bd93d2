/**
 * The Node end of the line to the XS worker: carries out the worker's commands on a Host, and queues what the host has
 * to say as events. Layouts: worker/protocol.ts.
 *
 * An event stands in the queue at most once for each thing it can say of each id, and says how things are when it is
 * sent: so the queue is bounded, and no event tells of bytes that were read meanwhile.
 * Limits: HANDLE_LIMIT ids at once.
 */
import {
	FORMAT_7E1,
	FORMAT_8N1,
	type Host,
	type Listener,
	type PendingSocket,
	type Serial,
	type SerialFormat,
	type Socket,
} from "../../modules/io/host.js";
import * as protocol from "./worker/protocol.js";

const HANDLE_LIMIT = 1024;

/** What an id stands for, and what is to be said of it. */
interface Handle {
	readonly id: number;
	stream?: Serial | Socket;
	listener?: Listener;
	pending?: PendingSocket;
	timer?: number;
	/** What waits in the queue, see bitOf. */
	events: number;
	/** Bytes or connections that wait to be read, as far as was said. */
	readable: number;
	writable: number;
	/** Why a listener died. */
	message: string;
}

interface Saying {
	readonly handle: Handle;
	readonly kind: number;
	/** SERIAL_ERROR_… of an EVENT_ERROR. */
	readonly code: number;
}

export class Bridge {
	readonly #host: Host;
	readonly #deliver: (event: Uint8Array) => Promise<void>;
	readonly #handles = new Map<number, Handle>();
	readonly #queue: Saying[] = [];
	#pumping = false;
	#pumped = Promise.resolve();

	/** `deliver` hands one event to the worker and settles when the worker has handled it; it never rejects. */
	constructor(host: Host, deliver: (event: Uint8Array) => Promise<void>) {
		this.#host = host;
		this.#deliver = deliver;
	}

	/** An event that is for the firmware as a whole. */
	event(kind: number, number = 0, text = ""): Uint8Array {
		return this.#encode(kind, 0, number, text);
	}

	startEvent(): Uint8Array {
		const { info, serial, network, power } = this.#host;
		let flags = 0;
		if (serial.meter.hardwareParity) flags |= protocol.HOST_HARDWARE_PARITY;
		if (network.http.secure) flags |= protocol.HOST_HTTP_SECURE;
		if (network.https) flags |= protocol.HOST_HAS_HTTPS;
		if (network.https?.secure) flags |= protocol.HOST_HTTPS_SECURE;
		if (power) flags |= protocol.HOST_HAS_POWER;
		const lines = [...protocol.INFO_FIELDS, ...protocol.INFO_NUMBERS].map((field) => String(info[field]));
		return this.event(protocol.EVENT_START, flags, lines.join("\n"));
	}

	/** Settles when the worker has handled all that was said until then. */
	get settled(): Promise<void> {
		return this.#pumped;
	}

	/** Closes whatever the worker left open. */
	close(): void {
		for (const id of [...this.#handles.keys()]) this.#close(id);
		this.#queue.length = 0;
	}

	/** Carries out one command; what goes wrong goes into the reply. */
	command(message: Uint8Array): Uint8Array {
		try {
			const view = new DataView(message.buffer, message.byteOffset, message.length);
			const payload = message.subarray(protocol.COMMAND_HEADER_BYTES);
			const result = this.#carryOut(view.getUint8(0), view.getUint32(1, true), payload);
			return result === undefined ? Uint8Array.of(protocol.REPLY_ABSENT) : reply(protocol.REPLY_OK, result);
		} catch (error) {
			const kind = error instanceof RangeError ? protocol.REPLY_RANGE_ERROR : protocol.REPLY_ERROR;
			return reply(kind, Buffer.from(error instanceof Error ? error.message : String(error)));
		}
	}

	#measure(which: number): Uint8Array | undefined {
		const { power } = this.#host;
		const values = [power?.batteryVoltage(), power?.usbVoltage(), power?.temperatureC(), power?.cells];
		if (values[which] === undefined) return undefined;
		const bytes = Buffer.alloc(8);
		bytes.writeDoubleLE(values[which]);
		return bytes;
	}

	#carryOut(command: number, id: number, payload: Uint8Array): Uint8Array | undefined {
		const { storage, crypto, resources, clock } = this.#host;
		const data = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
		switch (command) {
			case protocol.COMMAND_READ:
				return this.#read(id, data.readUInt32LE());
			case protocol.COMMAND_WRITE:
				return this.#write(id, payload);
			case protocol.COMMAND_CLOSE:
				this.#close(id);
				return NOTHING;
			case protocol.COMMAND_TIMER:
				this.#setTimer(id, data.readDoubleLE());
				return NOTHING;
			case protocol.COMMAND_ACCEPT:
				return this.#accept(id, data.readUInt32LE());
			case protocol.COMMAND_SOCKET:
				return this.#openSocket(id);
			case protocol.COMMAND_LISTEN:
				return this.#listen(id, data[0] === 1);
			case protocol.COMMAND_POWER:
				return this.#measure(id);
			case protocol.COMMAND_CERTIFICATE:
				return this.#host.network.https?.certificate;
			case protocol.COMMAND_RESTART:
				this.#host.restart();
				return NOTHING;
			case protocol.COMMAND_SET_IDENTITY:
				this.#setIdentity(id, payload.subarray(4), data.readUInt32LE());
				return NOTHING;
			case protocol.COMMAND_SERIAL:
				this.#openSerial(id, formatOf(data[0]), data.readUInt32LE(1));
				return NOTHING;
			case protocol.COMMAND_CONFIGURE:
				(this.#stream(id) as Serial).configure({ format: formatOf(data[0]), baud: data.readUInt32LE(1) });
				return NOTHING;
			case protocol.COMMAND_STORAGE_GET:
				return storage.get(data.toString());
			case protocol.COMMAND_STORAGE_SET:
				storage.set(data.toString("utf8", 0, id), payload.subarray(id));
				return NOTHING;
			case protocol.COMMAND_STORAGE_DELETE:
				storage.delete(data.toString());
				return NOTHING;
			case protocol.COMMAND_RANDOM:
				if (id > protocol.MESSAGE_LIMIT) throw new RangeError("more than one message carries");
				return crypto.random(id);
			case protocol.COMMAND_SHA256:
				return crypto.sha256(payload);
			case protocol.COMMAND_HMAC_SHA256:
				return crypto.hmacSHA256(payload.subarray(0, id), payload.subarray(id));
			case protocol.COMMAND_RESOURCE:
				return resources.get(data.toString());
			case protocol.COMMAND_SET_UTC:
				clock.setUTC(data.readDoubleLE());
				return NOTHING;
			case protocol.COMMAND_READ_CERTIFICATES:
				return Buffer.from(JSON.stringify(crypto.readCertificates(payload)));
			case protocol.COMMAND_MAKE_CERTIFICATE: {
				const { certificate, key } = crypto.makeCertificate(JSON.parse(data.toString()));
				return Buffer.concat([uint32(certificate.length), certificate, key]);
			}
			case protocol.COMMAND_TRACE:
				this.#host.trace(data.toString());
				return NOTHING;
			default:
				throw new Error(`command of unknown kind ${command}`);
		}
	}

	#openSerial(id: number, format: SerialFormat, baud: number): void {
		const handle = this.#newHandle(id);
		const { meter } = this.#host.serial;
		handle.stream = new meter.io({
			...meter.pins,
			format,
			baud,
			onReadable: (count) => this.#say(handle, protocol.EVENT_READABLE, count),
			onWritable: (count) => this.#say(handle, protocol.EVENT_WRITABLE, count),
			onDrained: () => this.#say(handle, protocol.EVENT_DRAINED),
			onError: (code) => this.#say(handle, protocol.EVENT_ERROR, code),
		});
	}

	#listen(id: number, secure: boolean): Uint8Array {
		const { http, https } = this.#host.network;
		const port = secure ? https : http;
		if (!port) throw new Error("this host has no such listener");
		const handle = this.#newHandle(id);
		handle.listener = new port.io({
			...port.pins,
			onReadable: (count) => this.#say(handle, protocol.EVENT_READABLE, count),
			onError: (message) => {
				handle.message = message;
				this.#say(handle, protocol.EVENT_ERROR);
			},
		});
		return uint32(handle.listener.port);
	}

	#setIdentity(id: number, texts: Uint8Array, middle: number): void {
		const listener = this.#handles.get(id)?.listener;
		if (!listener) throw new Error("the listener is closed");
		// Copies, since the host may keep them.
		listener.setIdentity({ certificate: texts.slice(0, middle), key: texts.slice(middle) });
	}

	#accept(id: number, newId: number): Uint8Array | undefined {
		const listening = this.#handles.get(id);
		const pending = listening?.listener?.read();
		if (!listening || !pending) return undefined;
		listening.readable = Math.max(0, listening.readable - 1);
		this.#newHandle(newId).pending = pending;
		return NOTHING;
	}

	#openSocket(id: number): Uint8Array {
		const handle = this.#handles.get(id);
		const from = handle?.pending;
		if (!handle || !from) throw new Error("this connection was taken or closed before");
		const { http } = this.#host.network;
		const socket = new http.socket({
			from,
			onReadable: (count) => this.#say(handle, protocol.EVENT_READABLE, count),
			onWritable: (count) => this.#say(handle, protocol.EVENT_WRITABLE, count),
			onError: () => this.#say(handle, protocol.EVENT_ERROR),
		});
		delete handle.pending;
		handle.stream = socket;
		return Buffer.from(`${socket.viaAccessPoint ? "1" : "0"}${socket.remoteAddress}`);
	}

	#setTimer(id: number, delayMs: number): void {
		const handle = this.#newHandle(id);
		handle.timer = this.#host.timers.set(() => this.#say(handle, protocol.EVENT_TIMER), delayMs);
	}

	#read(id: number, wanted: number): Uint8Array | undefined {
		const stream = this.#stream(id);
		const into = new Uint8Array(Math.min(wanted, protocol.READ_LIMIT));
		const count = stream.read(into);
		if (count === undefined) return undefined;
		const handle = this.#handles.get(id)!;
		handle.readable = Math.max(0, handle.readable - count);
		return into.subarray(0, count);
	}

	#write(id: number, bytes: Uint8Array): Uint8Array {
		const writable = this.#stream(id).write(bytes);
		const handle = this.#handles.get(id)!;
		// The line is busy again, whatever waits to be said.
		handle.events &= ~bitOf({ handle, kind: protocol.EVENT_DRAINED, code: 0 });
		handle.writable = writable;
		return uint32(writable);
	}

	#close(id: number): void {
		const handle = this.#handles.get(id);
		if (!handle) return;
		this.#handles.delete(id);
		handle.events = 0;
		handle.stream?.close();
		handle.listener?.close();
		handle.pending?.close();
		if (handle.timer !== undefined) this.#host.timers.clear(handle.timer);
	}

	#stream(id: number): Serial | Socket {
		const stream = this.#handles.get(id)?.stream;
		if (!stream) throw new Error("closed");
		return stream;
	}

	#newHandle(id: number): Handle {
		if (this.#handles.has(id)) throw new Error("this id is in use");
		if (this.#handles.size >= HANDLE_LIMIT) throw new Error(`more than ${HANDLE_LIMIT} things are open`);
		const handle: Handle = { id, events: 0, readable: 0, writable: 0, message: "" };
		this.#handles.set(id, handle);
		return handle;
	}

	#say(handle: Handle, kind: number, number = 0): void {
		if (kind === protocol.EVENT_READABLE) handle.readable = number;
		else if (kind === protocol.EVENT_WRITABLE) handle.writable = number;
		const saying = { handle, kind, code: kind === protocol.EVENT_ERROR ? number : 0 };
		if (handle.events & bitOf(saying)) return;
		handle.events |= bitOf(saying);
		this.#queue.push(saying);
		if (!this.#pumping) this.#pumped = this.#pump();
	}

	async #pump(): Promise<void> {
		this.#pumping = true;
		for (let saying = this.#queue.shift(); saying; saying = this.#queue.shift()) {
			const { handle, kind } = saying;
			// Closed or written meanwhile: there is nothing left to say.
			if (!(handle.events & bitOf(saying))) continue;
			handle.events &= ~bitOf(saying);
			if (kind === protocol.EVENT_READABLE && handle.readable === 0) continue;
			if (kind === protocol.EVENT_TIMER) this.#handles.delete(handle.id);
			await this.#deliver(this.#encode(kind, handle.id, numberOf(saying), handle.message));
		}
		this.#pumping = false;
	}

	#encode(kind: number, id: number, number: number, text: string): Uint8Array {
		const payload = Buffer.from(text);
		const event = Buffer.alloc(protocol.EVENT_HEADER_BYTES + payload.length);
		event.writeUInt8(kind, 0);
		event.writeUInt32LE(id, 1);
		event.writeDoubleLE(this.#host.clock.monotonicMs(), 5);
		event.writeDoubleLE(this.#utcOffsetMs(), 13);
		event.writeUInt32LE(number, 21);
		payload.copy(event, protocol.EVENT_HEADER_BYTES);
		return event;
	}

	#utcOffsetMs(): number {
		const { clock } = this.#host;
		const utcMs = clock.utcMs();
		return utcMs === undefined ? Number.NaN : utcMs - clock.monotonicMs();
	}
}

const NOTHING = new Uint8Array(0);

/** Bit of Handle.events. */
function bitOf({ kind, code }: Saying): number {
	return 1 << (kind + code);
}

function numberOf({ handle, kind, code }: Saying): number {
	if (kind === protocol.EVENT_READABLE) return handle.readable;
	return kind === protocol.EVENT_WRITABLE ? handle.writable : code;
}

function reply(kind: number, payload: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(1 + payload.length);
	bytes[0] = kind;
	bytes.set(payload, 1);
	return bytes;
}

function formatOf(byte: number): SerialFormat {
	return byte === FORMAT_7E1 ? FORMAT_7E1 : FORMAT_8N1;
}

function uint32(value: number): Uint8Array {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes;
}

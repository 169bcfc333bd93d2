/**
 * The Node end of the line to the XS worker: carries out the worker's commands on a Host, and says as events what the
 * host has to say (bridge-events.ts). Layouts: worker/protocol.ts. Limits: HANDLE_LIMIT ids at once.
 */
import {
	AES_KEY_LENGTH,
	type CertificatePair,
	DATAGRAM_LIMIT,
	GCM_IV_LENGTH,
	type Host,
	type Listener,
	type PendingSocket,
	type Serial,
	type SerialFormat,
	type Socket,
	type UDP,
} from "../../modules/io/host.js";
import type { WiFi } from "../../modules/io/wifi.js";
import { EventQueue, type Subject } from "./bridge-events.js";
import { formatOf, operateRadio, pairOf, reply, uint32 } from "./bridge-layouts.js";
import * as protocol from "./worker/protocol.js";

const HANDLE_LIMIT = 1024;
/** Key and initialization vector in front of what is encrypted. */
const GCM_HEAD = AES_KEY_LENGTH + GCM_IV_LENGTH;

/** What an id stands for. */
interface Handle extends Subject {
	stream?: Serial | Socket;
	listener?: Listener;
	pending?: PendingSocket;
	udp?: UDP;
	button?: { close(): void };
	wifi?: WiFi;
	timer?: number;
}

export class Bridge {
	readonly #host: Host;
	readonly #handles = new Map<number, Handle>();
	readonly #events: EventQueue;

	/** `deliver` hands one event to the worker and settles when the worker has handled it; it never rejects. */
	constructor(host: Host, deliver: (event: Uint8Array) => Promise<void>) {
		this.#host = host;
		this.#events = new EventQueue({
			clock: host.clock,
			deliver,
			isOpen: (subject) => this.#handles.get(subject.id) === subject,
			ended: ({ id }) => this.#handles.delete(id),
		});
	}

	/** An event that is for the firmware as a whole. */
	event(kind: number, number = 0, text = ""): Uint8Array {
		return this.#events.encode(kind, 0, number, text);
	}

	startEvent(): Uint8Array {
		const { info, serial, network, power, button, wifi } = this.#host;
		let flags = 0;
		if (serial.meter.hardwareParity) flags |= protocol.HOST_HARDWARE_PARITY;
		if (network.http.secure) flags |= protocol.HOST_HTTP_SECURE;
		if (network.https) flags |= protocol.HOST_HAS_HTTPS;
		if (network.https?.secure) flags |= protocol.HOST_HTTPS_SECURE;
		if (power) flags |= protocol.HOST_HAS_POWER;
		if (network.udp) flags |= protocol.HOST_HAS_UDP;
		if (network.resolve) flags |= protocol.HOST_HAS_RESOLVE;
		if (button) flags |= protocol.HOST_HAS_BUTTON;
		if (wifi) flags |= protocol.HOST_HAS_WIFI;
		const lines = [...protocol.INFO_FIELDS, ...protocol.INFO_NUMBERS].map((field) => String(info[field]));
		if (wifi) lines.push(wifi.accessPointKey, wifi.mac);
		return this.event(protocol.EVENT_START, flags, lines.join("\n"));
	}

	/** Settles when the worker has handled all that was said until then. */
	get settled(): Promise<void> {
		return this.#events.settled;
	}

	/** Closes whatever the worker left open. */
	close(): void {
		for (const id of [...this.#handles.keys()]) this.#close(id);
		this.#events.clear();
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
				return this.#listen(id, data[0] === 1, pairOf(payload.subarray(1)));
			case protocol.COMMAND_POWER:
				return this.#measure(id);
			case protocol.COMMAND_RESTART:
				this.#host.restart();
				return NOTHING;
			case protocol.COMMAND_SET_IDENTITY:
				this.#listener(id).setIdentity(pairOf(payload)!);
				return NOTHING;
			case protocol.COMMAND_TEST_IDENTITY:
				this.#testIdentity(id, data.readUInt32LE());
				return NOTHING;
			case protocol.COMMAND_UDP:
				return this.#openUDP(id, data);
			case protocol.COMMAND_RECEIVE:
				return this.#receive(id);
			case protocol.COMMAND_SEND:
				this.#send(id, data);
				return NOTHING;
			case protocol.COMMAND_RESOLVE:
				this.#resolve(id, data.toString());
				return NOTHING;
			case protocol.COMMAND_BUTTON:
				this.#openButton(id);
				return NOTHING;
			case protocol.COMMAND_WIFI:
				this.#openWiFi(id);
				return NOTHING;
			case protocol.COMMAND_RADIO:
				return this.#radio(id, data[0], JSON.parse(data.toString("utf8", 1)));
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
			case protocol.COMMAND_AES_128_GCM: {
				const text = GCM_HEAD + id;
				const [key, iv] = [payload.subarray(0, AES_KEY_LENGTH), payload.subarray(AES_KEY_LENGTH, GCM_HEAD)];
				return crypto.aes128GCM(key, iv, payload.subarray(GCM_HEAD, text), payload.subarray(text));
			}
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

	#listen(id: number, secure: boolean, identity: CertificatePair | undefined): Uint8Array {
		const { http, https } = this.#host.network;
		const port = secure ? https : http;
		if (!port) throw new Error("this host has no such listener");
		return this.#open(id, (handle) => {
			handle.listener = new port.io({
				...port.pins,
				...(identity === undefined ? {} : { identity }),
				onReadable: (count) => this.#say(handle, protocol.EVENT_READABLE, count),
				onError: (message) => {
					handle.message = message;
					this.#say(handle, protocol.EVENT_ERROR);
				},
			});
			return uint32(handle.listener.port);
		});
	}

	#listener(id: number): Listener {
		const listener = this.#handles.get(id)?.listener;
		if (!listener) throw new Error("the listener is closed");
		return listener;
	}

	#testIdentity(id: number, listenerId: number): void {
		const listener = this.#listener(listenerId);
		this.#open(id, (handle) => listener.testIdentity((problem) => this.#answer(handle, problem)));
	}

	#resolve(id: number, name: string): void {
		const { network } = this.#host;
		this.#open(id, (handle) => network.resolve?.(name, (address) => this.#answer(handle, address ?? "")));
	}

	#answer(handle: Handle, text: string): void {
		handle.message = text;
		this.#say(handle, protocol.EVENT_ANSWER);
	}

	#openUDP(id: number, data: Buffer): Uint8Array {
		const { udp } = this.#host.network;
		if (!udp) throw new Error("this host has no UDP");
		const group = data.toString("utf8", 3);
		return this.#open(id, (handle) => {
			handle.udp = new udp.io({
				...udp.pins,
				port: data.readUInt16LE(),
				accessPoint: data[2] === 1,
				...(group === "" ? {} : { group }),
				onReadable: () => this.#say(handle, protocol.EVENT_READABLE, 1),
				onError: () => this.#say(handle, protocol.EVENT_ERROR),
			});
			return uint32(handle.udp.port);
		});
	}

	#receive(id: number): Uint8Array | undefined {
		const handle = this.#handles.get(id);
		const bytes = Buffer.alloc(DATAGRAM_LIMIT);
		const count = handle?.udp?.read(bytes);
		if (!handle?.udp || count === undefined) {
			if (handle) handle.readable = 0;
			return undefined;
		}
		const { remoteAddress, remotePort } = handle.udp;
		const header = Uint8Array.of(remotePort, remotePort >> 8, remoteAddress.length);
		return Buffer.concat([header, Buffer.from(remoteAddress), bytes.subarray(0, count)]);
	}

	#send(id: number, data: Buffer): void {
		const udp = this.#handles.get(id)?.udp;
		if (!udp) throw new Error("closed");
		const start = 3 + data[2];
		udp.write(data.subarray(start), data.toString("utf8", 3, start), data.readUInt16LE());
	}

	#openButton(id: number): void {
		const { button } = this.#host;
		if (!button) throw new Error("this host has no button");
		const handle = this.#newHandle(id);
		const onChanged = (pressed: boolean) => this.#say(handle, pressed ? protocol.EVENT_PRESSED : protocol.EVENT_LET_GO);
		handle.button = new button.io({ ...button.pins, onChanged });
	}

	#openWiFi(id: number): void {
		const { wifi } = this.#host;
		if (!wifi) throw new Error("this host has no radio");
		const handle = this.#newHandle(id);
		const say = (kind: number, number: number) => {
			handle.numbers[kind] = number;
			this.#say(handle, kind);
		};
		handle.wifi = new wifi.io({
			...wifi.pins,
			onConnected: () => say(protocol.EVENT_CONNECTED, 0),
			onDisconnected: (reason) => say(protocol.EVENT_DISCONNECTED, reason),
			onScanned: (found) => say(protocol.EVENT_SCANNED, found ? 1 : 0),
			onClients: (count) => say(protocol.EVENT_CLIENTS, count),
		});
	}

	#radio(id: number, operation: number, value: unknown): Uint8Array | undefined {
		const wifi = this.#handles.get(id)?.wifi;
		if (!wifi) throw new Error("closed");
		const result = operateRadio(wifi, operation, value);
		return result === undefined ? undefined : Buffer.from(JSON.stringify(result));
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
		this.#events.unsay(handle, protocol.EVENT_DRAINED);
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
		handle.udp?.close();
		handle.button?.close();
		handle.wifi?.close();
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
		const handle: Handle = { id, events: 0, readable: 0, writable: 0, numbers: [], message: "" };
		this.#handles.set(id, handle);
		return handle;
	}

	/** What `make` opens under the id; when it throws, the id is free again. */
	#open<T>(id: number, make: (handle: Handle) => T): T {
		const handle = this.#newHandle(id);
		try {
			return make(handle);
		} catch (error) {
			this.#handles.delete(id);
			throw error;
		}
	}

	#say(handle: Handle, kind: number, number?: number): void {
		this.#events.say(handle, kind, number);
	}
}

const NOTHING = new Uint8Array(0);

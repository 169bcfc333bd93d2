/** The host contract inside the XS worker, except streams (streams.ts). Each call is a command that the Wire sends. */

import type {
	CertificateFile,
	CertificateOptions,
	CertificatePair,
	Crypto,
	Hash,
	KeyAgreement,
} from "../../../modules/io/crypto.js";
import type { Retained, Sleep } from "../../../modules/io/flash.js";
import type {
	Clock,
	Host,
	HostInfo,
	Network,
	Power,
	Resources,
	Storage,
	TextCodec,
	Timers,
} from "../../../modules/io/host.js";
import { ProxyButton } from "./button.js";
import { ProxyTCPClient, ProxyTLSClient } from "./client.js";
import { ProxyEthernet } from "./ethernet.js";
import { ProxyFlash } from "./flash.js";
import {
	COMMANDS,
	EVENT_HEADER_BYTES,
	HOST_ENDED_BY_FAULT,
	HOST_HARDWARE_PARITY,
	HOST_HAS_BUTTON,
	HOST_HAS_CONSOLE,
	HOST_HAS_COPROCESSOR,
	HOST_HAS_COPROCESSOR_LINES,
	HOST_HAS_ENDING,
	HOST_HAS_ETHERNET,
	HOST_HAS_FLASH,
	HOST_HAS_HTTPS,
	HOST_HAS_POWER,
	HOST_HAS_RESOLVE,
	HOST_HAS_RETAINED,
	HOST_HAS_SLEEP,
	HOST_HAS_TCP_CLIENT,
	HOST_HAS_TLS_CLIENT,
	HOST_HAS_UDP,
	HOST_HAS_UPDATE,
	HOST_HAS_WIFI,
	HOST_HTTP_SECURE,
	HOST_HTTPS_SECURE,
	INFO_FIELDS,
	INFO_NUMBERS,
	LISTEN_HTTP,
	LISTEN_HTTPS,
	POWER_BATTERY,
	POWER_CELLS,
	POWER_TEMPERATURE,
	POWER_USB,
	RETAINED_SIZE,
} from "./protocol.js";
import { ProxyConsole, ProxyCoprocessor, ProxyListener, ProxySerial, ProxySocket, type WirePins } from "./streams.js";
import { ProxyUDP } from "./udp.js";
import { ProxyUpdate } from "./update.js";
import { ProxyWiFi } from "./wifi.js";
import type { Target, Wire } from "./wire.js";

class WireClock implements Clock {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	/** Returns the monotonic time. It does not change while an event is handled, so no deadline seems late. */
	monotonicMs(): number {
		return this.#wire.monotonicMs;
	}

	utcMs(): number | undefined {
		const offset = this.#wire.utcOffsetMs;
		return Number.isNaN(offset) ? undefined : this.#wire.monotonicMs + offset;
	}

	setUTC(utcMs: number): void {
		this.#wire.call(COMMANDS.setUTC, 0, utcMs);
		// This offset is used until the next event, which contains the offset of the host.
		this.#wire.utcOffsetMs = utcMs - this.#wire.monotonicMs;
	}
}

class WireTimer implements Target {
	readonly #wire: Wire;
	readonly #id: number;
	readonly #callback: () => void;

	constructor(wire: Wire, id: number, callback: () => void) {
		this.#wire = wire;
		this.#id = id;
		this.#callback = callback;
	}

	handle(): void {
		this.#wire.detach(this.#id);
		this.#callback();
	}
}

class WireTimers implements Timers {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	set(callback: () => void, delayMs: number): number {
		const id = this.#wire.newId();
		this.#wire.call(COMMANDS.timer, id, delayMs);
		this.#wire.attach(id, new WireTimer(this.#wire, id, callback));
		return id;
	}

	clear(id: number): void {
		if (this.#wire.target(id) instanceof WireTimer) this.#wire.close(id);
	}
}

class WireStorage implements Storage {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	get(key: string): Uint8Array | undefined {
		return this.#wire.call(COMMANDS.storageGet, 0, key)?.[0];
	}

	set(key: string, value: Uint8Array): void {
		this.#wire.call(COMMANDS.storageSet, 0, key, value);
	}

	delete(key: string): void {
		this.#wire.call(COMMANDS.storageDelete, 0, key);
	}
}

class WireCrypto implements Crypto {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	random(length: number): Uint8Array {
		return this.#wire.call(COMMANDS.random, 0, length)![0];
	}

	sha256(...parts: Uint8Array[]): Uint8Array {
		return this.#wire.call(COMMANDS.sha256, 0, joined(parts))![0];
	}

	hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array {
		return this.#wire.call(COMMANDS.hmacSHA256, 0, key, joined(parts))![0];
	}

	aes128GCM(key: Uint8Array, iv: Uint8Array, associated: Uint8Array, text: Uint8Array): Uint8Array {
		return this.#wire.call(COMMANDS.aes128GCM, 0, key, iv, associated, text)![0];
	}

	aes128CBCDecrypt(key: Uint8Array, iv: Uint8Array, text: Uint8Array): Uint8Array {
		return this.#wire.call(COMMANDS.aes128CBCDecrypt, 0, key, iv, text)![0];
	}

	hash(): Hash {
		const wire = this.#wire;
		const id = wire.newId();
		wire.call(COMMANDS.hash, id);
		return {
			update: (bytes, start = 0, end = bytes.length) => {
				wire.call(COMMANDS.hashUpdate, id, bytes.subarray(start, end));
			},
			digest: () => wire.call(COMMANDS.hashDigest, id)![0].slice(),
		};
	}

	verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
		return this.#wire.call(COMMANDS.verifyP256, 0, publicKey, signature, message)![0] === 1;
	}

	agreeP256(publicKey: Uint8Array): KeyAgreement {
		const [own, secret] = this.#wire.call(COMMANDS.agreeP256, 0, publicKey)!;
		return { publicKey: own.slice(), secret: secret.slice() };
	}

	readCertificates(file: Uint8Array): CertificateFile {
		return this.#wire.call(COMMANDS.readCertificates, 0, file)![0] as CertificateFile;
	}

	makeCertificate(options: CertificateOptions): CertificatePair {
		const { key = new Uint8Array(0), ...rest } = options;
		const pair = this.#wire.call(COMMANDS.makeCertificate, 0, key, rest)!;
		return { certificate: pair[0].slice(), key: pair[1].slice() };
	}
}

class WireText implements TextCodec {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	encode(text: string): Uint8Array {
		return this.#wire.encoder.encode(text);
	}

	decode(bytes: Uint8Array, start = 0, end = bytes.length): string {
		return this.#wire.decoder.decode(bytes.subarray(start, end));
	}
}

class WireResources implements Resources {
	readonly #wire: Wire;
	readonly #files = new Map<string, Uint8Array>();

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	get(name: string): Uint8Array | undefined {
		const known = this.#files.get(name);
		if (known !== undefined) return known;
		const file = this.#wire.call(COMMANDS.resource, 0, name)?.[0];
		if (file !== undefined) this.#files.set(name, file);
		return file;
	}
}

class WirePower implements Power {
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	get cells(): number {
		return this.value(POWER_CELLS) ?? 0;
	}

	batteryVoltage(): number | undefined {
		return this.value(POWER_BATTERY);
	}

	usbVoltage(): number | undefined {
		return this.value(POWER_USB);
	}

	temperatureC(): number | undefined {
		return this.value(POWER_TEMPERATURE);
	}

	private value(which: number): number | undefined {
		return this.#wire.call(COMMANDS.power, 0, which)?.[0];
	}
}

class WireRetained implements Retained {
	readonly size = RETAINED_SIZE;
	readonly #wire: Wire;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	read(): Uint8Array | undefined {
		return this.#wire.call(COMMANDS.retained, 0)?.[0];
	}

	write(bytes: Uint8Array): void {
		this.#wire.call(COMMANDS.retain, 0, bytes);
	}
}

/** Creates the Host that the data of EVENT_START describe. */
export function createHost(wire: Wire, start: ArrayBuffer): Host {
	const flags = new DataView(start).getUint32(21, true);
	const lines = wire.decoder.decode(new Uint8Array(start, EVENT_HEADER_BYTES)).split("\n");
	const info: Record<string, string | number> = {};
	INFO_FIELDS.forEach((field, index) => {
		info[field] = lines[index];
	});
	INFO_NUMBERS.forEach((field, index) => {
		info[field] = Number(lines[INFO_FIELDS.length + index]);
	});
	const pins = Object.freeze({ wire });
	const [accessPointKey, mac, cause, wakeReason, ethernetMAC] = lines.slice(INFO_FIELDS.length + INFO_NUMBERS.length);
	const isFault = (flags & HOST_ENDED_BY_FAULT) !== 0;
	const sleep: Sleep = {
		wakeReason: Number(wakeReason),
		begin: (ms) => void wire.call(COMMANDS.sleep, 0, ms),
	};
	return {
		info: info as unknown as HostInfo,
		clock: new WireClock(wire),
		timers: new WireTimers(wire),
		serial: createSerialPorts(pins, flags),
		network: createNetwork(pins, flags),
		storage: new WireStorage(wire),
		crypto: new WireCrypto(wire),
		text: new WireText(wire),
		resources: new WireResources(wire),
		...((flags & HOST_HAS_POWER) !== 0 ? { power: new WirePower(wire) } : {}),
		...((flags & HOST_HAS_WIFI) !== 0 ? { wifi: { io: ProxyWiFi, pins, accessPointKey, mac } } : {}),
		...((flags & HOST_HAS_ETHERNET) !== 0 ? { ethernet: { io: ProxyEthernet, pins, mac: ethernetMAC } } : {}),
		...((flags & HOST_HAS_BUTTON) !== 0 ? { button: { io: ProxyButton, pins } } : {}),
		...((flags & HOST_HAS_FLASH) !== 0 ? { flash: new ProxyFlash(wire) } : {}),
		...((flags & HOST_HAS_UPDATE) !== 0 ? { update: new ProxyUpdate(wire) } : {}),
		...((flags & HOST_HAS_RETAINED) !== 0 ? { retained: new WireRetained(wire) } : {}),
		...((flags & HOST_HAS_ENDING) !== 0 ? { ending: { cause, isFault } } : {}),
		...((flags & HOST_HAS_SLEEP) !== 0 ? { sleep } : {}),
		restart: () => void wire.call(COMMANDS.restart, 0),
		trace: (message) => wire.trace(message),
	};
}

function createSerialPorts(pins: WirePins, flags: number): Host["serial"] {
	const setLines = (reset: boolean, bootLoader: boolean) =>
		void pins.wire.call(COMMANDS.coprocessorLines, 0, Number(reset), Number(bootLoader));
	const lines = (flags & HOST_HAS_COPROCESSOR_LINES) !== 0 ? { setLines } : {};
	return {
		meter: { io: ProxySerial, pins, hardwareParity: (flags & HOST_HARDWARE_PARITY) !== 0 },
		...((flags & HOST_HAS_CONSOLE) !== 0 ? { console: { io: ProxyConsole, pins, hardwareParity: false } } : {}),
		...((flags & HOST_HAS_COPROCESSOR) !== 0
			? { zigbee: { io: ProxyCoprocessor, pins, hardwareParity: false, ...lines } }
			: {}),
	};
}

function createNetwork(pins: WirePins, flags: number): Network {
	const { wire } = pins;
	const listener = (which: number, secure: boolean) => ({
		io: ProxyListener,
		socket: ProxySocket,
		pins: { wire, which },
		secure,
	});
	const resolve = (name: string, done: (address: string | undefined) => void) => {
		const id = wire.newId();
		wire.call(COMMANDS.resolve, id, name);
		wire.ask(id, (address) => done(address === "" ? undefined : address));
	};
	return {
		http: listener(LISTEN_HTTP, (flags & HOST_HTTP_SECURE) !== 0),
		...((flags & HOST_HAS_HTTPS) !== 0 ? { https: listener(LISTEN_HTTPS, (flags & HOST_HTTPS_SECURE) !== 0) } : {}),
		tcpListener: (port) => listener(port, false),
		...((flags & HOST_HAS_UDP) !== 0 ? { udp: { io: ProxyUDP, pins } } : {}),
		...((flags & HOST_HAS_RESOLVE) !== 0 ? { resolve } : {}),
		...((flags & HOST_HAS_TCP_CLIENT) !== 0 ? { tcpClient: { io: ProxyTCPClient, pins } } : {}),
		...((flags & HOST_HAS_TLS_CLIENT) !== 0 ? { tlsClient: { io: ProxyTLSClient, pins } } : {}),
	};
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
	if (parts.length === 1) return parts[0];
	let length = 0;
	for (const part of parts) length += part.length;
	const whole = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

/**
 * Host contract: services of a host (ESP32, Linux, the simulator).
 *
 * IO follows ECMA-419: the constructor of a class takes its pins, settings and callbacks in one options object; the
 * class has `read`, `write`, `close`, `configure`. Rules for every host (test/hosts/conformance.ts):
 * - No callback runs inside a constructor, inside another call into the same object, or after `close`.
 * - `read` returns `undefined` when empty. It copies into the caller's buffer, so that reading makes no garbage.
 * - `write` copies its bytes before it returns. More than the last announced count throws a RangeError and writes
 *   nothing. It returns the count that may be written next.
 * - `close` may be called twice.
 */
import type { ClientPort } from "./client.js";
import type { CertificatePair, Crypto } from "./crypto.js";
import type { EthernetPort } from "./ethernet.js";
import type { Flash, Retained, Sleep, Update } from "./flash.js";
import type { Memory } from "./memory.js";
import type { WiFiPort } from "./wifi.js";

export interface LineSettings {
	/** Bits per second, 300 to 115200. */
	readonly baud: number;
	readonly format: SerialFormat;
}

/** Data bits, parity, stop bits: 7E1 (IEC 62056-21, 5.2), 8N1 (HDLC), 8E1 (M-Bus, EN 13757-2, 5.3), 8N2 (KMP). */
export type SerialFormat = typeof FORMAT_7E1 | typeof FORMAT_8N1 | typeof FORMAT_8E1 | typeof FORMAT_8N2;
export const FORMAT_7E1 = 0;
export const FORMAT_8N1 = 1;
export const FORMAT_8E1 = 2;
export const FORMAT_8N2 = 3;

/** Bytes; more are lost and reported as an overrun. */
export const SERIAL_RECEIVE_LIMIT = 4096;

export interface SerialOptions extends LineSettings {
	onReadable?(count: number): void;
	/** `count` bytes may be written: called once after construction, and after each write that has freed space. */
	onWritable?(count: number): void;
	/** The last stop bit of a burst has left; the speed may change. */
	onDrained?(): void;
	/** SERIAL_ERROR_…; only SERIAL_ERROR_GONE ends the port. */
	onError?(code: number): void;
}
/** The device was unplugged or the other end closed: close the object. */
export const SERIAL_ERROR_GONE = 1;
export const SERIAL_ERROR_OVERRUN = 2;
/**
 * Wrong parity or stop bit. In 7E1 the damaged character is a byte of 0x80 or above. In 8E1 it is read as received and
 * some errors go unreported: the telegram's checksum must find them.
 */
export const SERIAL_ERROR_CHARACTER = 3;

export interface Serial {
	/** Returns the number of bytes, or undefined. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Takes effect at once; call it only after `onDrained`. */
	configure(line: LineSettings): void;
	close(): void;
}

export interface SerialPort {
	/** Throws an Error for the user when the device can't be opened. */
	readonly io: new (
		options: SerialOptions,
		pins: object,
	) => Serial;
	/** Second argument of the constructor; it is separate, so that an instance of a class can be the first. */
	readonly pins: object;
	/**
	 * True when the hardware handles 7E1: bytes have 7 bits, and 0x80 and above are damaged. False: the port uses 8N1,
	 * and the caller handles parity (bytes/parity.ts). 8E1 is always the port's task.
	 */
	readonly hardwareParity: boolean;
}

/** Port of the Zigbee coprocessor: 115200 Bd, 8N1, with flow control where the board is wired for it. */
export interface CoprocessorPort extends SerialPort {
	/**
	 * Holds the coprocessor in reset, or lets it run, with `bootLoader` in its boot loader. The lines keep their state
	 * when the port is closed; initially the coprocessor runs. Undefined where they are not wired.
	 */
	setLines?(reset: boolean, bootLoader: boolean): void;
}

/**
 * Minimum number of bytes that an empty console accepts. The console (`Host.serial.console`) shares the log's line,
 * 115200 Bd, 8N1; a `write` and a log line are never interleaved.
 */
export const CONSOLE_ROOM = 160;

export const OUT_OF_MEMORY = "out of memory";

export interface ListenerOptions {
	/** Required for TLS only: certificate until `setIdentity()`. */
	readonly identity?: CertificatePair;
	/**
	 * `count` connections wait for `read()`; a TLS connection may be counted only after its first bytes. 0: the
	 * admission queue is full, so the server can drop an idle connection.
	 */
	onReadable(count: number): void;
	onError?(message: string): void;
}

/** Connection to be passed to a Socket as `from`, or closed. */
export interface PendingSocket {
	close(): void;
}

export interface Listener {
	read(): PendingSocket | undefined;
	readonly port: number;
	/**
	 * Sets the TLS certificate (with its chain, the server's own first) of new connections; sessions of the old one are
	 * not resumed. The texts are copied, at most CERTIFICATE_FILE_LIMIT bytes each. Throws an Error for the user, without
	 * any effect, for an unusable pair, without TLS, and after `close`.
	 */
	setIdentity(pair: CertificatePair): void;
	/**
	 * Tests the certificate by a TLS handshake with itself, trusting any certificate. Calls `done` once, soon, but not
	 * after `close`: with "" on success, with OUT_OF_MEMORY if memory is too short for the test, or with a message that
	 * tells the user why a client would fail. Throws an Error without TLS, and after `close`.
	 */
	testIdentity(done: (problem: string) => void): void;
	/** Clears the trusted addresses after a token was revoked; `Socket.know()` adds them again. */
	forget?(): void;
	close(): void;
}

export interface SocketOptions {
	readonly from: PendingSocket;
	onReadable?(count: number): void;
	onWritable?(count: number): void;
	/** The connection has ended, and everything was read. */
	onError?(): void;
}

export interface Socket {
	/** Peer address as text, also after the end. */
	readonly remoteAddress: string;
	/** True for a client of the device's own access point. */
	readonly viaAccessPoint: boolean;
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Call it for each request with a valid token: prefers the peer's address for half an hour. */
	know?(): void;
	/** Sends what was written. */
	close(): void;
}

export interface ListenerPort {
	readonly io: new (options: ListenerOptions) => Listener;
	readonly socket: new (options: SocketOptions) => Socket;
	readonly pins: object;
	/** True when the host adds TLS; sockets read and write plain text. */
	readonly secure: boolean;
}

/** Longest datagram, bytes; longer ones are dropped. */
export const DATAGRAM_LIMIT = 1472;

export interface UDPOptions {
	/** Local port; 0: any free port. */
	readonly port: number;
	/** Multicast group (IPv4) to join, with a TTL of 255. The port may then be shared. */
	readonly group?: string;
	/** True to use only the network of the device's access point. Default false: any network. */
	readonly accessPoint?: boolean;
	onReadable(): void;
	/** The network was lost: close the object. */
	onError?(): void;
}

/** UDP port (IPv4). The constructor throws an Error for the user when the port is not available. */
export interface UDP {
	readonly port: number;
	readonly remoteAddress: string;
	readonly remotePort: number;
	/**
	 * Copies a datagram into DATAGRAM_LIMIT bytes; returns its length. The queue is short; excess datagrams are lost.
	 */
	read(into: Uint8Array): number | undefined;
	/**
	 * A datagram that the network can't accept is lost. Throws a RangeError for more than DATAGRAM_LIMIT bytes, and for
	 * an address other than dotted IPv4.
	 */
	write(bytes: Uint8Array, address: string, port: number): void;
	close(): void;
}

export interface UDPPort {
	readonly io: new (options: UDPOptions) => UDP;
	readonly pins: object;
}

/** Simultaneous lookups; further ones return undefined. */
export const RESOLVE_LIMIT = 4;

export interface Clock {
	/** Never decreases; counts from an arbitrary moment before the start. */
	monotonicMs(): number;
	/** Undefined until the clock is set. */
	utcMs(): number | undefined;
	setUTC(utcMs: number): void;
}

export interface Timers {
	/** Calls `callback` once, after at least `delayMs`. */
	set(callback: () => void, delayMs: number): number;
	/** Ignores unknown and expired IDs. */
	clear(id: number): void;
}

/** Key-value store in flash: keys of 1 to 15 characters a-z 0-9 `_`, values of at most 4500 bytes. */
export interface Storage {
	get(key: string): Uint8Array | undefined;
	/** After a power cut, `get()` returns the old or the new value. Throws when flash is full. */
	set(key: string, value: Uint8Array): void;
	delete(key: string): void;
}

/** Native conversion, because a loop over characters is quadratic in XS. */
export interface TextCodec {
	encode(text: string): Uint8Array;
	/** Decodes well-formed UTF-8 only. */
	decode(bytes: Uint8Array, start?: number, end?: number): string;
}

/** Read-only files in flash. */
export interface Resources {
	get(name: string): Uint8Array | undefined;
}

export interface HostInfo {
	readonly board: string;
	readonly chip: string;
	readonly serial: string;
	/** Initial password of the account, on the label. */
	readonly labelPassword: string;
	/** `<major>.<minor>.<build>` with an optional suffix. */
	readonly firmwareVersion: string;
	/** Unix ms. */
	readonly builtUtcMs: number;
	readonly manufacturer: string;
	readonly model: string;
	/** Hardware variant, 0 to 65535. */
	readonly deviceId: number;
	readonly hostname: string;
	/**
	 * DNS names or IPv4 addresses of time servers in order of use, separated by commas, with `:port` unless 123. Empty:
	 * time is not requested.
	 */
	readonly timeServers: string;
	/** Recipient's public key for diagnostic reports, a point (P256_POINT_LENGTH bytes) in hex. Empty: no reports. */
	readonly reportKey: string;
	/** Public keys that sign settings files, points in hex with a blank between them. Empty: no files are accepted. */
	readonly settingsKeys: string;
	/** HTTPS address of newer firmware, with `{board}` for the board's name; may be empty. */
	readonly upgradeUrl: string;
}

export interface Ending {
	/** Cause in a few English words, such as `panic` or `the watchdog of tasks`. */
	readonly cause: string;
	/** True if firmware or chip failed; false for a requested restart or a loss of power. */
	readonly isFault: boolean;
}

export interface Power {
	/** Alkaline cells in series; 0 for a board without cells. */
	readonly cells: number;
	/** Returns the voltage of all cells, V; 0 when missing or empty. */
	batteryVoltage(): number | undefined;
	usbVoltage(): number | undefined;
	temperatureC(): number | undefined;
}

export interface ButtonOptions {
	onChanged(pressed: boolean): void;
}

/** Button, debounced by the host. */
export interface ButtonPort {
	readonly io: new (options: ButtonOptions) => { close(): void };
	readonly pins: object;
}

export interface LED {
	/** Repeats `onMs` on and `offMs` off until the next call. `onMs` 0: off; `offMs` 0: on. */
	blink(onMs: number, offMs: number): void;
	close(): void;
}

export interface LEDPort {
	/** Initially off. The options contain only the pins. */
	readonly io: new (
		options: object,
	) => LED;
	readonly pins: object;
}

export interface Network {
	readonly http: ListenerPort;
	readonly https?: ListenerPort;
	/** Plain TCP listener. On a PC the host may use another port number, which it logs. */
	tcpListener?(port: number): ListenerPort;
	readonly udp?: UDPPort;
	readonly tcpClient?: ClientPort;
	readonly tlsClient?: ClientPort;
	/**
	 * Calls `done` once, soon after this call, with an IPv4 address (an address is returned unchanged), or undefined
	 * without such a name or an answer.
	 */
	resolve?(name: string, done: (address: string | undefined) => void): void;
}

export interface Host {
	readonly info: HostInfo;
	readonly clock: Clock;
	readonly timers: Timers;
	readonly serial: { readonly meter: SerialPort; readonly zigbee?: CoprocessorPort; readonly console?: SerialPort };
	readonly network: Network;
	readonly storage: Storage;
	readonly crypto: Crypto;
	readonly text: TextCodec;
	readonly resources: Resources;
	readonly flash?: Flash;
	readonly update?: Update;
	readonly retained?: Retained;
	/** Undefined if unknown. */
	readonly ending?: Ending;
	readonly sleep?: Sleep;
	/** Undefined on a host without a limit of memory. */
	readonly memory?: Memory;
	readonly power?: Power;
	readonly wifi?: WiFiPort;
	/** Only together with `wifi`. */
	readonly ethernet?: EthernetPort;
	readonly button?: ButtonPort;
	/**
	 * For a unit without a button, which is reset by power cycles (app/power-cycles.ts): true when power was switched on
	 * before this start. Undefined with a button, or if unknown.
	 */
	readonly switchedOn?: boolean;
	readonly led?: LEDPort;
	/** Returns the signed settings file of the factory data, unchecked (modules/provision); undefined without one. */
	settingsFile?(): ArrayBuffer | undefined;
	/** Restarts soon after the call, without further callbacks. Only `storage` is kept, and the clock continues. */
	restart(): void;
	/** Writes a line to the developer's log. `message` must not contain secrets. */
	trace(message: string): void;
}

/**
 * Host contract: services of a host (ESP32, Linux, the simulator).
 *
 * IO follows ECMA-419: the constructor of an IO class takes pins, settings and callbacks in one options object, and an
 * instance has `read`, `write`, `close` and `configure`. Rules for every host (test/hosts/conformance.ts):
 * - No callback runs inside a constructor, inside another call into the same object, or after `close`.
 * - `read` returns `undefined` if nothing was received. It copies into the caller's buffer, so that reading makes no
 *   garbage.
 * - `write` copies its bytes before it returns. More bytes than the last announced count throw a RangeError, and none
 *   are written. It returns the count that may be written next.
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

/** Size of the receive buffer, bytes. Further bytes are lost and reported as an overrun. */
export const SERIAL_RECEIVE_LIMIT = 4096;

export interface SerialOptions extends LineSettings {
	onReadable?(count: number): void;
	/** `count` bytes may be written: called once after construction, and after each write that has freed space. */
	onWritable?(count: number): void;
	/** The last stop bit of a burst was sent, so the speed may change. */
	onDrained?(): void;
	/** SERIAL_ERROR_…; only SERIAL_ERROR_GONE ends the port. */
	onError?(code: number): void;
}
/** The device was unplugged, or the other end was closed. Close the object. */
export const SERIAL_ERROR_GONE = 1;
export const SERIAL_ERROR_OVERRUN = 2;
/**
 * A character had a wrong parity or stop bit. In 7E1, `read()` returns the damaged character as a byte of 0x80 or
 * above. In 8E1, it returns the character as received, and some errors are not reported, so the telegram's checksum
 * must detect them.
 */
export const SERIAL_ERROR_CHARACTER = 3;

export interface Serial {
	/** Returns the number of bytes, or undefined. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Takes effect immediately; call it only after `onDrained`. */
	configure(line: LineSettings): void;
	close(): void;
}

export interface SerialPort {
	/** Throws an Error, with a message for the user, if the device can't be opened. */
	readonly io: new (
		options: SerialOptions,
		pins: object,
	) => Serial;
	/**
	 * Second argument of the constructor. It is separate from the options, so that an instance of a class can serve as the
	 * options.
	 */
	readonly pins: object;
	/**
	 * True if the hardware handles 7E1: bytes have 7 bits, and a byte of 0x80 or above is a damaged character. False if
	 * the port uses 8N1 instead, and the caller handles parity (bytes/parity.ts). The port always handles 8E1.
	 */
	readonly hardwareParity: boolean;
	/**
	 * Inverts the lines, in addition to what the board's row says; takes effect immediately. An inverted line is low when
	 * idle, like that of a P1 port (DSMR P1 companion standard 5.0.2, 5.7). Undefined if the port can't invert.
	 */
	invert?(receive: boolean, transmit: boolean): void;
	/** Returns true if the receive line now has the level of an idle line. Present together with `invert`. */
	isIdle?(): boolean;
	/** GPIOs of the port; undefined if the host has none. */
	readonly gpios?: GPIOs;
	/** Uses other GPIOs, each one of `gpios.others` or -1 for the board's; takes effect immediately. */
	choose?(receive: number, transmit: number): void;
}

export interface GPIOs {
	readonly receive: number;
	readonly transmit: number;
	/** GPIOs that may be chosen in place of these two; undefined if the board has no free ones. */
	readonly others?: readonly number[];
}

/** Port of the Zigbee coprocessor: 115200 Bd, 8N1, with flow control if the board has the wires for it. */
export interface CoprocessorPort extends SerialPort {
	/**
	 * Holds the coprocessor in reset, or starts it, with `bootLoader` in its boot loader. The lines keep their state when
	 * the port is closed; initially the coprocessor runs. Undefined if the board does not have these wires.
	 */
	setLines?(reset: boolean, bootLoader: boolean): void;
}

/**
 * Number of bytes that an idle console accepts at least. The console (`Host.serial.console`) shares a line with the
 * log, 115200 Bd, 8N1. A `write` and a log line are never interleaved.
 */
export const CONSOLE_ROOM = 160;

export const OUT_OF_MEMORY = "out of memory";

export interface ListenerOptions {
	/** Required for TLS only: the certificate in use until `setIdentity()` is called. */
	readonly identity?: CertificatePair;
	/**
	 * `count` connections wait for `read()`; the host may count a TLS connection only after its first bytes. A count of 0
	 * means that the admission queue is full, so the server can drop an idle connection.
	 */
	onReadable(count: number): void;
	onError?(message: string): void;
}

/** A waiting connection. Pass it to the constructor of a Socket as `from`, or close it. */
export interface PendingSocket {
	close(): void;
}

export interface Listener {
	read(): PendingSocket | undefined;
	readonly port: number;
	/**
	 * Sets the TLS certificate for new connections. It may have a chain, with the server's own certificate first. TLS
	 * sessions that began with the old certificate are not resumed. The PEM texts are copied and have at most
	 * CERTIFICATE_FILE_LIMIT bytes each. For an unusable pair, without TLS, and after `close`, throws an Error with a
	 * message for the user, and changes nothing.
	 */
	setIdentity(pair: CertificatePair): void;
	/**
	 * Tests the certificate by a TLS handshake with itself, trusting any certificate. Calls `done` once, soon, but not
	 * after `close`: with "" on success, with OUT_OF_MEMORY if too little memory is free for the test, or with a message
	 * that tells the user why a client would fail. Throws an Error without TLS, and after `close`.
	 */
	testIdentity(done: (problem: string) => void): void;
	/** Clears the list of trusted addresses, after a token was revoked. `Socket.trust()` adds addresses again. */
	forget?(): void;
	close(): void;
}

export interface SocketOptions {
	readonly from: PendingSocket;
	onReadable?(count: number): void;
	onWritable?(count: number): void;
	/** The connection has ended, and all received bytes were read. */
	onError?(): void;
}

export interface Socket {
	/** Peer address as text, also available after the end of the connection. */
	readonly remoteAddress: string;
	/** True for a client of the device's own access point. */
	readonly viaAccessPoint: boolean;
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Call it for each request with a valid token. For half an hour, connections from this address are then preferred. */
	trust?(): void;
	/** Sends what was written, then closes. */
	close(): void;
}

export interface ListenerPort {
	readonly io: new (options: ListenerOptions) => Listener;
	readonly socket: new (options: SocketOptions) => Socket;
	readonly pins: object;
	/** True if the host adds TLS. Sockets read and write plain text in either case. */
	readonly secure: boolean;
}

/** Longest datagram, bytes; longer ones are dropped. */
export const DATAGRAM_LIMIT = 1472;

export interface UDPOptions {
	/** Local port; 0: any free port. */
	readonly port: number;
	/** IPv4 multicast group to join. Datagrams are sent with a TTL of 255, and several sockets may share the port. */
	readonly group?: string;
	/** True to use only the network of the device's access point. Default false: any network. */
	readonly accessPoint?: boolean;
	onReadable(): void;
	/** The network was lost. Close the object. */
	onError?(): void;
}

/** UDP port (IPv4). The constructor throws an Error, with a message for the user, if the port is not available. */
export interface UDP {
	readonly port: number;
	readonly remoteAddress: string;
	readonly remotePort: number;
	/**
	 * Copies the next datagram into `into`, which has DATAGRAM_LIMIT bytes, and returns its length. The queue is short;
	 * excess datagrams are lost.
	 */
	read(into: Uint8Array): number | undefined;
	/**
	 * A datagram that the network can't accept now is lost. Throws a RangeError for more than DATAGRAM_LIMIT bytes, or if
	 * the address is not a dotted IPv4 address.
	 */
	write(bytes: Uint8Array, address: string, port: number): void;
	close(): void;
}

export interface UDPPort {
	readonly io: new (options: UDPOptions) => UDP;
	readonly pins: object;
}

/** Maximum number of simultaneous lookups. Further lookups return undefined. */
export const RESOLVE_LIMIT = 4;

export interface Clock {
	/** Never decreases. It counts from an arbitrary time before the start. */
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

/** Conversion in native code, because a loop over characters takes quadratic time in XS. */
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
	 * DNS names or IPv4 addresses of time servers in order of use, separated by commas, each with `:port` if the port is
	 * not 123. Empty: no time server is used.
	 */
	readonly timeServers: string;
	/** Recipient's public key for diagnostic reports, a point (P256_POINT_LENGTH bytes) in hex. Empty: no reports. */
	readonly reportKey: string;
	/** Public keys for verifying settings files, points in hex with a blank between them. Empty: no files are accepted. */
	readonly settingsKeys: string;
	/** HTTPS address of newer firmware, with `{board}` for the board's name; may be empty. */
	readonly upgradeUrl: string;
}

export interface Ending {
	/** Cause of the last restart in a few English words, such as `panic` or `the watchdog of tasks`. */
	readonly cause: string;
	/** True if the firmware or the chip failed. False after a requested restart or a loss of power. */
	readonly isFault: boolean;
	/** True if the supply was too weak: the chip's detector for low voltage restarted it. */
	readonly isLowVoltage?: boolean;
}

export interface Power {
	/** Number of alkaline cells in series; 0 for a board without cells. */
	readonly cells: number;
	/** Returns the voltage of all cells together, V; 0 if they are missing or empty. */
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
	/**
	 * Repeats `onMs` on and `offMs` off until the next call. If `onMs` is 0, the light is off; if `offMs` is 0, it is on.
	 */
	blink(onMs: number, offMs: number): void;
	close(): void;
}

export interface LEDPort {
	/** The light is initially off. The options contain only the pins. */
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
	 * Looks up a name. Calls `done` once, soon after this call: with an IPv4 address, or with undefined if the name does
	 * not exist or no server answers. An IPv4 address as `name` is returned unchanged.
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
	/** Reason for the last restart; undefined if unknown. */
	readonly ending?: Ending;
	readonly sleep?: Sleep;
	/** Undefined on a host without a memory limit. */
	readonly memory?: Memory;
	readonly power?: Power;
	readonly wifi?: WiFiPort;
	/** Present only together with `wifi`. */
	readonly ethernet?: EthernetPort;
	readonly button?: ButtonPort;
	/**
	 * True if power was switched on before this start. Only units without a button use it; a pattern of power cycles resets them
	 * (app/power-cycles.ts). Undefined if the unit has a button, or if the cause is unknown.
	 */
	readonly switchedOn?: boolean;
	readonly led?: LEDPort;
	/**
	 * Returns the signed settings file from the factory data, which modules/provision verifies; undefined if there is
	 * none.
	 */
	settingsFile?(): ArrayBuffer | undefined;
	/** Restarts soon after the call, without further callbacks. Only `storage` keeps its data; the clock continues. */
	restart(): void;
	/** Writes a line to the developer's log. `message` must not contain secrets. */
	trace(message: string): void;
}

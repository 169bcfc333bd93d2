/**
 * Host contract: services that a host (ESP32, Linux, the simulator) provides to the gateway. Types only.
 *
 * IO follows ECMA-419: the constructor of a class takes its pins, settings and callbacks in one options object; the
 * class has `read`, `write`, `close`, `configure`. Rules for every host (test/hosts/conformance.ts):
 * - No callback runs inside a constructor, inside another call into the same object, or after `close`.
 * - `read` returns `undefined` when empty. It copies into the caller's buffer, so that reading makes no garbage.
 * - `write` copies its bytes before it returns. More than the last announced count throws a RangeError and writes
 *   nothing. It returns the count that may be written next.
 * - `close` may be called twice.
 *
 * Optional members are optional features.
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

/**
 * 7 data bits, even parity, 1 stop bit (IEC 62056-21, 5.2); 8 data bits, no parity, 1 stop bit (HDLC); or 8 data bits,
 * even parity, 1 stop bit (M-Bus, EN 13757-2, 5.3).
 */
export type SerialFormat = typeof FORMAT_7E1 | typeof FORMAT_8N1 | typeof FORMAT_8E1;
export const FORMAT_7E1 = 0;
export const FORMAT_8N1 = 1;
export const FORMAT_8E1 = 2;

/** Receive buffer of a serial port, bytes; bytes beyond it are lost and reported as an overrun. */
export const SERIAL_RECEIVE_LIMIT = 4096;

export interface SerialOptions extends LineSettings {
	/** Called when `count` bytes can be read. */
	onReadable?(count: number): void;
	/** Called when `count` bytes may be written: once after construction, and after each write that has freed space. */
	onWritable?(count: number): void;
	/** Called once after each burst of writes, when the last stop bit has left and the speed may change. */
	onDrained?(): void;
	/** Called with SERIAL_ERROR_…; only SERIAL_ERROR_GONE ends the port. */
	onError?(code: number): void;
}
/** The device has disappeared (unplugged, other end closed). The object is unusable: close it. */
export const SERIAL_ERROR_GONE = 1;
/** Bytes were lost because they were not read in time. */
export const SERIAL_ERROR_OVERRUN = 2;
/**
 * A character arrived with a wrong parity or stop bit. In 7E1 it was delivered as a byte of 0x80 or above, in 8E1 as it was
 * received, if the port reports it at all; the telegram's own check decides.
 */
export const SERIAL_ERROR_CHARACTER = 3;

export interface Serial {
	/** Copies up to `end - start` bytes into `into`; returns their number, or undefined when no bytes are waiting. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Changes speed and format at once; call it only after `onDrained`. */
	configure(line: LineSettings): void;
	close(): void;
}

export interface SerialPort {
	/** Throws an Error with a message for the user when the device can't be opened. */
	readonly io: new (
		options: SerialOptions,
		pins: object,
	) => Serial;
	/**
	 * Second argument of the constructor; separate from the options, so that an instance of a class can be the options.
	 */
	readonly pins: object;
	/**
	 * True when the hardware handles 7E1: bytes are then 7 bits wide, and 0x80 and above mark a damaged character. False:
	 * the port uses 8N1 for it, and the caller handles parity (bytes/parity.ts). 8E1 is the port's affair in any case; one
	 * without a line, such as a pseudo-terminal, passes its bytes.
	 */
	readonly hardwareParity: boolean;
}

/** Serial port of the Zigbee coprocessor: 115200 Bd, 8N1, with flow control where the board has the lines for it. */
export interface CoprocessorPort extends SerialPort {
	/**
	 * Holds the coprocessor in reset, or lets it run, with `bootLoader` in its boot loader. The lines keep their state
	 * whether the port is open or not; initially it runs. Undefined where the lines are not wired.
	 */
	setLines?(reset: boolean, bootLoader: boolean): void;
}

/**
 * Minimum number of bytes the console accepts when its send buffer is empty. The console (`Host.serial.console`) shares
 * the line of the log, 115200 Bd, 8N1; one `write` and one log line are never interleaved.
 */
export const CONSOLE_ROOM = 160;

export const OUT_OF_MEMORY = "out of memory";

export interface ListenerOptions {
	/** Required for TLS, and only used there: certificate in use until `setIdentity()`. See there. */
	readonly identity?: CertificatePair;
	/**
	 * Called when `count` connections wait for `read()`; with TLS a connection may count only after its first bytes. 0
	 * tells the server that the admission queue is full, so that it can drop an idle connection.
	 */
	onReadable(count: number): void;
	/** Called when the listener is unusable. */
	onError?(message: string): void;
}

/** An accepted connection without callbacks, to be passed to a Socket as `from` or closed. */
export interface PendingSocket {
	close(): void;
}

export interface Listener {
	read(): PendingSocket | undefined;
	readonly port: number;
	/**
	 * With TLS: sets the certificate for new connections (with its chain, the server's own first). Open connections keep
	 * theirs; sessions of the old one are not resumed. Each text has at most CERTIFICATE_FILE_LIMIT bytes, and is copied.
	 * Throws an Error with a message for the user, without any effect, when the pair is unusable, when the port has no
	 * TLS, and after `close`.
	 */
	setIdentity(pair: CertificatePair): void;
	/**
	 * With TLS: performs one handshake with itself, as a client that trusts any certificate. Calls `done` once, soon, not
	 * after `close`: with "" on success, OUT_OF_MEMORY when the test was impossible, or a message for the user why a
	 * client would fail. Throws an Error when the port has no TLS, and after `close`.
	 */
	testIdentity(done: (problem: string) => void): void;
	/** Clears all trusted addresses after a token was revoked; `Socket.know()` adds them again. */
	forget?(): void;
	close(): void;
}

export interface SocketOptions {
	readonly from: PendingSocket;
	onReadable?(count: number): void;
	onWritable?(count: number): void;
	/** Called when the peer closed or the connection broke, after everything received has been read. */
	onError?(): void;
}

export interface Socket {
	/** Peer address as text; remains after the end of the connection. */
	readonly remoteAddress: string;
	/** True for a client on the network of the device's own access point. */
	readonly viaAccessPoint: boolean;
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/**
	 * Makes the peer's address a trusted address, preferred over others for half an hour; called for each request with a
	 * valid token.
	 */
	know?(): void;
	/** Sends what was written, then closes. */
	close(): void;
}

export interface ListenerPort {
	readonly io: new (options: ListenerOptions) => Listener;
	readonly socket: new (options: SocketOptions) => Socket;
	readonly pins: object;
	/** True when the host carries the bytes over TLS; its sockets still read and write plain text. */
	readonly secure: boolean;
}

/** Maximum size of a datagram in one packet, bytes. Longer incoming datagrams are dropped. */
export const DATAGRAM_LIMIT = 1472;

export interface UDPOptions {
	/** Local port; 0: any free port. */
	readonly port: number;
	/** Multicast group (IPv4) to join; datagrams to it have a TTL of 255. The port may then be shared. */
	readonly group?: string;
	/** True: only from and to the network of the device's own access point. Default false: any network. */
	readonly accessPoint?: boolean;
	/** Called when at least one datagram can be read. */
	onReadable(): void;
	/** Called when the network is gone and the object is unusable: close it. */
	onError?(): void;
}

/** A UDP port (IPv4). The constructor throws an Error with a message for the user when the port is not available. */
export interface UDP {
	/** Actual local port. */
	readonly port: number;
	/** Sender of the datagram read last. */
	readonly remoteAddress: string;
	readonly remotePort: number;
	/**
	 * Copies the next datagram; returns its length. `into` needs DATAGRAM_LIMIT bytes. The queue is short; excess
	 * datagrams are lost.
	 */
	read(into: Uint8Array): number | undefined;
	/**
	 * Sends one datagram; it is lost if the network can't take it now, as it may be on its way. Throws a RangeError for
	 * more than DATAGRAM_LIMIT bytes, and for an address other than IPv4 in dotted decimal.
	 */
	write(bytes: Uint8Array, address: string, port: number): void;
	close(): void;
}

export interface UDPPort {
	readonly io: new (options: UDPOptions) => UDP;
	readonly pins: object;
}

/** Maximum number of simultaneous name lookups; further ones return undefined. */
export const RESOLVE_LIMIT = 4;

export interface Clock {
	/** Milliseconds since an arbitrary moment before start; never decreases. */
	monotonicMs(): number;
	/** Unix time in milliseconds; undefined until the clock is set for the first time. */
	utcMs(): number | undefined;
	setUTC(utcMs: number): void;
}

export interface Timers {
	/** Calls back once, after at least `delayMs`. Returns an ID for `clear()`. */
	set(callback: () => void, delayMs: number): number;
	/** Cancels a timer. Unknown and expired IDs are ignored. */
	clear(id: number): void;
}

/** Key-value store in flash. A key has 1 to 15 characters a-z 0-9 `_`; a value at most 4000 bytes. */
export interface Storage {
	get(key: string): Uint8Array | undefined;
	/** Atomic: after a power cut at any moment, `get()` returns the old or the new value. Throws when flash is full. */
	set(key: string, value: Uint8Array): void;
	delete(key: string): void;
}

/** Native conversion between text and bytes: a loop over characters is quadratic in XS. */
export interface TextCodec {
	encode(text: string): Uint8Array;
	/** Returns the text of well-formed UTF-8. */
	decode(bytes: Uint8Array, start?: number, end?: number): string;
}

/** Files built into the firmware, read directly from flash. The caller must not change the bytes. */
export interface Resources {
	get(name: string): Uint8Array | undefined;
}

export interface HostInfo {
	readonly board: string;
	readonly chip: string;
	/** Serial number of the unit, from its factory data. */
	readonly serial: string;
	/** Secret on the unit's label: the initial password of the account. */
	readonly labelPassword: string;
	/** `<major>.<minor>.<build>` with an optional suffix. */
	readonly firmwareVersion: string;
	/** Build time of the running firmware, Unix time in milliseconds. */
	readonly builtUtcMs: number;
	readonly manufacturer: string;
	readonly model: string;
	/** ID of the hardware variant, 0 to 65535. */
	readonly deviceId: number;
	readonly hostname: string;
	/**
	 * Time servers in order of use: DNS names or IPv4 addresses separated by commas, with `:port` unless it is 123.
	 * Empty: time is not requested.
	 */
	readonly timeServers: string;
	/**
	 * Public key of the recipient of diagnostic reports, as a point (P256_POINT_LENGTH bytes) in hex. Empty: diagnostic
	 * reports are disabled.
	 */
	readonly reportKey: string;
	/** HTTPS address of newer firmware, with `{board}` in place of the board's name. Empty: no address. */
	readonly upgradeUrl: string;
}

export interface Ending {
	/** Cause in a few English words for the user: `panic`, `the watchdog of tasks`. */
	readonly cause: string;
	/** True for a failure of firmware or chip: neither a requested restart nor a loss of power. */
	readonly isFault: boolean;
}

/** Supply and sensors; values are undefined where the board can't measure them. */
export interface Power {
	/** Number of alkaline cells in series; 0 for a board without cells. */
	readonly cells: number;
	/** Voltage of all cells together, V; 0 when missing or empty. */
	batteryVoltage(): number | undefined;
	usbVoltage(): number | undefined;
	temperatureC(): number | undefined;
}

export interface ButtonOptions {
	/** Called when the button is pressed (true) or released. */
	onChanged(pressed: boolean): void;
}

/** Button of the device; the host debounces it. */
export interface ButtonPort {
	readonly io: new (options: ButtonOptions) => { close(): void };
	readonly pins: object;
}

export interface LED {
	/** Repeats `onMs` on and `offMs` off until the next call. `onMs` 0: off; `offMs` 0: on. */
	blink(onMs: number, offMs: number): void;
	/** Turns the light off. */
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
	readonly udp?: UDPPort;
	readonly tcpClient?: ClientPort;
	readonly tlsClient?: ClientPort;
	/**
	 * Looks up a DNS name. Calls `done` once, soon, never inside the call, with an IPv4 address (an address is returned
	 * unchanged), or with undefined when there is no such name or no server answers.
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
	/** Partitions besides the settings. */
	readonly flash?: Flash;
	readonly update?: Update;
	readonly retained?: Retained;
	/** Undefined when the host does not know. */
	readonly ending?: Ending;
	readonly sleep?: Sleep;
	/** Undefined for a host without memory limit. */
	readonly memory?: Memory;
	readonly power?: Power;
	readonly wifi?: WiFiPort;
	/** Used only together with `wifi`. */
	readonly ethernet?: EthernetPort;
	readonly button?: ButtonPort;
	/**
	 * For a unit without a button, which is reset by power cycles (app/power-cycles.ts): true when power was switched on
	 * before this start. Undefined when there is a button, or the host does not know.
	 */
	readonly switchedOn?: boolean;
	readonly led?: LEDPort;
	/**
	 * Restarts the device, soon and not inside the call. Only `storage` is kept, and the clock continues. No callback
	 * runs after the restart has begun.
	 */
	restart(): void;
	/** Writes one line to the developer's log. It must not contain secrets. */
	trace(message: string): void;
}

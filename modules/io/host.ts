/**
 * What a world (ESP32, Linux, the simulator) provides to the gateway. Types only.
 *
 * IO takes the form of ECMA-419: a class is constructed with its pins, its settings and its callbacks in one options
 * object, and has `read`, `write`, `close`, `configure`. Rules that every host keeps (test/hosts/conformance.ts):
 *  - no callback runs inside a constructor, inside another call into the same object, or after `close`;
 *  - `read` on empty gives `undefined`; it copies into the caller's buffer, so that reading makes no garbage;
 *  - `write` copies what it is given before it returns; more than the last announced count throws a RangeError and
 *    writes nothing; it returns the count that may be written next;
 *  - `close` may be called twice.
 * Optional members are optional features.
 */
import type { ClientPort } from "./client.js";
import type { CertificatePair, Crypto } from "./crypto.js";
import type { EthernetPort } from "./ethernet.js";
import type { Flash, Retained, Sleep, Update } from "./flash.js";
import type { Memory } from "./memory.js";
import type { WiFiPort } from "./wifi.js";

/** Baud rate and character format of a serial line. */
export interface LineSettings {
	/** Bits per second, 300 to 115200. */
	readonly baud: number;
	readonly format: SerialFormat;
}

/** 7 data bits, even parity, 1 stop bit (IEC 62056-21, 5.2) or 8 data bits, no parity, 1 stop bit (HDLC). */
export type SerialFormat = typeof FORMAT_7E1 | typeof FORMAT_8N1;
export const FORMAT_7E1 = 0;
export const FORMAT_8N1 = 1;

/** The most a host reports of one serial port without it being read, bytes; what comes beyond is lost and counted. */
export const SERIAL_RECEIVE_LIMIT = 4096;

export interface SerialOptions extends LineSettings {
	/** Bytes can be read; `count` of them are waiting. */
	onReadable?(count: number): void;
	/** `count` bytes may be written. Comes once after construction, and again after each write has made room. */
	onWritable?(count: number): void;
	/** The stop bit of the last byte written has left: the speed may change now. Once after each burst of writes. */
	onDrained?(): void;
	/** SERIAL_ERROR_…; only SERIAL_ERROR_GONE ends the port. */
	onError?(code: number): void;
}
/** The device is no longer there (unplugged, other end closed). The object is dead: close it. */
export const SERIAL_ERROR_GONE = 1;
/** Bytes were lost because they were not read in time. */
export const SERIAL_ERROR_OVERRUN = 2;
/** A character arrived with a wrong parity or stop bit; it was delivered as a byte of 0x80 or above. */
export const SERIAL_ERROR_CHARACTER = 3;

export interface Serial {
	/** Copies up to `end - start` bytes into `into`; returns how many, or undefined when nothing is waiting. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Changes speed and format at once: call it when `onDrained` has said that the line is quiet. */
	configure(line: LineSettings): void;
	close(): void;
}

export interface SerialPort {
	/** Throws an Error with a sentence for the user when the device can't be opened. */
	readonly io: new (
		options: SerialOptions,
		pins: object,
	) => Serial;
	/** The constructor's second argument. Not spread into the options, so that a class can be the options. */
	readonly pins: object;
	/**
	 * True where the hardware frames 7E1 itself: bytes are then 7 bits wide, and 0x80 and above mark a damaged
	 * character. False: the port is 8N1 whatever it is asked for, and parity is the caller's work (bytes/parity.ts).
	 */
	readonly hardwareParity: boolean;
}

/** The serial port of the Zigbee coprocessor: 115200 Bd, 8N1, with flow control where the board has the lines for it. */
export interface CoprocessorPort extends SerialPort {
	/**
	 * Holds the coprocessor in reset, or lets it run; it starts its boot loader when it is let run with `bootLoader`. The
	 * lines stay so, whether the port is open or not; at first it runs. Undefined: they are not wired.
	 */
	setLines?(reset: boolean, bootLoader: boolean): void;
}

/**
 * Bytes that the console takes at least while none waits to be sent. The console (`Host.serial.console`) is the line of the
 * log, 115200 Bd, 8N1: what one `write` is given and a line of the log never stand inside each other.
 */
export const CONSOLE_ROOM = 160;

export const OUT_OF_MEMORY = "out of memory";

export interface ListenerOptions {
	/** With TLS, and needed there: what is shown until `setIdentity` gives another. See there. */
	readonly identity?: CertificatePair;
	/**
	 * `count` connections wait to be taken by `read`, or to be left there; one may not count before it has said something. 0: somebody waits whom the host can't bring that
	 * far, since it carries all the connections that it can: close one to let him come.
	 */
	onReadable(count: number): void;
	/** The listener is dead. */
	onError?(message: string): void;
}

/** An accepted connection that has no callbacks yet: it is given to a Socket as `from`, or closed. */
export interface PendingSocket {
	close(): void;
}

export interface Listener {
	read(): PendingSocket | undefined;
	/** The port really listened on. */
	readonly port: number;
	/**
	 * With TLS: new connections are shown this certificate (with its chain, the server's own first). Connections that
	 * are open keep theirs; no session of the old one is resumed. Each text has up to CERTIFICATE_FILE_LIMIT bytes, and is
	 * copied. Throws an Error with a sentence for the user, and nothing changes, when they can't be used, when the port
	 * speaks no TLS, and after `close`.
	 */
	setIdentity(pair: CertificatePair): void;
	/**
	 * With TLS: one handshake with itself, as a client would do it that trusts any certificate. `done` is told once, soon,
	 * not after `close`: "" when all went well, OUT_OF_MEMORY when it could not be tried, else why a client would fail, in a
	 * sentence for the user. Throws an Error when the port speaks no TLS, and after `close`.
	 */
	testIdentity(done: (problem: string) => void): void;
	/** A token was revoked: all addresses are strangers' until `Socket.know` is called again. */
	forget?(): void;
	close(): void;
}

export interface SocketOptions {
	readonly from: PendingSocket;
	onReadable?(count: number): void;
	onWritable?(count: number): void;
	/** The other side closed or the connection broke; comes after everything received was read. */
	onError?(): void;
}

export interface Socket {
	/** The other side's address as text; stays after the connection is gone. */
	readonly remoteAddress: string;
	/** True when it came in on the interface of our own access point, from its network. */
	readonly viaAccessPoint: boolean;
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** The client has shown a valid token, with each such request: its address comes before strangers for half an hour. */
	know?(): void;
	/** Sends what was written, then closes. */
	close(): void;
}

export interface ListenerPort {
	readonly io: new (options: ListenerOptions) => Listener;
	readonly socket: new (options: SocketOptions) => Socket;
	readonly pins: object;
	/** True when the bytes are carried by TLS; the host does that, its sockets give and take plain text. */
	readonly secure: boolean;
}

/** The longest datagram, bytes: what fits into one packet. A longer one that comes is thrown away. */
export const DATAGRAM_LIMIT = 1472;

export interface UDPOptions {
	/** To receive on; 0: any that is free. */
	readonly port: number;
	/** A multicast group (IPv4) to be a member of; what is sent to it has a TTL of 255. The port may be shared then. */
	readonly group?: string;
	/** Only from and to the network of our own access point. Default false: from wherever it comes. */
	readonly accessPoint?: boolean;
	/** A datagram can be read, maybe several. */
	onReadable(): void;
	/** The object is dead, the network has gone: close it. */
	onError?(): void;
}

/** A UDP port (IPv4). The constructor throws an Error with a sentence for the user when it can't be had. */
export interface UDP {
	/** The port really received on. */
	readonly port: number;
	/** Where the datagram read last came from. */
	readonly remoteAddress: string;
	readonly remotePort: number;
	/** Copies the next datagram; its length. Room for DATAGRAM_LIMIT bytes is needed. A few wait; more are lost. */
	read(into: Uint8Array): number | undefined;
	/**
	 * Sends one datagram; what the network can't take now is lost, as it may be on its way. Throws a RangeError for more
	 * than DATAGRAM_LIMIT bytes, and for an address that is no IPv4 in dotted decimal.
	 */
	write(bytes: Uint8Array, address: string, port: number): void;
	close(): void;
}

export interface UDPPort {
	readonly io: new (options: UDPOptions) => UDP;
	readonly pins: object;
}

/** Names that are looked up at once; beyond that the answer is undefined. */
export const RESOLVE_LIMIT = 4;

export interface Clock {
	/** Milliseconds since some moment before start; never goes back. */
	monotonicMs(): number;
	/** Unix time in milliseconds, or undefined while the clock was never set. */
	utcMs(): number | undefined;
	setUTC(utcMs: number): void;
}

export interface Timers {
	/** Calls back once, not before `delayMs` have gone by. Returns an id for `clear`. */
	set(callback: () => void, delayMs: number): number;
	/** An id that is unknown or has fired is no error. */
	clear(id: number): void;
}

/** Key-value store in flash. A key is 1 to 15 characters a-z 0-9 `_`; a value at most 4000 bytes. */
export interface Storage {
	get(key: string): Uint8Array | undefined;
	/** Atomic: after a power cut at any moment, `get` gives the old or the new value. Throws when flash is full. */
	set(key: string, value: Uint8Array): void;
	delete(key: string): void;
}

/** Text and bytes by one native call each: a loop over characters is quadratic in XS. */
export interface TextCodec {
	/** UTF-8 of the text. */
	encode(text: string): Uint8Array;
	/** The text of well-formed UTF-8. */
	decode(bytes: Uint8Array, start?: number, end?: number): string;
}

/** Files built into the firmware, straight from flash. The caller must not change the bytes. */
export interface Resources {
	get(name: string): Uint8Array | undefined;
}

export interface HostInfo {
	readonly board: string;
	readonly chip: string;
	/** Serial number of the unit, from its factory data. */
	readonly serial: string;
	/** The secret printed on the unit's label: the first password of the account. */
	readonly labelPassword: string;
	/** `<major>.<minor>.<build>` with an optional suffix. */
	readonly firmwareVersion: string;
	/** When the running firmware was built, Unix time in milliseconds. */
	readonly builtUtcMs: number;
	readonly manufacturer: string;
	readonly model: string;
	/** One for each hardware variant, 0 to 65535. */
	readonly deviceId: number;
	readonly hostname: string;
	/**
	 * Time servers, asked in this order: DNS names or IPv4 addresses with commas between, `:port` behind one where it
	 * is not 123. Empty: nobody is.
	 */
	readonly timeServers: string;
	/**
	 * Recipient of diagnostic reports: a public key as a point (P256_POINT_LENGTH bytes), in hex. Empty: nobody, and
	 * there are none.
	 */
	readonly reportKey: string;
	/** Where a newer firmware is looked for, with `{board}` where the board's name stands; over HTTPS. Empty: nowhere. */
	readonly upgradeUrl: string;
}

/** How the program before this one has ended. */
export interface Ending {
	/** In a few words of English, for the owner: `panic`, `the watchdog of tasks`. */
	readonly cause: string;
	/** The firmware, or the chip under it, has failed: nobody has asked for it, and it was no loss of power. */
	readonly isFault: boolean;
}

/** Supply and sensors. What a board can't measure is undefined. */
export interface Power {
	/** Alkaline cells in series; 0: the board has no place for any. */
	readonly cells: number;
	/** Volts of all cells together; 0: there are none, or they are empty. */
	batteryVoltage(): number | undefined;
	/** Volts at the USB socket. */
	usbVoltage(): number | undefined;
	/** Degrees Celsius inside. */
	temperatureC(): number | undefined;
}

export interface ButtonOptions {
	/** It is held down from now on (true), or has been let go. */
	onChanged(pressed: boolean): void;
}

/** The button of the device; bounces are the host's to hide. */
export interface ButtonPort {
	readonly io: new (options: ButtonOptions) => { close(): void };
	readonly pins: object;
}

/** A light that can be seen from outside. */
export interface LED {
	/** Is on for `onMs`, off for `offMs`, and so on by itself, until it is told otherwise. `onMs` 0: off; `offMs` 0: on. */
	blink(onMs: number, offMs: number): void;
	/** It is off then. */
	close(): void;
}

export interface LEDPort {
	/** Off at first. The options are the pins alone. */
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
	 * Looks up a DNS name. `done` is told once, soon, and never inside the call: an IPv4 address (an address comes back as
	 * it is), or undefined when there is none or nobody answers.
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
	/** Partitions beside the settings. */
	readonly flash?: Flash;
	readonly update?: Update;
	readonly retained?: Retained;
	/** Undefined: the host does not know. */
	readonly ending?: Ending;
	readonly sleep?: Sleep;
	/** Absent where it has no limit. */
	readonly memory?: Memory;
	readonly power?: Power;
	readonly wifi?: WiFiPort;
	/** Counts beside `wifi` only. */
	readonly ethernet?: EthernetPort;
	readonly button?: ButtonPort;
	/**
	 * For a unit without a button, which is reset by its power (app/power-cycles.ts): this start came of power being switched
	 * on. Undefined: there is a button, or the host does not know.
	 */
	readonly switchedOn?: boolean;
	readonly led?: LEDPort;
	/**
	 * The device starts anew, soon and not inside the call: what is not in `storage` is gone, the clock goes on. Nothing
	 * calls back any more then.
	 */
	restart(): void;
	/** One line for the developer's log. Never a secret. */
	trace(message: string): void;
}

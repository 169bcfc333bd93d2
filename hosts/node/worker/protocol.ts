/**
 * Messages between the XS worker and the Node process.
 *
 *   Command, worker to Node, always answered:    byte 0 its code, bytes 1-4 id, then its values (layout.ts).
 *   Reply to a command:                          byte 0 REPLY_…, then its values, or the text of an error.
 *   Event, Node to worker, one at a time:        byte 0 EVENT_…, bytes 1-4 id, 5-12 monotonic ms (f64), 13-20 Unix time
 *                                                minus monotonic time in ms (f64, NaN while the clock is not set),
 *                                                21-24 a number (u32), from 25 text or bytes. Little-endian.
 *
 * The worker assigns the ids, in one sequence for all objects and requests; a command without an id has 0.
 */
import { BYTES, F64, LAST_BYTES, LAST_JSON, LAST_TEXT, type Layout, TEXT, U8, U16, U32 } from "./layout.js";

export interface Command<Takes extends Layout = Layout, Gives extends Layout = Layout> {
	readonly code: number;
	readonly takes: Takes;
	readonly gives: Gives;
}

function command<const Takes extends Layout, const Gives extends Layout>(
	code: number,
	takes: Takes,
	gives: Gives,
): Command<Takes, Gives> {
	return Object.freeze({ code, takes: Object.freeze(takes) as Takes, gives: Object.freeze(gives) as Gives });
}

/**
 * The comment above a command lists its arguments, then its result. "For a stream" means that the command's id is the
 * id of a stream. A new command needs an entry here, an entry in a table of the Node side (bridge.ts), and a call in
 * the worker.
 */
export const COMMANDS = Object.freeze({
	/** Opens the serial port PORT_…. Arguments: its number, format, baud. */
	serial: command(1, [U8, U8, U32], []),
	/** Sets the lines of the coprocessor: 1 holds it in reset, 1 selects its boot loader. */
	coprocessorLines: command(79, [U8, U8], []),
	/** For a serial port: format, baud. */
	configure: command(2, [U8, U32], []),
	/**
	 * Opens a listener. Arguments: LISTEN_…, or the number of another plain port; certificate and key, which may be
	 * empty. Returns the actual port number.
	 */
	listen: command(3, [U16, BYTES, BYTES], [U32]),
	/**
	 * For a listener: takes a connection and gives it the id in the argument. Returns this id. The reply is absent if no
	 * connection waits.
	 */
	accept: command(4, [U32], [U32]),
	/**
	 * Makes a socket from a taken connection. Returns 1 if the connection came through the access point, and the peer's
	 * address.
	 */
	socket: command(5, [], [U8, TEXT]),
	/**
	 * For a stream: reads at most the given number of bytes, which is at most READ_LIMIT. The reply is absent if none has
	 * arrived.
	 */
	read: command(6, [U32], [LAST_BYTES]),
	/** For a stream: writes bytes. Returns the room left for writing. */
	write: command(7, [LAST_BYTES], [U32]),
	/** Closes the object with any id, timers included. Unknown ids are ignored. */
	close: command(8, [], []),
	/** Sets a timer. Argument: delay in ms. EVENT_TIMER follows. */
	timer: command(9, [F64], []),
	storageGet: command(10, [TEXT], [LAST_BYTES]),
	storageSet: command(11, [TEXT, LAST_BYTES], []),
	storageDelete: command(12, [TEXT], []),
	random: command(13, [U32], [LAST_BYTES]),
	sha256: command(14, [LAST_BYTES], [LAST_BYTES]),
	/** Key, bytes. */
	hmacSHA256: command(15, [BYTES, LAST_BYTES], [LAST_BYTES]),
	/** Key, IV, associated data, plain text. Returns ciphertext and tag. */
	aes128GCM: command(32, [BYTES, BYTES, BYTES, LAST_BYTES], [LAST_BYTES]),
	/** Key, IV, ciphertext. Returns the plain text. */
	aes128CBCDecrypt: command(81, [BYTES, BYTES, LAST_BYTES], [LAST_BYTES]),
	resource: command(16, [TEXT], [LAST_BYTES]),
	setUTC: command(17, [F64], []),
	trace: command(18, [LAST_TEXT], []),
	/** Begins a hash. The id belongs to the hash until its digest is read. */
	hash: command(52, [], []),
	hashUpdate: command(53, [LAST_BYTES], []),
	hashDigest: command(54, [], [LAST_BYTES]),
	/** Public key, signature, message. Returns 1 if the signature is valid. */
	verifyP256: command(55, [BYTES, BYTES, LAST_BYTES], [U8]),
	/** Public key of the peer. Returns the own public key and the secret. */
	agreeP256: command(56, [LAST_BYTES], [BYTES, BYTES]),
	/** Contents of the file. Returns CertificateFile. */
	readCertificates: command(19, [LAST_BYTES], [LAST_JSON]),
	/** The key (empty for a new one), and the other members of CertificateOptions. Returns certificate and key. */
	makeCertificate: command(20, [BYTES, LAST_JSON], [BYTES, BYTES]),
	/** For a socket: tells that its client has shown a valid token. */
	trust: command(43, [], []),
	/** For a listener: ends all trust in addresses. */
	forget: command(80, [], []),
	/** For a listener: certificate, key. */
	setIdentity: command(21, [BYTES, BYTES], []),
	/** Id of the listener. EVENT_ANSWER follows with the problem, or with an empty text. */
	testIdentity: command(24, [U32], []),
	restart: command(22, [], []),
	/** POWER_…, the quantity to measure. The reply is absent if it cannot be measured. */
	power: command(23, [U8], [F64]),
	/**
	 * Opens a UDP port. Arguments: port, 1 for the access point only, multicast group or empty. Returns the actual port.
	 */
	udp: command(25, [U16, U8, TEXT], [U32]),
	/** For a UDP port. Returns the sender's port and address, and the datagram. */
	receive: command(26, [], [U16, TEXT, LAST_BYTES]),
	/** For a UDP port: port and address of the receiver, and the datagram. */
	send: command(27, [U16, TEXT, LAST_BYTES], []),
	/** Name to resolve. EVENT_ANSWER follows with the address, or with an empty text. */
	resolve: command(28, [TEXT], []),
	button: command(29, [], []),
	wifi: command(30, [], []),
	/** For the radio: RADIO_…, which selects a method, and the method's arguments. Returns the method's result. */
	radio: command(31, [U8, LAST_JSON], [LAST_JSON]),
	ethernet: command(44, [], []),
	/**
	 * For the Ethernet port: PORT_LOOK …, which selects a method, and the method's arguments. PORT_LOOK returns an
	 * EthernetLook (ethernet.ts).
	 */
	ethernetPort: command(45, [U8, LAST_JSON], [LAST_JSON]),
	/** Host, port, time-out in ms. */
	tcpClient: command(33, [TEXT, F64, F64], []),
	/**
	 * Host, port, time-out in ms; trusted certificates, name, Unix time (NaN if unknown); 1 if the client has its own
	 * certificate and key, certificate, key; session (empty for none).
	 */
	tlsClient: command(34, [TEXT, F64, F64, BYTES, TEXT, F64, U8, BYTES, BYTES, BYTES], []),
	/** For a client. Returns the server's address, and 1 if the session was resumed. */
	clientState: command(35, [], [TEXT, U8]),
	clientSession: command(36, [], [LAST_BYTES]),
	/** Name of a partition. Returns its size. */
	flashOpen: command(37, [TEXT], [U32]),
	/** Name of a partition, offset, length. */
	flashRead: command(38, [TEXT, F64, F64], [LAST_BYTES]),
	/** Name of a partition, offset, bytes. */
	flashWrite: command(39, [TEXT, F64, LAST_BYTES], []),
	/** Name of a partition, offset, length. */
	flashErase: command(40, [TEXT, F64, F64], []),
	/** Returns the retained bytes. The reply is absent if nothing is retained. */
	retained: command(41, [], [LAST_BYTES]),
	retain: command(42, [LAST_BYTES], []),
	/** Duration in ms. The host ends the firmware and restarts it after that time or earlier. */
	sleep: command(50, [F64], []),
	/** Returns FIRMWARE_…, the security level, and the reason for a roll-back, if any. */
	update: command(70, [], [U8, F64, TEXT]),
	/** Returns the keys that may sign, and the ids of revoked keys. Each list is concatenated to one value. */
	updateKeys: command(71, [], [BYTES, BYTES]),
	/** Size of the image in bytes. */
	updateActivate: command(72, [F64], []),
	updateConfirm: command(73, [], []),
	updateRollBack: command(74, [], []),
	/** Makes an inflater, to which the id belongs. */
	inflater: command(75, [], []),
	/**
	 * For an inflater: packed bytes. Returns the number of consumed bytes, 1 at the end of the stream, and the output.
	 */
	inflate: command(76, [LAST_BYTES], [U32, U8, LAST_BYTES]),
	/** For an inflater: tells that its output was read. The next output begins at the start of the ring. */
	inflaterEmpty: command(77, [], []),
	inflaterReset: command(78, [], []),
});

/** Name of the inactive slot for flashRead, flashWrite and flashErase. */
export const SLOT_PARTITION = "update";

/** Listeners that have no fixed port number. */
export const LISTEN_HTTP = 0;
export const LISTEN_HTTPS = 1;

export const PORT_METER = 0;
export const PORT_CONSOLE = 1;
export const PORT_COPROCESSOR = 2;

export const POWER_BATTERY = 0;
export const POWER_USB = 1;
export const POWER_TEMPERATURE = 2;
export const POWER_CELLS = 3;

export const RADIO_STATION = 0;
export const RADIO_CONNECT = 1;
export const RADIO_DISCONNECT = 2;
export const RADIO_START_ACCESS_POINT = 3;
export const RADIO_STOP_ACCESS_POINT = 4;
export const RADIO_SCAN = 5;
export const RADIO_SCANNED = 6;
export const RADIO_TRANSMIT_POWER = 7;
export const RADIO_CHANNEL = 8;

export const PORT_LOOK = 0;
export const PORT_START = 1;
export const PORT_STOP = 2;

export const REPLY_OK = 0;
export const REPLY_ABSENT = 1;
export const REPLY_RANGE_ERROR = 2;
export const REPLY_ERROR = 3;

/**
 * Number: HOST_… flags. Text: the fields of HostInfo, each on its own line, in the order of INFO_FIELDS and
 * INFO_NUMBERS, then accessPointKey and mac of WiFiPort, then the cause of Ending, then wakeReason of Sleep, then mac
 * of EthernetPort.
 */
export const EVENT_START = 1;
export const EVENT_STOP = 2;
/** Makes the worker collect garbage. The reply then counts only slots in use. */
export const EVENT_COLLECT = 3;
/** The event's number is the number of waiting bytes or connections. */
export const EVENT_READABLE = 4;
/** The event's number is the room for writing in bytes. */
export const EVENT_WRITABLE = 5;
export const EVENT_DRAINED = 6;
export const EVENT_TIMER = 7;
/** The event's text is the answer to the request with this id. The id is free again. */
export const EVENT_ANSWER = 8;
export const EVENT_PRESSED = 9;
export const EVENT_LET_GO = 10;
/**
 * Events of the radio. Their number is the reason for a disconnection, 1 for a scan with results, or the number of
 * clients. For the Ethernet port, EVENT_CONNECTED reports a change of link or address.
 */
export const EVENT_CONNECTED = 11;
export const EVENT_DISCONNECTED = 12;
export const EVENT_SCANNED = 13;
export const EVENT_CLIENTS = 14;
/**
 * The event's number is SERIAL_ERROR_… or CLIENT_…, otherwise 0. Its text is the message of a listener. EVENT_ERROR
 * must be the last kind, because bridge-events.ts adds the number of the error to it.
 */
export const EVENT_ERROR = 15;

export const EVENT_HEADER_BYTES = 25;
export const COMMAND_HEADER_BYTES = 5;

export const HOST_HARDWARE_PARITY = 1;
export const HOST_HTTP_SECURE = 2;
export const HOST_HAS_HTTPS = 4;
export const HOST_HTTPS_SECURE = 8;
export const HOST_HAS_POWER = 16;
export const HOST_HAS_UDP = 32;
export const HOST_HAS_RESOLVE = 64;
export const HOST_HAS_BUTTON = 128;
export const HOST_HAS_WIFI = 256;
export const HOST_HAS_TCP_CLIENT = 512;
export const HOST_HAS_TLS_CLIENT = 1024;
export const HOST_HAS_FLASH = 2048;
export const HOST_HAS_RETAINED = 4096;
export const HOST_HAS_ENDING = 8192;
export const HOST_ENDED_BY_FAULT = 16384;
export const HOST_HAS_SLEEP = 1 << 20;
export const HOST_HAS_UPDATE = 1 << 22;
export const HOST_HAS_CONSOLE = 1 << 21;
export const HOST_HAS_COPROCESSOR = 1 << 23;
export const HOST_HAS_COPROCESSOR_LINES = 1 << 24;
export const HOST_HAS_ETHERNET = 1 << 25;

export const INFO_NUMBERS = Object.freeze(["builtUtcMs", "deviceId"] as const);
export const INFO_FIELDS = Object.freeze([
	"board",
	"chip",
	"serial",
	"labelPassword",
	"firmwareVersion",
	"manufacturer",
	"model",
	"hostname",
	"timeServers",
	"reportKey",
	"settingsKeys",
	"upgradeUrl",
] as const);

export const RETAINED_SIZE = 256;

/** Limit of bytes in one read. */
export const READ_LIMIT = 4096;
/** Limit of bytes in a command or event. */
export const MESSAGE_LIMIT = 1 << 20;

/**
 * What the XS worker and the Node process say to each other; imported by both sides. All numbers little-endian.
 *
 * Command, worker to Node, answered at once:   byte 0 COMMAND_…, bytes 1-4 id (or a number), then the payload below.
 * Reply to a command:                          byte 0 REPLY_…, then the payload below.
 * Event, Node to worker, one at a time:        byte 0 EVENT_…, bytes 1-4 id, 5-12 monotonic ms (f64), 13-20 Unix time
 *                                              minus monotonic time in ms (f64, NaN while the clock is not set),
 *                                              21-24 a number (u32), from 25 text or bytes.
 *
 * Ids are given by the worker, one sequence for all that is opened, set or asked. Time and counts ride
 * on the events, so that reading the clock or deciding how much to write costs no round trip.
 */

/** u8 format, u32 baud. Reply: nothing. */
export const COMMAND_SERIAL = 1;
/** u8 format, u32 baud. */
export const COMMAND_CONFIGURE = 2;
/**
 * u8: 1 for the TLS port; for that, when it is given an identity, u32 length of the certificate, certificate, key.
 * Reply: u32 port really listened on.
 */
export const COMMAND_LISTEN = 3;
/** u32 id for the connection taken. Reply: REPLY_OK, or REPLY_ABSENT when none waits. */
export const COMMAND_ACCEPT = 4;
/**
 * Makes a socket of the connection taken under this id. Reply: as text, `1` or `0` for whether it came over
 * the access point, and the other side's address.
 */
export const COMMAND_SOCKET = 5;
/** u32 most bytes wanted, at most READ_LIMIT. Reply: the bytes, or REPLY_ABSENT. */
export const COMMAND_READ = 6;
/** The bytes. Reply: u32 count that may be written next. */
export const COMMAND_WRITE = 7;
/** Whatever the id stands for, timers included; unknown ids are no error. */
export const COMMAND_CLOSE = 8;
/** f64 delay in ms. */
export const COMMAND_TIMER = 9;
/** Key as text. Reply: the value, or REPLY_ABSENT. */
export const COMMAND_STORAGE_GET = 10;
/** The id is the length of the key; key as text, value. */
export const COMMAND_STORAGE_SET = 11;
/** Key as text. */
export const COMMAND_STORAGE_DELETE = 12;
/** The id is the count wanted. Reply: the bytes. */
export const COMMAND_RANDOM = 13;
/** The bytes. Reply: 32 bytes. */
export const COMMAND_SHA256 = 14;
/** The id is the length of the key; key, bytes. Reply: 32 bytes. */
export const COMMAND_HMAC_SHA256 = 15;
/** The id is the length of what is authenticated only; key, IV, that, text. Reply: the text encrypted, and the tag. */
export const COMMAND_AES_128_GCM = 32;
/** Name as text. Reply: the file, or REPLY_ABSENT. */
export const COMMAND_RESOURCE = 16;
/** f64 Unix time in ms. */
export const COMMAND_SET_UTC = 17;
/** Text. */
export const COMMAND_TRACE = 18;
/** The file. Reply: CertificateFile as JSON. */
export const COMMAND_READ_CERTIFICATES = 19;
/** CertificateOptions as JSON. Reply: u32 length of the certificate, certificate, key. */
export const COMMAND_MAKE_CERTIFICATE = 20;
/** Of a listener: u32 length of the certificate, certificate, key. */
export const COMMAND_SET_IDENTITY = 21;
/** No payload, no reply of note: the host starts the firmware anew. */
export const COMMAND_RESTART = 22;
/** Id: POWER_…. Reply: the value as a number, or absent. */
export const COMMAND_POWER = 23;
export const POWER_BATTERY = 0;
export const POWER_USB = 1;
export const POWER_TEMPERATURE = 2;
export const POWER_CELLS = 3;
/** u32 id of a listener. EVENT_ANSWER follows: what is wrong, or nothing. */
export const COMMAND_TEST_IDENTITY = 24;
/** u16 port, u8: 1 for the access point only, group as text or nothing. Reply: u32 port really received on. */
export const COMMAND_UDP = 25;
/** Reply: u16 port and u8 length of the address that it came from, address as text, the datagram; or REPLY_ABSENT. */
export const COMMAND_RECEIVE = 26;
/** u16 port and u8 length of the address that it goes to, address as text, the datagram. */
export const COMMAND_SEND = 27;
/** Name as text. EVENT_ANSWER follows: the address, or nothing. */
export const COMMAND_RESOLVE = 28;
/** Opens the button. */
export const COMMAND_BUTTON = 29;
/** Opens the radio. */
export const COMMAND_WIFI = 30;
/** Of the radio: u8 RADIO_…, what its method takes as JSON. Reply: what it gives as JSON, or REPLY_ABSENT. */
export const COMMAND_RADIO = 31;
export const RADIO_STATION = 0;
export const RADIO_CONNECT = 1;
export const RADIO_DISCONNECT = 2;
export const RADIO_START_ACCESS_POINT = 3;
export const RADIO_STOP_ACCESS_POINT = 4;
export const RADIO_SCAN = 5;
export const RADIO_SCANNED = 6;
export const RADIO_POWER_SAVE = 7;

export const REPLY_OK = 0;
export const REPLY_ABSENT = 1;
/** Text of a RangeError to throw. */
export const REPLY_RANGE_ERROR = 2;
/** Text of an Error to throw. */
export const REPLY_ERROR = 3;

/**
 * Number: HOST_… flags. Text: the fields of HostInfo, a line each, in the order of INFO_FIELDS and INFO_NUMBERS, then
 * accessPointKey and mac of WiFiPort.
 */
export const EVENT_START = 1;
export const EVENT_STOP = 2;
/** Collects garbage, so that the slots counted with the reply are those alive. */
export const EVENT_COLLECT = 3;
/** Number: how many bytes, or connections, wait. */
export const EVENT_READABLE = 4;
/** Number: how many bytes may be written. */
export const EVENT_WRITABLE = 5;
export const EVENT_DRAINED = 6;
export const EVENT_TIMER = 7;
/** Text: the answer to what was asked under this id, which is free again. */
export const EVENT_ANSWER = 8;
export const EVENT_PRESSED = 9;
export const EVENT_LET_GO = 10;
/** What the radio calls back with; number: the reason, 1 for a scan that has found something, how many clients. */
export const EVENT_CONNECTED = 11;
export const EVENT_DISCONNECTED = 12;
export const EVENT_SCANNED = 13;
export const EVENT_CLIENTS = 14;
/** Number: SERIAL_ERROR_…, 0 for the others. Text: a listener's message. The last of the kinds: see bridge.ts. */
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
] as const);

/** The most one read moves, bytes. */
export const READ_LIMIT = 4096;
/** The most one command or event carries, bytes. */
export const MESSAGE_LIMIT = 1 << 20;

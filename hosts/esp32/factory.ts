/**
 * Factory data of a unit. They are in their own partition (`factory_data`), which neither an update nor a factory reset
 * changes. `npm run factory` makes factory data. A unit without factory data, such as a bought devkit, makes its own
 * data at its first start and stores them in `storage` in the same format.
 *
 * Record at the start of the partition. Numbers are little-endian; strings are ASCII, padded with zeros:
 *
 *     0    4   "SMGF"
 *     4    2   version of this layout: 1
 *     6    2   hardware variant: the device id of the board (boards.ts)
 *     8   32   serial number: 6 to 32 of 0-9 A-Z
 *    40   32   password on the label, the account's initial password: 8 to 32 characters
 *    72   64   WPA2 key of the unit's own access point: 8 to 63 characters
 *   136   32   private key of the unit, NIST P-256, high byte first; zeros if it has none
 *   168    4   CRC-32 (IEEE 802.3) of all bytes before
 *   256        a signed settings file (modules/provision/file.ts); erased bytes without a file
 *
 * Passwords and keys consist of 0-9 A-Z a-z.
 */
import { asciiBytes, hasOnly, lowerCase, upperCase } from "../../modules/bytes/ascii.js";
import type { Crypto } from "../../modules/io/crypto.js";
import type { Storage, TextCodec } from "../../modules/io/host.js";

export const FACTORY_PARTITION = "factory_data";
export const FACTORY_DATA_SIZE = 172;
export const DEVICE_KEY_SIZE = 32;
export const SETTINGS_AT = 256;

export interface FactoryData {
	readonly serial: string;
	/** Device id of the board, 0 to 65535. */
	readonly variant: number;
	readonly labelPassword: string;
	readonly accessPointKey: string;
	readonly deviceKey?: Uint8Array | undefined;
}

const MAGIC = "SMGF";
const LAYOUT = 1;
const LAYOUT_AT = 4;
const VARIANT_AT = 6;
const SERIAL_AT = 8;
const PASSWORD_AT = 40;
const KEY_AT = 72;
const DEVICE_KEY_AT = 136;
const CRC_AT = 168;

const SERIAL_LEAST = 6;
const SECRET_LEAST = 8;
const PASSWORD_MOST = 32;
const KEY_MOST = 63;

/** Letters and digits that are not easily confused. */
const CHARACTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const SECRET_LENGTH = 12;

const STORAGE_KEY = "factory";

const LOWER_CASE = 0x20;
const ERASED = 0xff;
const DAMAGED =
	"factory data: damaged. The label's password and Wi-Fi key don't hold until they are written again (npm run factory).";

/** Throws a RangeError with a message for the user if the data violate the rules above. */
export function encodeFactoryData(data: FactoryData): Uint8Array {
	const { serial, variant, labelPassword, accessPointKey, deviceKey } = data;
	if (!isMadeOf(serial, [6, 32], "09AZ")) throw new RangeError("A serial number is 6 to 32 of 0-9 and A-Z.");
	if (!isMadeOf(labelPassword, [8, 32], "09AZaz")) throw new RangeError("A label password is 8 to 32 of 0-9 A-Z a-z.");
	if (!isMadeOf(accessPointKey, [8, 63], "09AZaz")) throw new RangeError("A Wi-Fi key is 8 to 63 of 0-9 A-Z a-z.");
	if (!Number.isInteger(variant) || variant < 0 || variant > 0xffff) {
		throw new RangeError("A hardware variant is 0 to 65535.");
	}
	if (deviceKey !== undefined && deviceKey.length !== DEVICE_KEY_SIZE) {
		throw new RangeError(`A device key has ${DEVICE_KEY_SIZE} bytes.`);
	}
	const record = new Uint8Array(FACTORY_DATA_SIZE);
	record.set(asciiBytes(MAGIC));
	record[LAYOUT_AT] = LAYOUT;
	record[VARIANT_AT] = variant & 0xff;
	record[VARIANT_AT + 1] = variant >> 8;
	record.set(asciiBytes(serial), SERIAL_AT);
	record.set(asciiBytes(labelPassword), PASSWORD_AT);
	record.set(asciiBytes(accessPointKey), KEY_AT);
	if (deviceKey !== undefined) record.set(deviceKey, DEVICE_KEY_AT);
	const crc = crc32(record, CRC_AT);
	for (let i = 0; i < 4; i++) record[CRC_AT + i] = crc >>> (i * 8);
	return record;
}

function isMadeOf(text: string, [least, most]: readonly [number, number], ranges: string): boolean {
	return text.length >= least && text.length <= most && hasOnly(text, ranges);
}

/** Returns undefined for an invalid record. The device key is a copy of the record's bytes. */
export function decodeFactoryData(bytes: Uint8Array, text: TextCodec): FactoryData | undefined {
	if (bytes.length < FACTORY_DATA_SIZE) return undefined;
	for (let i = 0; i < MAGIC.length; i++) if (bytes[i] !== MAGIC.charCodeAt(i)) return undefined;
	if (bytes[LAYOUT_AT] !== LAYOUT || bytes[LAYOUT_AT + 1] !== 0) return undefined;
	const crc = crc32(bytes, CRC_AT);
	for (let i = 0; i < 4; i++) if (bytes[CRC_AT + i] !== ((crc >>> (i * 8)) & 0xff)) return undefined;

	const serialEnd = endOfText(bytes, SERIAL_AT, PASSWORD_AT);
	const passwordEnd = endOfText(bytes, PASSWORD_AT, KEY_AT);
	const keyEnd = endOfText(bytes, KEY_AT, DEVICE_KEY_AT);
	if (serialEnd - SERIAL_AT < SERIAL_LEAST || hasLowerCase(bytes, SERIAL_AT, serialEnd)) return undefined;
	if (passwordEnd - PASSWORD_AT < SECRET_LEAST || passwordEnd - PASSWORD_AT > PASSWORD_MOST) return undefined;
	if (keyEnd - KEY_AT < SECRET_LEAST || keyEnd - KEY_AT > KEY_MOST) return undefined;
	const deviceKey = bytes.slice(DEVICE_KEY_AT, CRC_AT);
	return {
		serial: text.decode(bytes, SERIAL_AT, serialEnd),
		variant: bytes[VARIANT_AT] | (bytes[VARIANT_AT + 1] << 8),
		labelPassword: text.decode(bytes, PASSWORD_AT, passwordEnd),
		accessPointKey: text.decode(bytes, KEY_AT, keyEnd),
		deviceKey: deviceKey.some((byte) => byte !== 0) ? deviceKey : undefined,
	};
}

/** Makes a secret that is easy to type: 12 characters, 69 bits of entropy. */
export function makeSecret(random: (length: number) => Uint8Array): string {
	// Bytes from `beyond` on are skipped, because their remainders would make some characters more frequent.
	const beyond = 256 - (256 % CHARACTERS.length);
	let secret = "";
	while (secret.length < SECRET_LENGTH) {
		const byte = random(1)[0];
		if (byte < beyond) secret += CHARACTERS[byte % CHARACTERS.length];
	}
	return secret;
}

export function hostnameOf(serial: string): string {
	return `smgw-${lowerCase(serial.slice(-6))}`;
}

export interface FactoryDeps {
	/** Content of the partition `factory_data`; undefined if there is no such partition. */
	readonly partition: Uint8Array | undefined;
	readonly storage: Storage;
	readonly crypto: Pick<Crypto, "random">;
	readonly text: TextCodec;
	/** MAC address of the station, 12 hex characters. It becomes the serial number of a unit without factory data. */
	readonly mac: string;
	readonly variant: number;
	trace(message: string): void;
	/** Prints on the console only, not in the log: the message may contain secrets. */
	print(message: string): void;
}

/**
 * Returns the unit's factory data. A unit without them gets its MAC address as serial number, and random secrets. The
 * secrets are stored in flash and printed at each start, because no label shows them. A unit with damaged factory data
 * has a label. Therefore nothing secret is printed in this case, and the owner's account and network stay valid.
 */
export function loadFactoryData(deps: FactoryDeps): FactoryData {
	const { partition, variant, trace } = deps;
	const given = partition && decodeFactoryData(partition, deps.text);
	if (given !== undefined) {
		if (given.variant !== variant) trace(`factory data: of hardware variant ${given.variant}, not ${variant}`);
		return given;
	}
	const own = ownData(deps);
	if (partition?.some((byte) => byte !== ERASED)) {
		trace(DAMAGED);
		return own;
	}
	const { serial, labelPassword, accessPointKey } = own;
	deps.print(
		`No factory data. Wi-Fi ${hostnameOf(serial)}, key ${accessPointKey}; user admin, password ${labelPassword}`,
	);
	return own;
}

function ownData({ storage, crypto, text, mac, variant, trace }: FactoryDeps): FactoryData {
	const serial = upperCase(mac);
	const kept = storage.get(STORAGE_KEY);
	const before = kept && decodeFactoryData(kept, text);
	if (before?.serial === serial) return before;
	const random = (length: number) => crypto.random(length);
	const made = { serial, variant, labelPassword: makeSecret(random), accessPointKey: makeSecret(random) };
	try {
		storage.set(STORAGE_KEY, encodeFactoryData(made));
	} catch (error) {
		trace(`factory data: can't be kept, the next start makes others: ${(error as Error).message}`);
	}
	return made;
}

export class FactoryPartition {
	/**
	 * Returns FACTORY_DATA_SIZE bytes, which are zeros if they cannot be read. Returns undefined if there is no
	 * partition.
	 */
	static read(): ArrayBuffer | undefined {
		return native("xs_factory_data_read").call(this);
	}

	/** Returns the settings file, unchecked. Returns undefined without a file. */
	static settings(): ArrayBuffer | undefined {
		return native("xs_factory_data_settings").call(this);
	}
}

/**
 * Returns the end of the text that begins at `at`. Returns `at` itself if the text has a forbidden character, or a
 * character after a zero.
 */
function endOfText(bytes: Uint8Array, at: number, limit: number): number {
	let end = at;
	while (end < limit && isLetterOrDigit(bytes[end])) end++;
	for (let i = end; i < limit; i++) if (bytes[i] !== 0) return at;
	return end;
}

function isLetterOrDigit(character: number): boolean {
	const letter = character | LOWER_CASE;
	return (character >= 0x30 && character <= 0x39) || (letter >= 0x61 && letter <= 0x7a && character < 0x80);
}

function hasLowerCase(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (bytes[i] >= 0x61) return true;
	return false;
}

/** CRC-32 with the reflected polynomial 0x04C11DB7. The CRC of "123456789" is 0xCBF43926. */
function crc32(bytes: Uint8Array, end: number): number {
	let register = 0xffffffff;
	for (let i = 0; i < end; i++) {
		register ^= bytes[i];
		for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (0xedb88320 & -(register & 1));
	}
	return ~register >>> 0;
}

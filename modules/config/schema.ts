/**
 * Every setting that outlives a restart, as frozen tables: what it is called, what it may be, what it starts as.
 * For config/store.ts, which keeps the values, and api/validate.ts, which reads and checks JSON bodies by the same fields.
 *
 * An entry is one key of the storage and one atomic write, so settings that must change together share an entry.
 * To grow: a new field takes a new id, a new entry goes to the end of ENTRIES. An id that was ever in a release is
 * never given to something else, because older and newer firmware meet each other's flash.
 * Limits: an entry and all its fields at their longest stay below ENTRY_LIMIT (config/store.ts); ids 1 to 255.
 */

/** What a setting's value is in memory: text for TEXT, bytes for BYTES, one of the choices for CHOICE. */
export type Setting = boolean | number | string | Uint8Array;

/** true or false. */
export const BOOLEAN = 0;
/** An integer, `minimum` to `maximum`. */
export const INTEGER = 1;
/** One of `choices`: all integers or all words. */
export const CHOICE = 2;
/** Text of `minimum` to `maximum` characters, all of them in `characters`. */
export const TEXT = 3;
/** `minimum` to `maximum` bytes; starts empty. */
export const BYTES = 4;

/** One setting. All fields have all properties, so that they have one shape in the engine. */
export interface Field<Value extends Setting = Setting> {
	/** Position of its entry in ENTRIES. */
	readonly entry: number;
	/** Names the value in flash, 1 to 255; unique within the entry for ever. */
	readonly id: number;
	/** Name in the API. */
	readonly name: string;
	/** BOOLEAN … BYTES. */
	readonly kind: number;
	/** INTEGER: smallest value; TEXT, BYTES: shortest length; else 0. */
	readonly minimum: number;
	/** INTEGER: largest value; TEXT, BYTES: longest length; else 0. */
	readonly maximum: number;
	/** CHOICE: what it may be; else empty. */
	readonly choices: readonly Value[];
	/** TEXT: ranges of allowed characters, each as its first and last character; else empty. */
	readonly characters: string;
	/** The value before anybody has set it; undefined stands for no bytes. */
	readonly initial: Value | undefined;
	/** Never shown: not in a reply, not in a report, not in a trace. */
	readonly secret: boolean;
}

/** Settings that are written together. */
export interface Entry {
	/** Key in the storage. */
	readonly key: string;
	/** Raised when fields are added; written into flash for whoever must read it later. */
	readonly version: number;
	readonly fields: readonly Field[];
}

/** Whether `field` may have this value: type, range, length, characters. For anything, also straight from a stranger. */
export function checkField(field: Field, value: unknown): value is Setting {
	switch (field.kind) {
		case BOOLEAN:
			return value === true || value === false;
		case INTEGER:
			return Number.isInteger(value) && inRange(field, value as number);
		case CHOICE:
			return field.choices.includes(value as Setting);
		case TEXT:
			return typeof value === "string" && inRange(field, value.length) && hasOnly(value, field.characters);
		default:
			return value instanceof Uint8Array && inRange(field, value.length);
	}
}

function inRange(field: Field, size: number): boolean {
	return size >= field.minimum && size <= field.maximum;
}

function hasOnly(text: string, ranges: string): boolean {
	for (let i = 0; i < text.length; i++) {
		const character = text.charCodeAt(i);
		let range = 0;
		// Beyond the last range there is NaN, which no comparison holds for: the search ends there.
		while (character < ranges.charCodeAt(range) || character > ranges.charCodeAt(range + 1)) range += 2;
		if (range >= ranges.length) return false;
	}
	return true;
}

const NO_CHOICES = Object.freeze([]);
const PLAIN = Object.freeze({
	minimum: 0,
	maximum: 0,
	choices: NO_CHOICES,
	characters: "",
	initial: undefined,
	secret: false,
});

function field<Value extends Setting>(
	given: Pick<Field<Value>, "entry" | "id" | "name" | "kind"> & Partial<Field<Value>>,
): Field<Value> {
	return Object.freeze({ ...PLAIN, ...given });
}

function entry(key: string, version: number, fields: readonly Field[]): Entry {
	return Object.freeze({ key, version, fields: Object.freeze(fields) });
}

const HEX = "09af";
const PRINTABLE = " ~";
/** Speeds of IEC 62056-21, 6.3.14, table 3. */
const BAUD_RATES = Object.freeze([300, 600, 1200, 2400, 4800, 9600, 19200]);

/* Which conversation the meter speaks. */
const IN_METER = 0;
export const PROTOCOL_IEC62056 = "iec62056";
export const PROTOCOL_DLMS = "dlms";
export const METER_PROTOCOL = field<string>({
	entry: IN_METER,
	id: 1,
	name: "protocol",
	kind: CHOICE,
	choices: Object.freeze([PROTOCOL_IEC62056, PROTOCOL_DLMS]),
	initial: PROTOCOL_IEC62056,
});
export const METER = entry("meter", 1, [METER_PROTOCOL]);

/* The IEC 62056-21 conversation. */
const IN_IEC62056 = 1;
/** Listen for telegrams that the meter pushes, instead of asking. */
export const IEC62056_MODE_D_ENABLED = field<boolean>({
	entry: IN_IEC62056,
	id: 1,
	name: "mode_d_enabled",
	kind: BOOLEAN,
	initial: false,
});
export const IEC62056_MODE_D_BAUDRATE = field<number>({
	entry: IN_IEC62056,
	id: 2,
	name: "mode_d_baudrate",
	kind: CHOICE,
	choices: BAUD_RATES,
	initial: 2400,
});
/** A ceiling for what is agreed with the meter, Bd; need not be a speed itself. */
export const IEC62056_BAUDRATE_MAX = field<number>({
	entry: IN_IEC62056,
	id: 3,
	name: "baudrate_max",
	kind: INTEGER,
	minimum: 300,
	maximum: 19200,
	initial: 9600,
});
/** The meter runs on a battery and wants to be woken before it is asked. */
export const IEC62056_BATTERY = field<boolean>({
	entry: IN_IEC62056,
	id: 4,
	name: "battery",
	kind: BOOLEAN,
	initial: false,
});
/** Go on in DLMS/COSEM when the meter offers mode E. */
export const IEC62056_MODE_E_DLMS = field<boolean>({
	entry: IN_IEC62056,
	id: 5,
	name: "mode_e_dlms",
	kind: BOOLEAN,
	initial: false,
});
/** Stands in the sign-on (6.3.1): only the meter of this address answers. Empty: any meter. */
export const IEC62056_DEVICE_ADDRESS = field<string>({
	entry: IN_IEC62056,
	id: 6,
	name: "device_address",
	kind: TEXT,
	maximum: 32,
	characters: "09AZaz  ",
	initial: "",
});
export const IEC62056 = entry("iec62056", 1, [
	IEC62056_MODE_D_ENABLED,
	IEC62056_MODE_D_BAUDRATE,
	IEC62056_BAUDRATE_MAX,
	IEC62056_BATTERY,
	IEC62056_MODE_E_DLMS,
	IEC62056_DEVICE_ADDRESS,
]);

/* Simulator and conversation log. */
const IN_CONTROL = 2;
export const CONTROL_SIMULATOR_EN = field<boolean>({
	entry: IN_CONTROL,
	id: 1,
	name: "simulator_en",
	kind: BOOLEAN,
	initial: false,
});
export const CONTROL_LOG_EN = field<boolean>({
	entry: IN_CONTROL,
	id: 2,
	name: "log_en",
	kind: BOOLEAN,
	initial: false,
});
export const CONTROL = entry("control", 1, [CONTROL_SIMULATOR_EN, CONTROL_LOG_EN]);

/* The account. No route reads or writes it as settings; auth/account.ts does. */
const IN_ACCESS = 3;
/** Given out with every challenge. */
export const ACCESS_SALT = field<string>({
	entry: IN_ACCESS,
	id: 1,
	name: "salt",
	kind: TEXT,
	maximum: 64,
	characters: HEX,
	initial: "",
});
/** SHA-256 of salt and password; whoever knows it can log in. */
export const ACCESS_DIGEST = field<Uint8Array>({
	entry: IN_ACCESS,
	id: 2,
	name: "digest",
	kind: BYTES,
	maximum: 32,
	secret: true,
});
/** The password is still the one on the label. */
export const ACCESS_IS_DEFAULT = field<boolean>({
	entry: IN_ACCESS,
	id: 3,
	name: "password_default",
	kind: BOOLEAN,
	initial: true,
});
export const ACCESS = entry("access", 1, [ACCESS_SALT, ACCESS_DIGEST, ACCESS_IS_DEFAULT]);

/* The speed that worked with a meter which promises more than it can do. */
const IN_IEC_SPEED = 4;
/** Bd; 0: nothing remembered. */
export const IEC_SPEED_BAUD = field<number>({
	entry: IN_IEC_SPEED,
	id: 1,
	name: "baud",
	kind: CHOICE,
	choices: Object.freeze([0, ...BAUD_RATES]),
	initial: 0,
});
/** Identification of the meter that the speed belongs to. */
export const IEC_SPEED_METER_ID = field<string>({
	entry: IN_IEC_SPEED,
	id: 2,
	name: "meter_id",
	kind: TEXT,
	maximum: 64,
	characters: PRINTABLE,
	initial: "",
});
export const IEC_SPEED = entry("iec_speed", 1, [IEC_SPEED_BAUD, IEC_SPEED_METER_ID]);

/** All entries, at the position that their fields name. */
export const ENTRIES: readonly Entry[] = Object.freeze([METER, IEC62056, CONTROL, ACCESS, IEC_SPEED]);

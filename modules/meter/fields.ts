/** Settings of the meter: protocol, IEC 62056-21, simulator and log, and the speed that was learned (decisions 26, 27, 41). */
import { BOOLEAN, BYTES, CHOICE, entry, field, INTEGER, INTERNAL, PRINTABLE, TEXT } from "../config/schema.js";

/** Positions of the entries among all (parts.ts): unique, and never used for something else. */
const IN_METER = 0;
const IN_IEC62056 = 1;
const IN_CONTROL = 2;
const IN_IEC_SPEED = 4;

/** Speeds of IEC 62056-21, 6.3.14, table 3. */
export const BAUD_RATES = Object.freeze([300, 600, 1200, 2400, 4800, 9600, 19200]);
/** Speeds of meters that send by themselves: a P1 port has 115200 (DSMR P1 companion standard 5.0.2, 5.6). */
export const PUSH_BAUD_RATES = Object.freeze([...BAUD_RATES, 38400, 57600, 115200]);

/** How a conversation in DLMS/COSEM is opened: mode E first, then HDLC at once; or one of them. */
export const OPENINGS = Object.freeze(["auto", "mode_e", "direct"]);

/* Which conversation the meter speaks. */
export const PROTOCOL_IEC62056 = "iec62056";
export const PROTOCOL_DLMS = "dlms";
export const PROTOCOL_SML = "sml";
export const METER_PROTOCOL = field<string>({
	entry: IN_METER,
	id: 1,
	name: "protocol",
	kind: CHOICE,
	choices: Object.freeze([PROTOCOL_IEC62056, PROTOCOL_DLMS, PROTOCOL_SML]),
	initial: PROTOCOL_IEC62056,
});
export const METER = entry("meter", 1, [METER_PROTOCOL]);

/* The IEC 62056-21 conversation. */
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
	choices: PUSH_BAUD_RATES,
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
/** Stands in the sign-on (6.3.1): only the meter of this address answers. Empty: any meter. `/…`: the sign-on up to `!`. */
export const IEC62056_DEVICE_ADDRESS = field<string>({
	entry: IN_IEC62056,
	id: 6,
	name: "device_address",
	kind: TEXT,
	maximum: 32,
	characters: "09AZaz  ##//",
	initial: "",
});
/**
 * For programming mode (6.3.2, `P1`), where a meter wants one before it gives its load profile; empty: none. Never that of
 * DLMS/COSEM, which the same meter may have beside it: a wrong one counts towards its lock. Parentheses would end it.
 */
export const IEC62056_PASSWORD = field<string>({
	entry: IN_IEC62056,
	id: 7,
	name: "password",
	kind: TEXT,
	maximum: 32,
	characters: " '*~",
	initial: "",
	secret: true,
});
export const IEC62056 = entry("iec62056", 2, [
	IEC62056_MODE_D_ENABLED,
	IEC62056_MODE_D_BAUDRATE,
	IEC62056_BAUDRATE_MAX,
	IEC62056_BATTERY,
	IEC62056_MODE_E_DLMS,
	IEC62056_DEVICE_ADDRESS,
	IEC62056_PASSWORD,
]);

/* Simulator and conversation log. */
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

/* What was learned of the meter: the speed that worked where it promises more than it can do, and more. */
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
/** How a conversation in DLMS/COSEM was opened that succeeded, where `opening` leaves that to the gateway. */
export const DLMS_LEARNED_OPENING = field<string>({
	entry: IN_IEC_SPEED,
	id: 3,
	name: "opening",
	kind: CHOICE,
	choices: OPENINGS,
	initial: OPENINGS[0],
});
/** System title and invocation counter of a push: what comes with one that is not above it was recorded before. */
export const DLMS_LEARNED_PUSH = field<Uint8Array>({
	entry: IN_IEC_SPEED,
	id: 4,
	name: "push",
	kind: BYTES,
	maximum: 12,
});
export const IEC_SPEED = entry(
	"iec_speed",
	3,
	[IEC_SPEED_BAUD, IEC_SPEED_METER_ID, DLMS_LEARNED_OPENING, DLMS_LEARNED_PUSH],
	INTERNAL,
);

/** Settings of the meter, and values that were learned from it. */

import { ENTRY_CONTROL, ENTRY_IEC_SPEED, ENTRY_IEC62056, ENTRY_METER } from "../../config/entries.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, INTEGER, INTERNAL, PRINTABLE, TEXT } from "../../config/schema.js";
import { PROTOCOL_NAMES } from "../../meter/protocols.js";
import { PROTOCOL_IEC62056 } from "../../readout/protocol-names.js";

/** Speeds of IEC 62056-21, 6.3.14, table 3. */
export const BAUD_RATES = Object.freeze([300, 600, 1200, 2400, 4800, 9600, 19200]);
/** Speeds of unsolicited telegrams. A P1 port uses 115200 Bd (DSMR P1 companion standard 5.0.2, 5.6). */
export const PUSH_BAUD_RATES = Object.freeze([...BAUD_RATES, 38400, 57600, 115200]);

/** Ways to open a DLMS/COSEM session: "auto" tries mode E first, then HDLC directly; the others try one way only. */
export const OPENINGS = Object.freeze(["auto", "mode_e", "direct"]);

export const METER_PROTOCOL = field<string>({
	entry: ENTRY_METER,
	id: 1,
	name: "protocol",
	kind: CHOICE,
	choices: PROTOCOL_NAMES,
	initial: PROTOCOL_IEC62056,
});
/**
 * Interval of live mode, seconds; 0: off. In live mode, as long as a client wants live values, the association stays
 * open, and the powers are read at this interval. Live mode has no effect with IEC 62056-21 or for a meter with a
 * battery.
 */
export const METER_LIVE_SECS = field<number>({
	entry: ENTRY_METER,
	id: 2,
	name: "live_secs",
	kind: CHOICE,
	choices: Object.freeze([0, 1, 2, 3, 4, 5]),
	initial: 0,
});
/**
 * True if a line of the port is low when idle, unless the board inverts it. It has no effect on hosts whose ports can't
 * invert (the simulator and Linux).
 */
export const METER_RX_INVERTED = field<boolean>({
	entry: ENTRY_METER,
	id: 3,
	name: "rx_inverted",
	kind: BOOLEAN,
	initial: false,
});
export const METER_TX_INVERTED = field<boolean>({
	entry: ENTRY_METER,
	id: 4,
	name: "tx_inverted",
	kind: BOOLEAN,
	initial: false,
});
/**
 * GPIOs of the port's lines in place of the board's; -1: the board's. Each board permits those that it leaves free. They
 * have no effect on hosts without GPIOs.
 */
export const METER_RX_PIN = field<number>({
	entry: ENTRY_METER,
	id: 5,
	name: "rx_pin",
	kind: INTEGER,
	minimum: -1,
	maximum: 48,
	initial: -1,
});
export const METER_TX_PIN = field<number>({
	entry: ENTRY_METER,
	id: 6,
	name: "tx_pin",
	kind: INTEGER,
	minimum: -1,
	maximum: 48,
	initial: -1,
});
const LINE = Object.freeze([METER_RX_INVERTED, METER_TX_INVERTED, METER_RX_PIN, METER_TX_PIN]);
/** Fields of the route meter/protocol. */
export const PROTOCOL_FIELDS = Object.freeze([METER_PROTOCOL, ...LINE]);
export const METER = entry("meter", 2, [METER_PROTOCOL, METER_LIVE_SECS, ...LINE]);

/** True to listen for telegrams that the meter pushes, instead of requesting data. */
export const IEC62056_MODE_D_ENABLED = field<boolean>({
	entry: ENTRY_IEC62056,
	id: 1,
	name: "mode_d_enabled",
	kind: BOOLEAN,
	initial: false,
});
export const IEC62056_MODE_D_BAUDRATE = field<number>({
	entry: ENTRY_IEC62056,
	id: 2,
	name: "mode_d_baudrate",
	kind: CHOICE,
	choices: PUSH_BAUD_RATES,
	initial: 2400,
});
/** Maximum speed to agree on with the meter, Bd. It need not be a standard speed. */
export const IEC62056_BAUDRATE_MAX = field<number>({
	entry: ENTRY_IEC62056,
	id: 3,
	name: "baudrate_max",
	kind: INTEGER,
	minimum: 300,
	maximum: 19200,
	initial: 9600,
});
/** True if the meter has a battery and must be woken up before a request. */
export const IEC62056_BATTERY = field<boolean>({
	entry: ENTRY_IEC62056,
	id: 4,
	name: "battery",
	kind: BOOLEAN,
	initial: false,
});
/** True to continue in DLMS/COSEM if the meter offers mode E. */
export const IEC62056_MODE_E_DLMS = field<boolean>({
	entry: ENTRY_IEC62056,
	id: 5,
	name: "mode_e_dlms",
	kind: BOOLEAN,
	initial: false,
});
/**
 * Device address in the sign-on (6.3.1); only the meter with this address answers. Empty: any meter answers. An address
 * that begins with `/` replaces the whole sign-on up to the `!`.
 */
export const IEC62056_DEVICE_ADDRESS = field<string>({
	entry: ENTRY_IEC62056,
	id: 6,
	name: "device_address",
	kind: TEXT,
	maximum: 32,
	characters: "09AZaz  ##//",
	initial: "",
});
/**
 * Password for programming mode (6.3.2, `P1`), which some meters require before they send a load profile; empty if not
 * set. The DLMS/COSEM password is a separate setting, because a wrong password counts towards the meter's lock.
 * Parentheses are not allowed, because they would end the password in the command.
 */
export const IEC62056_PASSWORD = field<string>({
	entry: ENTRY_IEC62056,
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

export const CONTROL_SIMULATOR_EN = field<boolean>({
	entry: ENTRY_CONTROL,
	id: 1,
	name: "simulator_en",
	kind: BOOLEAN,
	initial: false,
});
export const CONTROL_LOG_EN = field<boolean>({
	entry: ENTRY_CONTROL,
	id: 2,
	name: "log_en",
	kind: BOOLEAN,
	initial: false,
});
export const CONTROL = entry("control", 1, [CONTROL_SIMULATOR_EN, CONTROL_LOG_EN]);

/** Lowered speed that is remembered, Bd; 0 if none is remembered. */
export const IEC_SPEED_BAUD = field<number>({
	entry: ENTRY_IEC_SPEED,
	id: 1,
	name: "baud",
	kind: CHOICE,
	choices: Object.freeze([0, ...BAUD_RATES]),
	initial: 0,
});
/** Identification of the meter to which the remembered speed belongs. */
export const IEC_SPEED_METER_ID = field<string>({
	entry: ENTRY_IEC_SPEED,
	id: 2,
	name: "meter_id",
	kind: TEXT,
	maximum: 64,
	characters: PRINTABLE,
	initial: "",
});
/** Way in which the last successful DLMS/COSEM session was opened. It is used if `opening` is "auto". */
export const DLMS_LEARNED_OPENING = field<string>({
	entry: ENTRY_IEC_SPEED,
	id: 3,
	name: "opening",
	kind: CHOICE,
	choices: OPENINGS,
	initial: OPENINGS[0],
});
/**
 * System title and invocation counter of the last pushed telegram. A telegram whose counter is not higher is a replay.
 */
export const DLMS_LEARNED_PUSH = field<Uint8Array>({
	entry: ENTRY_IEC_SPEED,
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

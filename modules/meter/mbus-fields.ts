/** Settings of M-Bus, left out of a firmware without it. */
import { CHOICE, entry, field, INTEGER, TEXT } from "../config/schema.js";
import { BAUD_RATES } from "./fields.js";

const IN_MBUS = 27;
export const MBUS_SLAVES_LIMIT = 16;

/** Primary address of the meter, or of the first of several; 254: a single meter, whatever its address. */
export const MBUS_ADDRESS = field<number>({
	entry: IN_MBUS,
	id: 1,
	name: "address",
	kind: INTEGER,
	maximum: 254,
	initial: 254,
});
/** Number of meters, whose addresses follow that of the first; 1 with address 254. */
export const MBUS_METERS = field<number>({
	entry: IN_MBUS,
	id: 2,
	name: "meters",
	kind: INTEGER,
	minimum: 1,
	maximum: MBUS_SLAVES_LIMIT,
	initial: 1,
});
/** Speed of the meters, Bd. */
export const MBUS_BAUDRATE = field<number>({
	entry: IN_MBUS,
	id: 3,
	name: "baudrate",
	kind: CHOICE,
	choices: BAUD_RATES,
	initial: 2400,
});
/**
 * Secondary addresses of up to 16 meters, with blanks between them; if there are any, `address` and `meters` are not
 * used. An address is the identification number (8 digits, F for any), or that and maker, version and medium as
 * `mbus/search` shows them (16 hex digits).
 */
export const MBUS_SECONDARY = field<string>({
	entry: IN_MBUS,
	id: 4,
	name: "secondary",
	kind: TEXT,
	maximum: MBUS_SLAVES_LIMIT * 17,
	characters: "  09AFaf",
	initial: "",
});
export const MBUS = entry("mbus", 2, [MBUS_ADDRESS, MBUS_METERS, MBUS_BAUDRATE, MBUS_SECONDARY]);

/** Settings of M-Bus. A firmware without M-Bus does not contain this file. */
import { ENTRY_MBUS } from "../../config/entries.js";
import { CHOICE, entry, field, INTEGER, TEXT } from "../../config/schema.js";
import { BAUD_RATES } from "./fields.js";

export const MBUS_SLAVES_LIMIT = 16;

/**
 * Primary address of the meter, or of the first of several meters. 254 addresses a single meter, whatever its own
 * address is.
 */
export const MBUS_ADDRESS = field<number>({
	entry: ENTRY_MBUS,
	id: 1,
	name: "address",
	kind: INTEGER,
	maximum: 254,
	initial: 254,
});
/** Number of meters. Their addresses follow that of the first meter. With address 254, the number is 1. */
export const MBUS_METERS = field<number>({
	entry: ENTRY_MBUS,
	id: 2,
	name: "meters",
	kind: INTEGER,
	minimum: 1,
	maximum: MBUS_SLAVES_LIMIT,
	initial: 1,
});
/** Speed of the bus, Bd. */
export const MBUS_BAUDRATE = field<number>({
	entry: ENTRY_MBUS,
	id: 3,
	name: "baudrate",
	kind: CHOICE,
	choices: BAUD_RATES,
	initial: 2400,
});
/**
 * Secondary addresses of up to 16 meters, with blanks between them. If there are any, `address` and `meters` are not
 * used. An address is the identification number (8 digits, F for any digit), or the 16 hex digits that `mbus/search`
 * shows: identification number, maker, version and medium.
 */
export const MBUS_SECONDARY = field<string>({
	entry: ENTRY_MBUS,
	id: 4,
	name: "secondary",
	kind: TEXT,
	maximum: MBUS_SLAVES_LIMIT * 17,
	characters: "  09AFaf",
	initial: "",
});
export const MBUS = entry("mbus", 2, [MBUS_ADDRESS, MBUS_METERS, MBUS_BAUDRATE, MBUS_SECONDARY]);

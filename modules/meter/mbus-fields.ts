/** Settings of M-Bus, left out of a firmware without it. */
import { CHOICE, entry, field, INTEGER } from "../config/schema.js";
import { BAUD_RATES } from "./fields.js";

const IN_MBUS = 27;

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
	maximum: 16,
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
export const MBUS = entry("mbus", 1, [MBUS_ADDRESS, MBUS_METERS, MBUS_BAUDRATE]);

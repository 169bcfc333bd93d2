/** One object of the simulated DLMS/COSEM meter. */
import type * as Data from "./dlms-data.js";
import type { HouseholdReading } from "./household.js";

export type Attribute = (reading: HouseholdReading) => Data.Encoded;

export interface COSEMObject {
	classId: number;
	version: number;
	/** OBIS code as `A.B.C.D.E.F`. */
	code: string;
	/** Values of the attributes from 2 on. Attribute 1 is the code. */
	attributes: readonly Attribute[];
	/**
	 * Selective access to attribute 2. Gets selector and parameters. Returns the value, or the result code of a refusal.
	 */
	select?: (selection: Buffer, reading: HouseholdReading) => Data.Encoded | number;
}

export function codeBytes(code: string): Buffer {
	return Buffer.from(code.split(".").map(Number));
}

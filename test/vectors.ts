/** The captured IEC 62056-21 telegrams of test/vectors with their expected readings, judged by hand. */
import { readFileSync } from "node:fs";
import { readTelegram } from "../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../tools/meter/vectors.js";

export interface ExpectedReading {
	readonly obis_long: string;
	readonly obis: string;
	readonly value1: string;
	readonly value2: string;
	readonly value1_number: number | null;
	readonly value1_unit: string;
	/** Unit of the second value, if it has one. */
	readonly value2_unit?: string;
	readonly medium: number | null;
	readonly channel: number | null;
	readonly billing_period: number | null;
	readonly values?: readonly string[];
	/** Units of `values`, if any value has one. */
	readonly values_units?: readonly string[];
	/** DLMS/COSEM attribute, if it is not the value. */
	readonly attribute?: number;
}

export interface Vector {
	readonly name: string;
	/** The whole transmission: identification, block, check. */
	readonly telegram: Uint8Array;
	readonly meterId: string;
	readonly mode: string;
	readonly check: "right" | "wrong" | "absent";
	readonly readings: readonly ExpectedReading[];
}

/** Throws an Error with the file's name if it is not JSON. */
function readExpected(path: string) {
	try {
		return JSON.parse(readFileSync(path, "utf8"));
	} catch (error) {
		throw new Error(`${path}: ${(error as Error).message}`);
	}
}

/** Every capture in the folder. */
export function iecVectors(): Vector[] {
	return vectorNames("iec62056-21").map((name) => {
		const expected = readExpected(vectorPath("iec62056-21", name, "json"));
		return {
			name,
			telegram: readTelegram(vectorPath("iec62056-21", name)),
			meterId: expected.meter_id,
			mode: expected.mode,
			check: expected.bcc,
			readings: expected.readings,
		};
	});
}

/** The captured telegrams of test/vectors/iec62056-21 with the readings expected of each, judged by hand. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTelegram } from "../tools/meter/telegram.js";

export interface ExpectedReading {
	readonly obis_long: string;
	readonly obis: string;
	readonly value1: string;
	readonly value2: string;
	readonly value1_number: number | null;
	readonly value1_unit: string;
	/** Only where the second value has a unit. */
	readonly value2_unit?: string;
	readonly medium: number | null;
	readonly channel: number | null;
	readonly billing_period: number | null;
	readonly values?: readonly string[];
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

const folder = join(import.meta.dirname, "..", "..", "test", "vectors", "iec62056-21");

/** Every capture in the folder: one that is dropped in is tested from then on. */
export function iecVectors(): Vector[] {
	return readdirSync(folder)
		.filter((name) => name.endsWith(".hex"))
		.sort()
		.map((file) => {
			const name = file.slice(0, -4);
			const expected = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
			return {
				name,
				telegram: readTelegram(join(folder, file)),
				meterId: expected.meter_id,
				mode: expected.mode,
				check: expected.bcc,
				readings: expected.readings,
			};
		});
}

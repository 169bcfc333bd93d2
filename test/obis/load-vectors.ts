/** The captures of test/vectors/iec62056-21 with what must come out of them; the form is described in the README there. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface VectorReading {
	obis_long: string;
	obis: string;
	value1: string;
	value2: string;
	value1_number: number | null;
	value1_unit: string;
	medium: number | null;
	channel: number | null;
	billing_period: number | null;
	values?: string[];
}

export interface Vector {
	name: string;
	bytes: Uint8Array;
	expected: { meter_id: string; mode: string; baud: number | null; bcc: string; readings: VectorReading[] };
}

const FOLDER = fileURLToPath(new URL("../../../test/vectors/iec62056-21/", import.meta.url));

export function loadVectors(): Vector[] {
	const names = readdirSync(FOLDER).filter((file) => file.endsWith(".hex"));
	return names.sort().map((file) => {
		const digits = readFileSync(FOLDER + file, "utf8").replace(/#.*$/gm, "");
		const name = file.slice(0, -".hex".length);
		const expected = JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8"));
		return { name, bytes: new Uint8Array(Buffer.from(digits.replace(/\s/g, ""), "hex")), expected };
	});
}

/** The addresses of a telegram in the order sent, by a way of its own: no product code is trusted here. */
export function addressesOf(bytes: Uint8Array): string[] {
	const text = Buffer.from(bytes).toString("latin1");
	const block = text.slice(text.search(/\/[A-Za-z]{3}/)).replace(/^[^\n]*\n/, "");
	const data = block.slice(Math.max(block.indexOf("\x02"), 0), block.indexOf("!"));
	return [...data.matchAll(/([^()\r\n\x02]+)\(/g)].map((match) => match[1]);
}

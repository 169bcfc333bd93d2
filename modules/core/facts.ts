/** Members of a JSON object that were taken down at once, since a reply may be made in several pieces. */
import type { JSONWriter } from "../json/writer.js";

/** Name and value, name and value … */
export type Facts = readonly (string | number | boolean)[];

export function writeFacts(writer: JSONWriter, facts: Facts): void {
	for (let i = 0; i < facts.length; i += 2) {
		const value = facts[i + 1];
		writer.key(facts[i] as string);
		if (typeof value === "string") writer.string(value);
		else if (typeof value === "number") writer.number(value);
		else writer.boolean(value);
	}
}

/** Unix time in seconds of one in ms; 0 stays 0. */
export function secondsOf(utcMs: number): number {
	return Math.floor(utcMs / 1000);
}

/** Members of a JSON object, for replies that are made in pieces. */
import type { JSONWriter } from "../json/writer.js";

/** Names and values of the members, alternately. */
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

export function unixSeconds(utcMs: number): number {
	return Math.floor(utcMs / 1000);
}

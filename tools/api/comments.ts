/**
 * Reads the comments above settings in fields.ts. They are the descriptions of settings that have no other description
 * in the API.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as ENTRIES from "../../modules/config/entries.js";
import type { SettingField } from "../../modules/config/schema.js";
import { ROOT } from "./files.js";

const NUMBERS: Readonly<Record<string, number>> = ENTRIES;
const SETTING = /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const \w+ = field<\w+>\(\{\s*entry: (\w+),\s*id: (\d+),/gm;

/** Returns the comments by entry and setting number, such as `5/1`. */
export function commentsOf(source: string): Map<string, string> {
	return new Map(
		[...source.matchAll(SETTING)].map(([, text, entry, id]) => {
			const words = text.replace(/\n \*/g, " ").replace(/\s+/g, " ").trim();
			return [`${NUMBERS[entry]}/${id}`, words.replace(/\.$/, "")];
		}),
	);
}

let all: ReadonlyMap<string, string> | undefined;

export function commentOn({ entry, id }: SettingField): string | undefined {
	all ??= readComments();
	return all.get(`${entry}/${id}`);
}

function readComments(): Map<string, string> {
	const folder = join(ROOT, "modules", "parts");
	const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("fields.ts"));
	return new Map(files.flatMap((path) => [...commentsOf(readFileSync(join(folder, path), "utf8"))]));
}

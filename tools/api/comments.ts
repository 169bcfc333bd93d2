/**
 * Reads the comments above settings in fields.ts. They are the descriptions of settings that have no other description
 * in the API.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingField } from "../../modules/config/schema.js";
import { ROOT } from "./files.js";

const FIELDS = /fields\.ts$/;
const ENTRY = /^const (\w+) = (\d+);$/gm;
const SETTING = /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const \w+ = field<\w+>\(\{\s*entry: (\w+),\s*id: (\d+),/gm;

/** Returns the comments by entry and setting number, such as `5/1`. */
export function commentsOf(source: string): Map<string, string> {
	const entries = new Map([...source.matchAll(ENTRY)].map(([, name, number]) => [name, number]));
	return new Map(
		[...source.matchAll(SETTING)].map(([, text, entry, id]) => {
			const words = text.replace(/\n \*/g, " ").replace(/\s+/g, " ").trim();
			return [`${entries.get(entry)}/${id}`, words.replace(/\.$/, "")];
		}),
	);
}

let all: ReadonlyMap<string, string> | undefined;

export function commentOn({ entry, id }: SettingField): string | undefined {
	all ??= readComments();
	return all.get(`${entry}/${id}`);
}

function readComments(): Map<string, string> {
	const modules = join(ROOT, "modules");
	const files = readdirSync(modules, { recursive: true, encoding: "utf8" }).filter((path) => FIELDS.test(path));
	return new Map(files.flatMap((path) => [...commentsOf(readFileSync(join(modules, path), "utf8"))]));
}

/**
 * Reads the comments above settings in fields.ts. The comment of a new setting becomes its initial description in the
 * API.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingField } from "../../modules/config/schema.js";
import { ROOT } from "./document.js";

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

export function commentOn({ entry, id }: SettingField): string | undefined {
	const modules = join(ROOT, "modules");
	const files = readdirSync(modules).map((folder) => join(modules, folder, "fields.ts"));
	for (const file of files.filter((path) => existsSync(path))) {
		const comment = commentsOf(readFileSync(file, "utf8")).get(`${entry}/${id}`);
		if (comment !== undefined) return comment;
	}
	return undefined;
}

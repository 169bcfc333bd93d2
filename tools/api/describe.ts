/** The API's complete description, from modules/api/description.json and the routes of this firmware. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Operation } from "../../modules/api/route.js";
import { PARTS } from "../../modules/app/parts.js";
import { TELEGRAM_KINDS } from "../../modules/meter/failures.js";
import { complete } from "./complete.js";
import { type Node, ROOT, SOURCE } from "./files.js";
import { keyOf } from "./settings.js";

const STAND_IN = /absent-([\w-]+-)?part\.ts$/;

export const ROUTES: readonly Operation[] = PARTS.flatMap(({ routes }) => routes);
/** Keys of the routes that a firmware may lack: those of the stand-ins (modules/part/absent.ts). */
export const OMITTABLE = await omittable();

/** Words that `enum` in the description refers to, and that no field has as choices. */
const WORDS = { telegrams: TELEGRAM_KINDS.split(" ") };

async function omittable(): Promise<ReadonlySet<string>> {
	const files = readdirSync(join(ROOT, "modules"), { recursive: true, encoding: "utf8" });
	const keys = new Set<string>();
	for (const file of files.filter((path) => STAND_IN.test(path))) {
		const compiled = pathToFileURL(join(ROOT, ".build", "modules", file.replace(/ts$/, "js"))).href;
		for (const { routes } of Object.values<{ routes: readonly Operation[] }>(await import(compiled)))
			for (const { method, path } of routes) keys.add(keyOf(method, path));
	}
	return keys;
}

export function readSource(): Node {
	return JSON.parse(readFileSync(SOURCE, "utf8"));
}

export function describeAPI(source = readSource()): Node {
	return complete(source, ROUTES, OMITTABLE, WORDS);
}

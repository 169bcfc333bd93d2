/**
 * Run by each npm command before the page is compiled: makes the API's complete description and the page's types, if
 * they are missing or older than their sources.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPLETE, PAGE_TYPES, ROOT, SOURCE } from "./files.js";

/** The compiler writes them whenever it has compiled the firmware or these tools. */
const COMPILED = ["modules.tsbuildinfo", "api.tsbuildinfo"].map((name) => join(ROOT, ".build", name));

function isUpToDate(): boolean {
	if (![COMPLETE, ...PAGE_TYPES].every((path) => existsSync(path))) return false;
	const made = statSync(COMPLETE).mtimeMs;
	return [SOURCE, ...COMPILED].every((path) => statSync(path).mtimeMs < made);
}

if (!isUpToDate()) {
	const { describeAPI } = await import("./describe.js");
	writeFileSync(COMPLETE, `${JSON.stringify(describeAPI(), undefined, "\t")}\n`);
	const { pageFiles } = await import("./page-files.js");
	// An unchanged file is not written, so that the page is not compiled again.
	for (const { path, text } of pageFiles())
		if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

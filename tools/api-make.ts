/**
 * `npm run api -- --make`: writes the settings into the schemas of openapi.json, writes this version's backup for
 * tests, and makes the page's types and the tables of docs/api.md.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { addSettings } from "./api/backup-file.js";
import { DOCUMENT, formatted, ROOT } from "./api/document.js";
import { describeSettings } from "./api/settings.js";
import { guideFile } from "./api-examples.js";
import { type PageFile, pageFiles } from "./page-api.js";

const DESCRIPTION = join(ROOT, "modules/api/openapi.json");

function write({ path, text }: PageFile): void {
	if (readFileSync(path, "utf8") === text) return;
	writeFileSync(path, text);
	console.log(`${relative(ROOT, path)}: written`);
}

describeSettings(DOCUMENT);
write({ path: DESCRIPTION, text: formatted(DESCRIPTION, JSON.stringify(DOCUMENT)) });
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const BACKUP = join(ROOT, `test/vectors/backups/${version}.json`);
if (existsSync(BACKUP)) {
	const backup = JSON.parse(readFileSync(BACKUP, "utf8"));
	addSettings(backup);
	write({ path: BACKUP, text: `${JSON.stringify(backup, undefined, "\t")}\n` });
}
for (const file of [...pageFiles(), guideFile()]) write(file);

/**
 * `npm run api -- --make`: makes what follows from the sources: tables and examples of docs/api.md, the boards of
 * docs/hardware.md, and this version's backup for tests.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { addSettings } from "./api/backup-file.js";
import { ROOT } from "./api/files.js";
import { type GuideFile, guideFile } from "./api-examples.js";
import { withBoardTables } from "./build/board-tables.js";

function write({ path, text }: GuideFile): void {
	if (readFileSync(path, "utf8") === text) return;
	writeFileSync(path, text);
	console.log(`${relative(ROOT, path)}: written`);
}

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const BACKUP = join(ROOT, `test/vectors/backups/${version}.json`);
if (existsSync(BACKUP)) {
	const backup = JSON.parse(readFileSync(BACKUP, "utf8"));
	addSettings(backup);
	write({ path: BACKUP, text: `${JSON.stringify(backup, undefined, "\t")}\n` });
}
write(guideFile());
const HARDWARE = join(ROOT, "docs/hardware.md");
write({ path: HARDWARE, text: withBoardTables(readFileSync(HARDWARE, "utf8")) });

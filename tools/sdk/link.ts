/** Reduces the output of the SDK's linker. The `xsl` of sdk.ts calls this program with the linker's options. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InstructionSet } from "./byte-code.js";
import { ADVICE, changedFileIn } from "./engine.js";
import { shareEnvironments } from "./environments.js";
import { Heap } from "./heap.js";
import { checkLookUps } from "./look-ups.js";
import { shortenCode } from "./shorter-code.js";
import { withoutStripped } from "./stripped.js";

function smaller(text: string, sources: string): string {
	const heap = new Heap(text);
	withoutStripped(heap);
	shareEnvironments(heap);
	shortenCode(heap, new InstructionSet(readFileSync(join(sources, "xsCommon.c"), "utf8")));
	const written = heap.toString();
	checkLookUps(new Heap(written));
	return written;
}

const options = process.argv.slice(2);
const file = join(options[options.indexOf("-o") + 1]!, "mc.xs.c");
const text = readFileSync(file, "utf8");
// After a failure the file is deleted. Otherwise make would consider it complete.
rmSync(file);
const xs = join(process.env["MODDABLE"]!, "xs");
const problem = changedFileIn(xs);
if (problem === undefined) {
	try {
		writeFileSync(file, smaller(text, join(xs, "sources")));
	} catch (error) {
		process.stderr.write(`${(error as Error).stack}\n${ADVICE}\n`);
		process.exitCode = 1;
	}
} else {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 1;
}

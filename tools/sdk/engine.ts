/**
 * Whether the SDK's engine is the one that the linker's file is made smaller for. What environments.ts, heap.ts and
 * shorter-code.ts do goes by how the engine looks for properties, takes what a function has captured, and runs each
 * instruction. Another engine may still write and take files of the same form, and mean something else by them: then the
 * firmware would go wrong somewhere, sometime.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** By file in xs/sources: how instructions are run, how properties are found, what instructions there are. */
export const KNOWN: Readonly<Record<string, string>> = Object.freeze({
	"xsRun.c": "7aede32832264fafbf5f0d6666b74554745f04b3b7c5eeaddbd67b96f097a03d",
	"xsType.c": "88cb50e524de79d0ff7ac7939409ab3f9ba1b96a3d003bbe81249913ce8ab18b",
	"xsCommon.c": "e452e81e1782a6586ace74c6b852b675e76b087d1795f3360e2d4bfb5880be07",
});

/** What helps where the linker's file is not, or can't be, made smaller. */
export const ADVICE =
	"GATEWAY_PLAIN=linker builds without that (ARCHITECTURE.md); tools/sdk/engine.ts says what to do for another SDK.";

/**
 * Why it is not; undefined: it is. For another SDK: read what has changed in that file against 8.2.3, then put its hash
 * here, then let `npm run test:linux` show that both firmwares, plain and made smaller, behave alike.
 */
export function strangeIn(sources: string, known = KNOWN): string | undefined {
	for (const [name, hash] of Object.entries(known)) {
		const is = createHash("sha256")
			.update(readFileSync(join(sources, name)))
			.digest("hex");
		if (is !== hash)
			return `${name} of this Moddable SDK is not that of 8.2.3, for which the firmware is made smaller. ${ADVICE}`;
	}
	return undefined;
}

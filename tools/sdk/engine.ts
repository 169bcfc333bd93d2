/**
 * Checks whether the SDK's engine, compiler and linker are those for which link.ts was written. The passes of link.ts
 * depend on how the engine looks up properties, reads captured variables and executes instructions, and on which
 * instructions the compiler writes. In another SDK the same instructions may have another meaning, and the firmware
 * would fail in unforeseen places.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Hashes of the known files in the SDK's folder xs/. */
export const KNOWN: Readonly<Record<string, string>> = Object.freeze({
	// This file executes instructions, looks up properties, and lists the instructions. locals.ts assumes that RESERVE
	// sets all variables of a function to undefined, and that only NEW and UNWIND instructions depend on their number.
	"sources/xsRun.c": "7aede32832264fafbf5f0d6666b74554745f04b3b7c5eeaddbd67b96f097a03d",
	"sources/xsType.c": "88cb50e524de79d0ff7ac7939409ab3f9ba1b96a3d003bbe81249913ce8ab18b",
	"sources/xsProperty.c": "993295f4b0c75adb4fe7f291b2162ae723999bc8857c571274c2f61c89216447",
	"sources/xsCommon.c": "e452e81e1782a6586ace74c6b852b675e76b087d1795f3360e2d4bfb5880be07",
	// This file chooses instructions. shorter-code.ts assumes that `let x;` in a loop stores undefined.
	"sources/xsCode.c": "3d2367af958b116960009dd6720ce93c98ce817a9af61e40384d9dd96fc76657",
	"sources/xsScope.c": "2f4346359cf0f4574c457d12f1b8d4479d0f8ed60780d62d2609dd915bf2cf38",
	// This file writes the linker's output, and chooses the functions that are stripped.
	"tools/xsl.c": "beb30f7c9f248ca57d101a49e3ddd3db69c040c93bfb30245656b544eaf7ed15",
	"tools/xslOpt.c": "03cfb2a75f38bf4a8fb697dccba8818136d12f6415ab31da75d65542a05fd0ea",
	"tools/xslSlot.c": "2a4d2265f8eed0a2a13ec3272ca19bd7bda2f51e0ab62b4a7c4f10c5568d6579",
	"tools/xslStrip.c": "83b9977ee3b4590d2daf2e101b07135a0a06f33d0da78234d28e834aff5e7c98",
});
/** Advice that is shown if the linker's file cannot be reduced. */
export const ADVICE =
	"GATEWAY_PLAIN=linker builds without that (ARCHITECTURE.md); tools/sdk/engine.ts says what to do for another SDK.";

/**
 * Returns the name of a file that differs from the known one. `xs` is the SDK's folder xs/. To use another SDK, read
 * the changes of that file since 8.2.3 and put its hash into KNOWN. Then run `npm run test:linux`, which compares the
 * plain and the reduced firmware, also with random programs.
 */
export function changedFileIn(xs: string, known = KNOWN): string | undefined {
	for (const [name, hash] of Object.entries(known)) {
		const is = createHash("sha256")
			.update(readFileSync(join(xs, name)))
			.digest("hex");
		if (is !== hash)
			return `${name} of this Moddable SDK is not that of 8.2.3, for which the firmware is made smaller. ${ADVICE}`;
	}
	return undefined;
}

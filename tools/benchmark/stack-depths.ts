/**
 * Part i: the deepest chains of calls in the firmware on Linux, with everything on. The measurement is a program of the
 * tests (test/system/stack-depths.ts), because it needs their peers.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "../sdk/sdk.js";
import type { Section } from "./report.js";

const PROGRAM = fileURLToPath(new URL("../../test/system/stack-depths.js", import.meta.url));
const SHOWN = 10;
const STACK: number = JSON.parse(readFileSync(join(ROOT, "manifest.json"), "utf8")).creation.stack;

export async function measureStack(): Promise<Section> {
	const child = spawn(process.execPath, [PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
	let text = "";
	child.stdout.on("data", (piece: Buffer) => {
		text += piece;
	});
	const [code] = await once(child, "close");
	if (code !== 0) throw new Error(`${PROGRAM} has ended with ${code}`);
	const depths: readonly { action: string; slots: number }[] = JSON.parse(text);
	return {
		part: "i",
		title: "Deepest chains of calls in the firmware on Linux",
		notes: [`Slots of the stack of ${STACK}, the ${SHOWN} deepest of ${depths.length} actions, with everything on`],
		rows: depths.slice(0, SHOWN).map(({ action, slots }) => ({ slots, free: STACK - slots, action })),
	};
}

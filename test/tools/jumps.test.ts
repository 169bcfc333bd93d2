/** Jumps out of a switch, which take a slot of the stack of XS each time (tools/sdk/jumps.ts). */
import assert from "node:assert/strict";
import { checkJumps } from "../../tools/sdk/jumps.js";

describe("A jump out of a switch", () => {
	for (const [what, jump, script] of [
		["a continue", "continue;", "for (const a of b) switch (a) { case 1: continue; }"],
		["a break to a label", "break x;", "x: for (;;) switch (a) { case 1: { break x; } }"],
		["a break to the label of a block", "break x;", "x: { switch (a) { default: break x; } }"],
		["a break to the label of the switch itself", "break x;", "x: switch (a) { default: for (;;) break x; }"],
		["a jump in a function", "continue;", "const f = () => { while (a) { switch (b) { default: { continue; } } } };"],
	] as const)
		it(`is refused: ${what}`, () => {
			assert.throws(() => checkJumps(script), new RegExp(`^Error: "${jump}" leaves a switch`));
		});

	for (const [what, script] of [
		["its own break", "for (;;) switch (a) { case 1: break; }"],
		["a return", "const f = () => { for (;;) switch (a) { case 1: return 1; } };"],
		["a loop in it", "switch (a) { case 1: for (;;) { if (b) continue; break; } }"],
		["a labelled block in it", "switch (a) { case 1: x: { break x; } }"],
		["a function in it", "for (;;) switch (a) { case 1: b = () => { for (;;) continue; }; }"],
		["a loop beside it", "x: for (;;) { switch (a) { case 1: break; } continue x; }"],
	] as const)
		it(`is permitted: ${what}`, () => checkJumps(script));
});

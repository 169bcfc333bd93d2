/** Runs the test programs in C (`*-peer.c`). Most have several parts, which are chosen by the first argument. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, type NativeProgram, needNative } from "./compile.js";

const LIMIT_MS = 60_000;

/** Runs the program, which must succeed without a message. Returns its output. */
export function runPeer(program: string, ...args: string[]): string {
	const { status, signal, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: LIMIT_MS });
	assert.equal(stderr, "", args.join(" "));
	assert.deepEqual([status, signal], [0, null], args.join(" "));
	return stdout;
}

/** For a `describe`: compiles the program before the tests, or skips them. Returns the function that runs it. */
export function usePeer(program: NativeProgram): (...args: string[]) => string {
	let path = "";
	before(function () {
		needNative(this);
		this.timeout(2 * LIMIT_MS);
		path = compileNative(program);
	});
	return (...args) => runPeer(path, ...args);
}

/** Reads the steps of an output: each ends with a line `-- name`, which is the key of the lines before it. */
export function stepsOf(output: string): Map<string, string[]> {
	const steps = new Map<string, string[]>();
	let lines: string[] = [];
	for (const line of output.trim().split("\n")) {
		const text = line.trim();
		if (text.startsWith("-- ")) {
			steps.set(text.slice(3), lines);
			lines = [];
		} else lines.push(text);
	}
	return steps;
}

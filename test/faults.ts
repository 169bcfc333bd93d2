/**
 * Fails a test in which the gateway has caught an exception, for mocha's `--require`. The gateway reports each one in a
 * line that begins with `fault: ` (modules/io/fault.ts); here these lines are collected from all virtual worlds of this
 * process and from the programs that tests start. A test that causes faults says beforehand which ones it expects.
 */
import type { Readable } from "node:stream";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Context, Func, Suite } from "mocha";
import { VirtualWorld } from "../hosts/node/virtual.js";
import { guardWith } from "../modules/app/guard.js";

const FAULT = /^fault: /;
const STACK_LINE = /^\s+at /;
/** Limit of the wait for an expected fault of a program, ms. */
const LATE_MS = 5000;
const LOOK_MS = 20;
/** Number of different faults in a message. */
const KINDS_SHOWN = 5;

interface Expectation {
	readonly pattern: RegExp;
	/** Faults that have matched. */
	readonly faults: string[];
	/** True if it need not happen. */
	readonly isOptional?: boolean;
}

/** Faults that no test has expected. Those of a hook after the last test of a `describe` count for the next test. */
const unexpected: string[] = [];
/** Expectations of the running test. */
let expected: Expectation[] = [];
/** Expectations of the running `describe`. */
const expectedInSuites: Expectation[] = [];
let runningPrograms = 0;

/** Notes a message of the gateway if it is a fault. */
export function noteFault(message: string, source = ""): void {
	if (!FAULT.test(message)) return;
	const matching = [...expected, ...expectedInSuites].filter(({ pattern }) => pattern.test(message));
	for (const { faults } of matching) faults.push(message);
	if (matching.length === 0) unexpected.push(source === "" ? message : `${source}: ${message}`);
}

/** Guard of a test's own driver. */
export const guard = guardWith((message) => noteFault(message));

/** Notes the faults in the output of a program until it ends. */
export function watchFaults(program: string, output: Readable): void {
	let rest = "";
	let fault = "";
	const end = () => {
		noteFault(fault, program);
		fault = "";
	};
	runningPrograms++;
	output.setEncoding("utf8").on("data", (text: string) => {
		const lines = `${rest}${text}`.split("\n");
		rest = lines.pop()!;
		for (const line of lines) {
			if (fault !== "" && STACK_LINE.test(line)) fault += `\n${line}`;
			else {
				end();
				if (FAULT.test(line)) fault = line;
			}
		}
		end();
	});
	output.once("close", () => {
		runningPrograms--;
		noteFault(rest, program);
	});
}

/**
 * The running test expects for each pattern at least one fault that matches. Call it before they happen. Returns the
 * list to which the faults are added.
 */
export function expectFaults(...patterns: readonly RegExp[]): readonly string[] {
	const faults: string[] = [];
	expected.push(...patterns.map((pattern) => ({ pattern, faults })));
	return faults;
}

/** Like `expectFaults`, for a test with random input, in which these faults may happen. */
export function permitFaults(...patterns: readonly RegExp[]): void {
	expected.push(...patterns.map((pattern) => ({ pattern, faults: [], isOptional: true })));
}

/**
 * Like `expectFaults`, for a `describe` in whose tests these faults can happen at any time, as in power cuts. For each
 * pattern at least one must happen, if all tests run.
 */
export function expectFaultsInSuite(...patterns: readonly RegExp[]): void {
	const own = patterns.map((pattern) => ({ pattern, faults: [] }));
	before(() => void expectedInSuites.push(...own));
	after(function () {
		for (const one of own) expectedInSuites.splice(expectedInSuites.indexOf(one), 1);
		if (haveAllPassed(this.test!.parent!)) checkMet(own);
	});
}

function haveAllPassed(suite: Suite): boolean {
	return suite.tests.every(({ state }) => state === "passed") && suite.suites.every(haveAllPassed);
}

const isMissing = ({ pattern, faults, isOptional }: Expectation): boolean =>
	!isOptional && !faults.some((fault) => pattern.test(fault));

function checkMet(expectations: readonly Expectation[]): void {
	const missing = expectations.filter(isMissing);
	if (missing.length > 0) throw new Error(`did not happen: ${missing.map(({ pattern }) => pattern).join(", ")}`);
}

/** Fails if the gateway has caught an exception since the last check. For a test that names what led to it. */
export function checkFaults(): void {
	const faults = unexpected.splice(0);
	if (faults.length === 0) return;
	const kinds = [...new Set(faults)].slice(0, KINDS_SHOWN).join("\n");
	throw new Error(`the gateway has caught exceptions, ${faults.length} in all:\n${kinds}`);
}

async function check(): Promise<void> {
	// A program's output can arrive a little later than its reply.
	if (runningPrograms > 0) await setImmediate();
	for (let ms = 0; runningPrograms > 0 && expected.some(isMissing) && ms < LATE_MS; ms += LOOK_MS) await sleep(LOOK_MS);
	checkFaults();
	checkMet(expected);
}

export const mochaHooks = {
	beforeEach(this: Context): void {
		// The check is part of the test, because a hook of the root that fails ends the whole run.
		const test = this.currentTest!;
		const run = test.fn as Func | undefined;
		if (run === undefined || run.length > 0) return;
		test.fn = async function (this: Context) {
			await run.call(this, () => {});
			await check();
		};
	},
	afterEach(this: Context): void {
		expected = [];
		if (this.currentTest!.state !== "failed") checkFaults();
		else for (const fault of unexpected.splice(0)) console.error(fault);
	},
	afterAll(): void {
		checkFaults();
	},
};

VirtualWorld.onTrace = noteFault;

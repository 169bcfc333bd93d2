/**
 * Differences between the commands that run the same test, such as the count or the engine. The end of a test file's name
 * lists the commands: `npm test` runs `x.test.ts`, `npm run test:hosts` runs `x.hosts.ts`, `npm run test:long` runs
 * `x.long.ts`, `npm run test:linux` runs `x.linux.ts`, and the first and the third run `x.test.long.ts`.
 */

type Run = "test" | "hosts" | "long" | "linux";

/** Set by tools/run.mjs. A file given to mocha itself runs as in `npm test`. */
const RUN = (process.env["TEST_RUN"] ?? "test") as Run;

/** Returns the value for the running command, such as a count or a list of engines; throws if there is none. */
export function byRun<const Values extends { readonly [run in Run]?: unknown }>(values: Values): Values[keyof Values] {
	if (!Object.hasOwn(values, RUN)) throw new Error(`this test has no value for the command "${RUN}"`);
	return values[RUN as keyof Values];
}

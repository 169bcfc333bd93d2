/**
 * Keeps the events of the core apart from the callbacks of a part's own machines (core/core.ts). In an earlier release
 * one method was both: it raised its own event again until the stack of XS overflowed.
 */
import assert from "node:assert/strict";
import { assertNone, code, MODULES, placeOf, read } from "./tree.js";

const CORE = "modules/core/core.ts";
/** Declaration of a member or a function with an event's name; calls have a "." before the name. */
const EVENT_NAME = /^\t?(?:override |private |readonly |get |function |const |let )*(when[A-Z]\w*)\b/gm;
/** More interfaces than this hide which caller may call which method. */
const INTERFACES = 4;

describe("tidy: events of the core", () => {
	const [, running] = /export interface Running \{\n([\s\S]*?)\n\}/.exec(read(CORE))!;
	const events = [...running.matchAll(/^\t(\w+)\?\(/gm)].map(([, name]) => name);

	it("have names that begin with 'when'", () => {
		assert.ok(events.length > 5);
		assertNone(events.filter((name) => !/^when[A-Z]/.test(name)));
	});

	it("are the only names that begin with 'when'", () => {
		const findings = code
			.filter(({ path }) => MODULES.test(path) && path !== CORE)
			.flatMap((source) =>
				[...source.code.matchAll(EVENT_NAME)]
					.filter(([, name]) => !events.includes(name))
					.map(
						({ 1: name, index }) => `${placeOf(source, index)}: "${name}": names with "when" are events of the core`,
					),
			);
		assertNone(findings);
	});

	it("are declared by classes only, so that no machine's dependencies can have one", () => {
		const findings = code
			.filter(({ path }) => MODULES.test(path) && path !== CORE)
			.flatMap((source) =>
				[...source.code.matchAll(/^export interface (\w+)[\s\S]*?^}/gm)]
					.filter(([text]) => /^\t(?:readonly )?when[A-Z]/m.test(text))
					.map(({ 1: name, index }) => `${placeOf(source, index)}: interface ${name} has the name of an event`),
			);
		assertNone(findings);
	});

	it(`are handled by objects with at most ${INTERFACES} interfaces, none of which has these names`, () => {
		const findings = code
			.filter(({ path }) => MODULES.test(path))
			.flatMap((source) =>
				[...source.code.matchAll(/^(?:export )?(?:abstract )?class \w+[^{]*?\simplements ([^{]*)\{/gm)]
					.filter(([, names]) => names.split(",").length > INTERFACES)
					.map(({ index }) => `${placeOf(source, index)}: more than ${INTERFACES} interfaces: use object literals`),
			);
		assertNone(findings);
	});
});

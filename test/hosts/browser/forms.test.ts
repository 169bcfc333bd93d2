import assert from "node:assert/strict";
import * as BODIES from "../../../hosts/browser/kit/bodies.js";
import { formOf } from "../../../hosts/browser/kit/forms.js";

/** Fields that the user does not type: they are chosen from a list or a calendar, or filled in by the page. */
const MADE = ["new_hash", "timezone", "mapping_id", "obis", "from", "currency"];

describe("form fields", () => {
	/** Yields each field of a body with a pattern. */
	function* patterns(): Generator<readonly [name: string, pattern: RegExp]> {
		const inside = function* (fields: object): Generator<readonly [string, RegExp]> {
			for (const [name, limits] of Object.entries(fields)) {
				if (limits.pattern !== undefined) yield [name, limits.pattern];
				if (limits.items !== undefined) yield* inside(limits.items);
			}
		};
		for (const body of Object.values(BODIES)) yield* inside(body);
	}

	it("have an explanation if the API's description requires a pattern", () => {
		const all = [...patterns()];
		assert.ok(all.length > 10);
		const silent = all.filter(([name, pattern]) => !MADE.includes(name) && formOf(pattern) === undefined);
		assert.deepEqual(silent, []);
	});

	it("report as wrong exactly the characters that the pattern never accepts", () => {
		for (const [name, pattern] of patterns()) {
			const characters = formOf(pattern)?.characters;
			if (characters === undefined) continue;
			for (let code = 0; code < 256; code++) {
				const one = String.fromCharCode(code);
				const isTaken = [one, `a${one}a`, one.repeat(32)].some((text) => pattern.test(text));
				assert.equal(characters.test(one), isTaken, `${name}: ${JSON.stringify(one)}`);
			}
		}
	});
});

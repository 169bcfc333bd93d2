/**
 * Tests printf formats in the chip's C. It is linked with newlib's nano formatting (CONFIG_LIBC_NEWLIB_NANO_FORMAT),
 * which has the conversions of C89 without floating point: the sizes hh, j, ll, t and z, floating-point numbers and
 * positions (%1$s) print garbage. Neither the compiler nor a run on Linux warns of that.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../native/compile.js";

const SETTING = "CONFIG_LIBC_NEWLIB_NANO_FORMAT=y";

const COMMENTS = /\/\*[\s\S]*?\*\/|\/\/.*/g;
const LITERALS = /"(?:[^"\\\n]|\\.)*"|\bPRI[diouxX](?:64|MAX|PTR|FAST\d+)\b/g;
const CONVERSIONS = /%(?:\d+\$)?[-+ #0]*[\d*]*(?:\.[\d*]*)?(?:hh|ll|[hjlLqtz])?[a-zA-Z%]/g;
const KNOWN = /^%[-+ #0]*[\d*]*(?:\.[\d*]*)?[hl]?[cdinopsuxX%]$/;

/** Conversions that nano formatting lacks. */
function unknownIn(source: string): string[] {
	const literals = source.replace(COMMENTS, "").match(LITERALS) ?? [];
	return literals.flatMap((literal) =>
		literal.startsWith("PRI") ? [literal] : (literal.match(CONVERSIONS) ?? []).filter((one) => !KNOWN.test(one)),
	);
}

describe("printf formats on the chip", () => {
	it("are reported if newlib's nano formatting lacks them", () => {
		for (const [source, found] of [
			['printf("%02x %u %-8.3s %lu %% %c %*d", a);', []],
			['snprintf(t, n, "%" PRIu32 ".%" PRIx16, a, b); /* "%zu" */ // "%f"', []],
			['printf("%zu of %llu\\n", a, b);', ["%zu", "%llu"]],
			['printf("%" PRIu64, a);', ["PRIu64"]],
			['printf("%hhd %.3f %g %1$s %jd %td %Lf", a);', ["%hhd", "%.3f", "%g", "%1$s", "%jd", "%td", "%Lf"]],
		] as const)
			assert.deepEqual(unknownIn(source), found, source);
	});

	it("are supported in all C for the chip", () => {
		const settings = readFileSync(join(ROOT, "hosts/esp32/sdkconfig/gateway.defaults"), "utf8").split("\n");
		assert.ok(settings.includes(SETTING), `${SETTING} is gone, so this test can be deleted`);
		const files = ["hosts/esp32", "hosts/native"].flatMap((folder) =>
			readdirSync(join(ROOT, folder), { encoding: "utf8", recursive: true })
				.filter((name) => /\.[ch]$/.test(name))
				.map((name) => `${folder}/${name}`),
		);
		assert.ok(files.length > 50, `only ${files.length} files`);
		const wrong = files.flatMap((file) =>
			unknownIn(readFileSync(join(ROOT, file), "utf8")).map((one) => `${file}: ${one}`),
		);
		assert.deepEqual(wrong, []);
	});
});

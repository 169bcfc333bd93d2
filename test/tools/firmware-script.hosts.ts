/** The script for the SDK: the bundler's output, and its changes for XS. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { BOARDS, findBoard } from "../../hosts/esp32/boards.js";
import { withArrows } from "../../tools/sdk/arrows.js";
import { withAssignedFields } from "../../tools/sdk/assigned-fields.js";
import { revertBundlerChanges } from "../../tools/sdk/bundler-changes.js";
import { MAIN, madeFor } from "../../tools/sdk/esp32.js";
import { OMISSIONS } from "../../tools/sdk/omissions.js";
import { withOwnMethods } from "../../tools/sdk/own-methods.js";
import { OWN_NAMES, withOwnNames } from "../../tools/sdk/own-names.js";
import { withPlainFields } from "../../tools/sdk/plain-fields.js";
import { makeScript, type Script } from "../../tools/sdk/script.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { withNamesOfProperties, withShortNames } from "../../tools/sdk/short-names.js";

const scripts = new Map<string, Promise<Script>>();
/** The script of a main file; each is made once, because that takes seconds. */
const scriptOf = (main: string, board = "", without: readonly string[] = []) => {
	const made = board === "" ? undefined : madeFor({ ...findBoard(board), without });
	const key = [main, board, ...without].join(" ");
	const script = scripts.get(key) ?? makeScript(join(ROOT, ".build"), main, made);
	scripts.set(key, script);
	return script;
};
/** Length from which a file counts as contained; shorter ones have only constants, which minifying will inline. */
const CONTAINED = 300;

describe("The firmware's script", function () {
	this.timeout(120_000);
	let build = "";
	beforeEach(() => {
		build = mkdtempSync(join(tmpdir(), "gateway-script-"));
	});
	afterEach(() => rmSync(build, { recursive: true }));

	async function make(files: Record<string, string>): Promise<string> {
		for (const [name, text] of Object.entries(files)) {
			mkdirSync(dirname(join(build, name)), { recursive: true });
			writeFileSync(join(build, name), text);
		}
		return (await makeScript(build, "hosts/x/main")).text;
	}

	it("contains all that main imports, with inlined constants and without dead code; the SDK's modules stay separate", async () => {
		const text = await make({
			"modules/a/a.js": "export const LIMIT = 12;\nexport const UNUSED = 'nobody';\nexport class Idle {}\n",
			"hosts/x/main.js":
				'import Timer from "timer";\nimport config from "mc/config";\nimport { LIMIT } from "../../modules/a/a.js";\n' +
				"export default function main() { Timer.set(() => config.go(LIMIT), LIMIT); }\n",
		});
		const [, timer] = /import (\w+) from "timer";/.exec(text)!;
		const [, config] = /import (\w+) from "mc\/config";/.exec(text)!;
		const [, main] = /export \{ (\w+) as default \}/.exec(text)!;
		assert.ok(text.includes(`const ${main} = () => {\n\t${timer}.set(() => ${config}.go(12), 12);\n};`), text);
		assert.doesNotMatch(text, /nobody|Idle|LIMIT/);
	});

	it("keeps the form by which XS recognises calls of C", async () => {
		const face =
			'class Face extends Native("xs_face_destructor") {\n\tconstructor(a, b) {\n\t\tsuper();\n\t\t' +
			'native("xs_face").call(this, a, b);\n\t}\n\tput(bytes, ...more) {\n\t\treturn native("xs_face_put").call(this, bytes, ...more);\n\t}\n' +
			'\tend() {\n\t\tnative("xs_face_end").call(this);\n\t}\n}\n';
		const text = await make({
			"hosts/x/main.js": `${face}export default function main() { return new Face(1, 2).put(3).end(); }\n`,
		});
		assert.match(text, /class extends Native\("xs_face_destructor"\)/);
		assert.match(text, /constructor\((\w+), (\w+)\) \{\s+super\(\);\s+native\("xs_face"\)\.call\(this, \1, \2\);\s+\}/);
		assert.match(text, /\((\w+), \.\.\.(\w+)\) \{\s+return native\("xs_face_put"\)\.call\(this, \1, \.\.\.\2\);\s+\}/);
		assert.match(text, /\{\s+native\("xs_face_end"\)\.call\(this\);\s+\}/);
	});

	for (const [main, board] of [
		[MAIN, "esp32c3-devkitm"],
		["hosts/linux/main", ""],
		["test/hosts/portable/linux", ""],
	] as const)
		it(`can be made from ${main} as plain JavaScript`, async () => {
			const { text } = await scriptOf(main, board);
			assert.doesNotMatch(text, /\.#\w/);
			assert.match(text, /export \{ [\w$]+ as default \}/);
			const natives = text.match(/^.*\bnative\(.*/gm)!;
			assert.deepEqual(
				natives.filter((call) => !/^\s*(return )?native\("xs_\w+"\)\.call\(this(, (\.\.\.)?[\w$]+)*\);$/.test(call)),
				[],
			);
		});

	it("renames each of our names that the engine also has", () => {
		const script =
			"class A { take(from) { const { at, raw: b } = this; return { from, log: at, b }; } }\nnew A().take([1])?.from;\n'take';\n";
		assert.equal(
			withOwnNames(script),
			"class A { take_(from) { const { at_: at, raw_: b } = this; return { from_: from, log_: at, b }; } }\nnew A().take_([1])?.from_;\n'take';\n",
		);
		assert.throws(() => withOwnNames("Array.from('a');"), /from of the engine is used/);
	});

	it("does not rename a name that C uses", () => {
		const sources = ["esp32", "linux", "native"].flatMap((folder) =>
			readdirSync(join(ROOT, "hosts", folder))
				.filter((name) => name.endsWith(".c"))
				.map((name) => readFileSync(join(ROOT, "hosts", folder, name), "utf8")),
		);
		const usedNames = new Set(sources.flatMap((text) => [...text.matchAll(/\bxsID_(\w+)/g)].map(([, name]) => name)));
		assert.ok(usedNames.has("onUART"));
		assert.deepEqual(
			OWN_NAMES.filter((name) => usedNames.has(name)),
			[],
		);
	});

	it("contains every name by which C calls or reads something", async () => {
		const { text } = await scriptOf(MAIN, "slzb-06");
		for (const folder of ["esp32", "esp32/ethernet", "native"]) {
			const files = readdirSync(join(ROOT, "hosts", folder)).filter((name) => name.endsWith(".c"));
			for (const file of files)
				for (const [, name] of readFileSync(join(ROOT, "hosts", folder, file), "utf8").matchAll(/\bxsID_(\w+)/g))
					assert.match(text, new RegExp(`\\b${name}\\b`), `${folder}/${file}`);
		}
	});

	it("contains its own board only, and code for a radio and Ethernet only if the board has them", async function () {
		this.timeout(120_000);
		const [plain, radio] = [await scriptOf(MAIN, "esp32c3-devkitm"), await scriptOf(MAIN, "slzb-06")];
		const boardsIn = ({ text }: Script) =>
			BOARDS.filter(({ name }) => text.includes(`"${name}"`)).map(({ name }) => name);
		assert.deepEqual([boardsIn(plain), boardsIn(radio)], [["esp32c3-devkitm"], ["slzb-06"]]);
		// The lengths are from before minifying, so they still contain constants and tables that will be inlined.
		const more = [...radio.lengths]
			.filter(([file, length]) => length - (plain.lengths.get(file) ?? 0) > CONTAINED)
			.map(([file]) => file);
		const bridge = readdirSync(join(ROOT, "modules", "zigbee")).filter((name) => !/^(mt|radio)\.ts$/.test(name));
		assert.deepEqual(more.sort(), [
			"hosts/esp32/coprocessor.ts",
			"hosts/esp32/ethernet.ts",
			"modules/network/cable.ts",
			...["bridge-part", "status", "zigbee"].map((name) => `modules/parts/zigbee/${name}.ts`),
			...bridge.map((name) => `modules/zigbee/${name}`),
		]);
		for (const word of ["zb_reports", "zb_leave", "zb_ota", "parent_lost", "Z-Stack"])
			assert.deepEqual(
				[plain, radio].map(({ text }) => text.includes(word)),
				[false, true],
				word,
			);
		assert.deepEqual(
			[plain, radio].map(({ text }) => text.includes("xs_power_output")),
			[false, true],
		);
		assert.deepEqual(
			[plain, radio].map(({ text }) => text.includes("xs_ethernet")),
			[false, true],
		);
		for (const { text } of [plain, radio])
			assert.doesNotMatch(text, /gateway\/board|HAS_RADIO|HAS_ETHERNET|partitions-/);
	});

	it("contains only stand-ins of parts and protocols that are left out, and nothing of stand-ins otherwise", async () => {
		const [small, whole] = await Promise.all([
			scriptOf(MAIN, "slzb-06", Object.keys(OMISSIONS)),
			scriptOf(MAIN, "slzb-06"),
		]);
		const paths = Object.values(OMISSIONS)
			.flat()
			.filter((path) => !/^modules\/(app|cosem|meter|parts\/(hub|meter|update))\//.test(path));
		const folders = [...new Set(paths)].map((path) => posix.dirname(path));
		const theirs = ({ lengths }: Script) =>
			[...lengths]
				.filter(([file, length]) => length > 0 && folders.some((folder) => file.startsWith(`${folder}/`)))
				.filter(([file, length]) => length > CONTAINED || /absent/.test(file))
				.map(([file]) => file);
		assert.deepEqual(theirs(small).sort(), [
			"modules/amis/absent-protocol.ts",
			"modules/kmp/absent-protocol.ts",
			"modules/mbus/absent-protocol.ts",
			// DLMS push over M-Bus uses this file.
			"modules/mbus/frames.ts",
			"modules/parts/backfill/absent-part.ts",
			"modules/parts/hawkbit/absent-part.ts",
			"modules/parts/live-meter/absent-part.ts",
			"modules/parts/mbus/absent-part.ts",
			"modules/parts/mqtt/absent-part.ts",
			"modules/parts/peaks/absent-part.ts",
			"modules/parts/prices/absent-part.ts",
			"modules/parts/prices/absent-present-price.ts",
			"modules/parts/provision/absent-part.ts",
			"modules/sml/absent-protocol.ts",
			"modules/tic/absent-protocol.ts",
		]);
		assert.ok([...whole.lengths].every(([file, length]) => length < CONTAINED || !/absent|without/.test(file)));
		const holders = (word: string) => [whole, small].map(({ text }) => text.includes(word));
		for (const word of ["discovery_prefix", "ecotracker", "import_micro", "IMPROV", "zb_reports"])
			assert.deepEqual(holders(word), [true, false], word);
		assert.deepEqual(holders("protocol/absent"), [false, true]);
	});

	it("takes settings files by the console only with both parts", async () => {
		const takes = async (...without: string[]) => (await scriptOf(MAIN, "slzb-06", without)).text.includes('"waits"');
		assert.deepEqual([await takes(), await takes("improv"), await takes("provision")], [true, false, false]);
	});

	it("contains code that several parts share as long as one of them is included", async () => {
		const shared = "modules/websocket/frames.ts";
		const lengthWithout = async (...names: string[]) =>
			(await scriptOf(MAIN, "slzb-06", names)).lengths.get(shared) ?? 0;
		assert.ok((await lengthWithout("statistics")) > CONTAINED);
		assert.equal(await lengthWithout(...Object.keys(OMISSIONS)), 0);
	});

	it("reports the length of each file's text", async () => {
		await make({
			"modules/a/a.js": "export function a() { return Math.max(1, 2, 3) + Math.min(4, 5, 6); }\n",
			"hosts/x/main.js": 'import { a } from "../../modules/a/a.js";\nexport default function main() { return a(); }\n',
		});
		const { lengths } = await makeScript(build, "hosts/x/main");
		assert.deepEqual([...lengths.keys()].sort(), ["hosts/x/main.ts", "modules/a/a.ts"]);
		assert.ok(lengths.get("modules/a/a.ts")! > lengths.get("hosts/x/main.ts")!);
	});

	it("is rejected if an import can't be resolved, or is one of Node's", async () => {
		await assert.rejects(make({ "hosts/x/main.js": 'import "./gone.js";\n' }));
		await assert.rejects(make({ "hosts/x/main.js": 'import { a } from "./b.js";\na();\n', "hosts/x/b.js": "" }));
		await assert.rejects(
			make({ "hosts/x/main.js": 'import { readFileSync } from "node:fs";\nreadFileSync("x");\n' }),
			/node:fs/,
		);
	});
});

describe("Private fields in the firmware", () => {
	it("become plain fields everywhere, and nothing else changes", () => {
		// biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is in the script
		const text =
			"/* ä 😀 #text */ class A { #x = 1; static #y = `#x ${A.#y}`; get(o) { return this.#x + o?.#x + '#x' + /#x/.source; } }\n";
		const plain =
			"/* ä 😀 #text */ class A { $0 = 1; static $1 = `#x ${A.$1}`; get(o) { return this.$0 + o?.$0 + '#x' + /#x/.source; } }\n";
		// biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is in the script
		assert.equal(withPlainFields(text), plain);
	});

	it("share the same few names in all classes, except with a base class", () => {
		const text =
			"class A { #x = 1; }\nclass B extends C { #x = 1; #y = 2; }\nvar C = class { #y = 1; #z = 2; };\n" +
			"class D extends Native('d') { #x = 1; }\nclass E extends B { f() { return this.g; } }\nclass F extends E { #x = 1; }\n";
		const plain =
			"class A { $0 = 1; }\nclass B extends C { $2 = 1; $3 = 2; }\nvar C = class { $0 = 1; $1 = 2; };\n" +
			"class D extends Native('d') { $0 = 1; }\nclass E extends B { f() { return this.g; } }\nclass F extends E { $4 = 1; }\n";
		assert.equal(withPlainFields(text), plain);
	});

	it("lose a declaration without a value, because the first assignment creates the field", () => {
		const text = "class A { #x; y; static #z; static w; constructor(a) { this.#x = a; this.y = A.#z; } }";
		const plain = "class A {   static $1; static w; constructor(a) { this.$0 = a; this.y = A.$1; } }";
		assert.equal(withPlainFields(text), plain);
	});

	it("belong to the innermost class that declares them", () => {
		const text =
			"class A { #x = 1; #y = 2; f() { return class B { #z = 1; #y = 2; g(a) { return a.#x + this.#y + this.#z; } }; } h() { return this.#y; } }";
		const plain =
			"class A { $0 = 1; $1 = 2; f() { return class B { $0 = 1; $1 = 2; g(a) { return a.$0 + this.$1 + this.$0; } }; } h() { return this.$1; } }";
		assert.equal(withPlainFields(text), plain);
	});

	for (const [what, text, message] of [
		[
			"a class whose base class is an expression",
			"class B extends make() { #x = 1; }",
			/#x: the base class is unknown/,
		],
		["a class that extends an unknown one", "class B extends Stranger { #x = 1; }", /#x: the base class is unknown/],
		["two classes of the same name", "class A {}\n{ class A { #x; } }", /Two classes are called A/],
		["a test of the name with `in`", "class A { #x; static is(o) { return #x in o; } }", /#x in/],
		["a field that exists already", "class A { #x = 1; $0 = 2; }", /would become \$0, which/],
		["a text that may be a name", 'class A { #x = 1; get() { return this["$0"]; } }', /would become \$0, which/],
	] as [string, string, RegExp][])
		it(`are rejected with ${what}`, () => {
			assert.throws(() => withPlainFields(text), message);
		});
});

describe("Fields in the firmware", () => {
	it("are assigned at the start of the constructor, where their initial values keep their meaning", async () => {
		const script = "class A { $0 = 1; $1 = f(b); constructor(b) { this.$2 = b; } }";
		const assigned = await withAssignedFields(script);
		const [first, second, third] = [...assigned.matchAll(/this\.(\$\d = .*);/g)].map(([, text]) => text);
		assert.deepEqual([first, second], ["$0 = 1", "$1 = f(b)"]);
		const [, parameter] = /constructor\((\w+)\)/.exec(assigned)!;
		assert.notEqual(parameter, "b");
		assert.equal(third, `$2 = ${parameter}`);
	});

	it("are assigned after super(), even if the class has no constructor", async () => {
		const script =
			"class A { $0 = 1; } class B extends A { $1 = 2; } class C extends A { $1 = 3; constructor() { g(); super(); h(); } }";
		const assigned = (await withAssignedFields(script)).replace(/\s+/g, " ");
		assert.match(assigned, /class A \{ constructor\(\) \{ this\.\$0 = 1; \} \}/);
		assert.match(assigned, /super\(\.\.\.\w+\); this\.\$1 = 2;/);
		assert.match(assigned, /g\(\); super\(\); this\.\$1 = 3; h\(\);/);
	});

	it("are declared in no class", async () => {
		const { text } = await scriptOf(MAIN, "slzb-06");
		assert.doesNotMatch(text, /^\t+\$\d+( = .*)?;$/m);
	});

	it("are rejected if the script is not JavaScript", async () => {
		await assert.rejects(withAssignedFields("class A { $0 = ; }"));
	});
});

describe("Methods of the firmware", () => {
	for (const [what, before, after] of [
		[
			"become private if only their class uses them, by `this`",
			"class A { f(a) { return this.g() + this.h; } g() {} get h() { return 1; } static s() {} }",
			"class A { f(a) { return this.#g() + this.#h; } #g() {} get #h() { return 1; } static s() {} }",
		],
		["stay public if others call them", "class A { a() { this.b(); } b() {} }\nx.b();", ""],
		[
			"stay public if another class has one of the same name",
			"class A { a() { this.b(); } }\nclass B extends A { b() {} }",
			"",
		],
		["stay public if they are also called on another object", "class A { a(o) { this.b(); o.b(); } b() {} }", ""],
		[
			"stay public if their name is also a text or a property",
			"class A { b() { this.b(); } c() { this.c(); } }\nx = { b: 1, y: 'c' };",
			"",
		],
		[
			"stay public if the class has a private field of the name",
			"class A { #b; b() { return this.b() + this.#b; } }",
			"",
		],
		[
			"stay public if the engine calls them",
			"class A { toString() { return this.next(); } next() { return this.then(); } then() {} }",
			"",
		],
		["stay public if the script never calls them", "class A { onButton() {} }", "class A { onButton() {} }"],
	])
		it(what, () => assert.equal(withOwnMethods(before), after || before));
});

describe("Variables of the firmware", () => {
	for (const [what, before, after] of [
		["get the names of properties", "const a = (b) => b.one + b.two;", "const one = (two) => two.one + two.two;"],
		[
			"keep the keys of object patterns and literals",
			"const a = ({ b, c = 1 }, [d]) => ({ b, d, one: c, two: 2 });",
			"const b = ({ b: c, c: d = 1 }, [one]) => ({ b: c, d: one, one: d, two: 2 });",
		],
		[
			"get no keywords and no names of the engine",
			"import a from 'x';\nclass b { delete() { a.Math(c, native(1)); } get() {} }\nexport { b as default };",
			"import get from 'x';\nclass b { delete() { get.Math(c, native(1)); } get() {} }\nexport { b as default };",
		],
		[
			"with the same name in nested scopes get the same new name",
			"const a = (b) => { try { b.x(); } catch (b) { b.y(); } };",
			"const x = (y) => { try { y.x(); } catch (y) { y.y(); } };",
		],
	])
		it(what, () => assert.equal(withNamesOfProperties(before), after));

	it("share names in separate scopes", async () => {
		const text = await withShortNames(
			"export const total = (first) => first.size;\nexport const other = (second) => second.size;\n",
		);
		assert.equal(/\((\w+)\) => \1\.size/.exec(text)?.[1], /.*\((\w+)\) => \1\.size/s.exec(text)?.[1]);
	});
});

describe("Functions of the firmware", () => {
	for (const [before, after] of [
		[
			'import a from "a";\na.b = c(1);\nfunction c(d, { e } = {}) { return d; }\n',
			'import a from "a";\nconst c = (d, { e } = {}) => { return d; };\na.b = c(1);\n\n',
		],
		["async function f(...a) { await 1; }", "const f = async (...a) => { await 1; };\n"],
		[
			"function f() { return class { a = this; b() { return this; } }; }",
			"const f = () => { return class { a = this; b() { return this; } }; };\n",
		],
		[
			"function f() { return function () { return this; }; }",
			"const f = () => { return function () { return this; }; };\n",
		],
		["function f() { return this; }", "function f() { return this; }"],
		["function f() { return () => arguments; }", "function f() { return () => arguments; }"],
		["function f() { return new.target; }", "function f() { return new.target; }"],
		["function* f() { yield 1; }", "function* f() { yield 1; }"],
		["export { f as default };\nfunction f() {}", "const f = () => {};\nexport { f as default };\n"],
	])
		it(`become arrow functions at the top if possible: ${before.replaceAll("\n", " ")}`, () =>
			assert.equal(withArrows(before), after));
});

describe("Changes that the minifier makes for browsers", () => {
	for (const [before, after] of [
		["a = !0; b = !1; c = !d;", "a = true; b = false; c = !d;"],
		["function f() { let a = 1; return () => a; }", "function f() { const a = 1; return () => a; }"],
		["function f() { let { a, b: [c] } = g(); }", "function f() { const { a, b: [c] } = g(); }"],
		["function f() { let a = 1, b = 2; b++; }", "function f() { let a = 1, b = 2; b++; }"],
		["function f() { let a; let b = 1; [b] = g(); }", "function f() { let a; let b = 1; [b] = g(); }"],
		["for (let i = 0; i < 9; i++) g(i);", "for (let i = 0; i < 9; i++) g(i);"],
		["function f() { let a = 1; for (a of g()); }", "function f() { let a = 1; for (a of g()); }"],
		["function f() { let a = 1; { let a = 2; a = 3; } }", "function f() { let a = 1; { let a = 2; a = 3; } }"],
		["let a = 1;\nfunction f() { a = 2; }", "let a = 1;\nfunction f() { a = 2; }"],
		["let a = 1;\nfunction f() { let b = a; b.c = 2; }", "const a = 1;\nfunction f() { const b = a; b.c = 2; }"],
		["function f() { let a = 1; }\nfunction g() { a = 2; }", "function f() { const a = 1; }\nfunction g() { a = 2; }"],
	])
		it(`are reverted if this is safe: ${before.replace("\n", " ")}`, () =>
			assert.equal(revertBundlerChanges(before), after));
});

/**
 * Checks that no file contains a forbidden pattern. Each finding says where it is and what to do. To change a rule or
 * allow an exception, edit this file and give the reason.
 */
import assert from "node:assert/strict";
import { assertNone, MODULES, placeOf, SOURCE, type Source, sources, WRITTEN, XS } from "./tree.js";

/** All tests except compile.ts, which may skip a suite: it prints that a compiler or library is missing. */
const TESTS = /^test\/(?!hosts\/native\/compile).*\.ts$/;

interface PatternRule {
	/** The test's name. */
	name: string;
	/** Paths to which the rule applies. */
	files: RegExp;
	/** The forbidden pattern. */
	bad: RegExp;
	/** Whether comments are checked too. */
	comments: boolean;
	/** The replacement to suggest. */
	advice: string;
	/** Examples that the rule must reject. */
	catches: readonly string[];
}

const PATTERN_RULES: readonly PatternRule[] = [
	{
		name: "contains no note that something is still to be done",
		files: WRITTEN,
		bad: /\b(TODO|FIXME|XXX)\b|\b[Pp]laceholder(?!=)|\b[Nn]ot implemented\b|\b[Ff]or now\b/,
		comments: true,
		advice: "do it, or leave it out",
		catches: ["// TODO: later", "throw new Error('Not implemented')", "/* a placeholder */", "// good enough for now"],
	},
	{
		name: "begins comments with their subject",
		files: /^(modules|hosts|tools|test)\/.*\.(tsx?|mjs|c|h)$/,
		bad: /(?:\/\*\*?|\/\/|^\s*\*) (?:Of (?!course)|(?:Who|Whom|Whose|Whoever|What) (?![^.]*\?))/m,
		comments: true,
		advice: "name what it is: not 'Of the host.', but 'The host's clock.' (CONTRIBUTING, How we write)",
		catches: ["/** Of the host. */", "// Who waits gets the next one.", "/** What the host sends. */"],
	},
	{
		name: "begins sentences of documents with their subject",
		files: /^(docs\/.*|[A-Z]+)\.md$/,
		bad: /(?:^(?:\s*[-*] )?|[.:;] |\| )(?:Of (?!course)|Who(?:m|se|ever)? |What )(?![^.\n]*\?)/m,
		comments: true,
		advice: "name what it is: not 'Who has a broker', but 'If you have a broker' (CONTRIBUTING, How we write)",
		catches: ["Whoever has a broker makes a user.", "1. What arrives:", "It sleeps. Of the session nothing is left."],
	},
	{
		name: "names no folder of the machine that it was written on",
		files: WRITTEN,
		bad: /(?<![\w.~-])\/(?:home|mnt|opt|root|srv|tmp|Users|w[o]rk)\//,
		comments: true,
		advice: "use a path relative to the project, or os.tmpdir()",
		catches: ['readFileSync("/home/me/x")', "cd /srv/build"],
	},
	{
		name: "imports relative files by their .js name",
		files: /^(modules|hosts|tools|test)\/.*\.tsx?$/,
		bad: /\bfrom "\.[^"]*(?<!\.js|\?inline)"|\bimport\(?\s*"\.[^"]*(?<!\.js)"/,
		comments: false,
		advice: 'write "./name.js": neither Node nor XS looks for extensions',
		catches: ['import { a } from "./a";', 'import type { B } from "../b.ts";', 'import "./c.mjs";'],
	},
	{
		name: "imports nothing from outside in modules/",
		files: MODULES,
		bad: /\bfrom "[^."]|\bimport\(|^import "/m,
		comments: false,
		advice: "take it from the Host that is passed in; modules load statically",
		catches: ['import { readFileSync } from "node:fs";', 'const a = await import("./a.js");'],
	},
	{
		name: "re-exports nothing from another file",
		files: SOURCE,
		bad: /^export\s[^"'`;=()]*\sfrom\s/m,
		comments: false,
		advice: "import it where it is: barrels cost memory in XS and hide who uses what",
		catches: ['export * from "./a.js";', 'export { a, b } from "./a.js";', 'export type { A } from "./a.js";'],
	},
	{
		name: "keeps no state in modules/ outside instances",
		files: MODULES,
		bad: /^(export )?(let|var)\s/m,
		comments: false,
		advice: "make it a private field of a class that main creates: a module's variables lie in flash",
		catches: ["let count = 0;", "export let mode = 1;"],
	},
	{
		name: "imports names, not namespaces, where XS runs",
		files: XS,
		bad: /^import \* as /m,
		comments: false,
		advice: "import names: the namespace of a preloaded module takes RAM, and the SDK's linker warns about it",
		catches: ['import * as a from "./a.js";'],
	},
	{
		name: "freezes the tables of modules/",
		files: MODULES,
		bad: /^(export )?const \w+(: [^=]*)? = (\[|\{|new |\w+Array\.(of|from)\()/m,
		comments: false,
		advice: "wrap it in Object.freeze; a Map, Set or typed array belongs in an instance",
		catches: ["const NAMES = [1];", "export const SEEN: Set<number> = new Set();", "const A = Uint8Array.of(1);"],
	},
	{
		name: "does nothing while a module of modules/ loads",
		files: MODULES,
		bad: /^(?!(export|import|const|let|var|function|class|abstract|interface|type|declare|async)\b)[\w$([]/m,
		comments: false,
		advice: "move it into a function or constructor: preloaded modules are run at build time",
		catches: ["start();", "Foo.bar = 1;", "if (a) b();", "for (const a of b) c(a);"],
	},
	{
		name: "has no generator function at the top level of modules/",
		files: MODULES,
		bad: /^(export )?(default )?(async )?function\s?\*/m,
		comments: false,
		advice: "write a class or a loop: the prototype of a preloaded generator can't be frozen",
		catches: ["function* each() {}", "export function* each() {}"],
	},
	{
		name: "has no regular expressions where the firmware runs",
		files: /^(modules|hosts\/(native|simulated|linux|esp32))\/.*\.ts$/,
		bad: /(?:[=(,:!?&|]|return)\s*\/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[dgimsuvy]*(?=[\s.,;):])|\bRegExp\b/,
		comments: false,
		advice:
			"write a function (bytes/ascii.ts has hasOnly): the firmware is linked without XS's regular expressions, which need memory outside its heap",
		catches: ["if (/^a+$/.test(b)) c();", "const A = /[/]x/g;", "a.split(/[,:]/);", "new RegExp(a)"],
	},
	{
		name: "uses no built-in that adds kilobytes of the engine where the firmware runs",
		files: /^(modules|hosts\/(native|esp32))\/.*\.ts$/,
		bad: /\bnew Date\b|\bDate\.|\.(splice|shift|reduce|reduceRight|lastIndexOf|replaceAll|padEnd|padStart|sort|flatMap)\(|\.replace\(["'`]|\bparseInt\(|\bisSafeInteger\b|\bMath\.log|\b(Array|Uint8Array)\.from\(/,
		comments: false,
		advice:
			"time/date.ts, bytes/list.ts and loops do it: the build leaves out built-ins that nothing names (decision 137)",
		catches: ["new Date(0)", "Date.UTC(1, 2)", "a.splice(1, 2)", "Number.parseInt(a, 10)", 'a.replace("b", "")'],
	},
	{
		name: "changes the case of letters only with bytes/ascii.ts where the firmware runs",
		files: /^(modules|hosts\/(native|simulated|linux|esp32))\/.*\.ts$/,
		bad: /\.to(Lower|Upper)Case\b/,
		comments: false,
		advice: "write lowerCase(text): the built-in would add 12 KB of Unicode tables to the firmware",
		catches: ["a.toLowerCase()", "a.toUpperCase()"],
	},
	{
		name: "declares private fields with #, not with the keyword private",
		files: SOURCE,
		bad: /^\s*private\s(?!(get |set |async )?\w+\()/m,
		comments: false,
		advice: "write #name",
		catches: ["\tprivate count = 0;", "\tprivate readonly count = 0;"],
	},
	{
		name: "has no #private methods where XS runs",
		files: XS,
		bad: /^\s*(get |set |async )?#\w+\(/m,
		comments: false,
		advice: "write `private name()`: each #name() takes a slot of every instance in XS, a private one none",
		catches: ["\t#run(): void {", "\tget #z(): number {"],
	},
	{
		name: "leaves timers and the handling of exceptions to the driver",
		files: /^modules\/(?!io\/(host|driver)\.ts|app\/gateway\.ts).*\.ts$/,
		bad: /\bTimers\b|\btimers\.(set|clear)\(/,
		comments: false,
		advice: "make it a machine: it gets nowMs, returns deadlineMs, and io/driver.ts calls it",
		catches: ["readonly timers: Timers;", "world.timers.set(run, 10);"],
	},
	{
		name: "takes time and random numbers from the host in modules/",
		files: MODULES,
		bad: /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/,
		comments: false,
		advice: "take a Clock or Crypto as argument: tests replace them, and a chip has no date before its clock is set",
		catches: ["Date.now()", "new Date()", "Math.random()"],
	},
	{
		name: "reads and writes JSON only with modules/json",
		files: MODULES,
		bad: /\bJSON\.(parse|stringify)\b/,
		comments: false,
		advice: "use JSONReader and JSONWriter: JSON.parse keeps the whole text and every unknown name in the chip's heap",
		catches: ["JSON.parse(body)"],
	},
	{
		name: "uses nothing that XS lacks in modules/",
		files: MODULES,
		bad: /\bIntl\.|\.toLocale\w+\(|\.normalize\(|\.localeCompare\(/,
		comments: false,
		advice: "there are no locales on the chip",
		catches: ["a.toLocaleString()", "new Intl.NumberFormat()"],
	},
	{
		name: "keeps captured vectors out of the firmware",
		files: /^(modules|hosts)\/|^manifest\.json$/,
		bad: /\bvectors\//,
		comments: false,
		advice: "the captures are for tests only; their licences don't permit them in the firmware",
		catches: ['"data": ["./test/vectors/dlms/x"]'],
	},
	{
		name: "runs all of its tests",
		files: TESTS,
		bad: /\b(describe|it|context|specify|suite|test|this)\.(skip|only)\(|\bx(it|describe)\(/,
		comments: false,
		advice: "repair the test, or delete it",
		catches: ['it.only("a", () => {});', 'describe.skip("b", () => {});', "this.skip();"],
	},
];

/** Places of the pattern in the file, each with the advice. */
function findMatches(rule: PatternRule, source: Source): string[] {
	const everywhere = new RegExp(rule.bad, `${rule.bad.flags}g`);
	const text = rule.comments ? source.text : source.code;
	return [...text.matchAll(everywhere)].map(
		(match) => `${placeOf(source, match.index)}: \`${match[0].trim()}\`: ${rule.advice}`,
	);
}

describe("tidy: patterns", () => {
	for (const rule of PATTERN_RULES) {
		it(rule.name, () => {
			for (const text of rule.catches)
				assert.notDeepEqual(findMatches(rule, { path: "example", text, code: text }), [], `finds nothing in: ${text}`);
			assertNone(
				sources.filter((source) => rule.files.test(source.path)).flatMap((source) => findMatches(rule, source)),
			);
		});
	}
});

/**
 * Checks the project's rules in the whole tree. Each finding says where it is and what to do. To change a rule or allow
 * an exception, edit this file and give the reason.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** This file, which the rules skip because it contains what they forbid. */
const SELF = "test/tidy.test.ts";

const TOP_LEVEL = [
	"ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE NOTICE README.md SECURITY.md biome.json manifest.json package-lock.json package.json tsconfig.json",
	"docs hosts modules node_modules test tools",
]
	.join(" ")
	.split(" ");

/** Folders of test/ beside those that mirror modules/. */
const TEST_FOLDERS = ["hosts", "tools", "vectors", "system", "browser", "peers", "emulated", "fuzz"];

/** The guide that quotes messages of programs. */
const GUIDE = "docs/troubleshooting.md";
/** Commits after this one have subjects of the agreed form. */
const AGREED = "f8f02554c5c8ec1f7e668a3f08ed6dd725b592cc";
/** End of several messages of tools/, which insert it. */
const ADVICE = "npm run doctor says how to get it.";

/**
 * Licences whose vectors may be among our own; vectors with any other licence, or none, belong in the folder with the
 * NOTICE.
 */
const PERMISSIVE = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "CC0-1.0", "Unlicense"];
const RESTRICTED = "test/vectors/restricted/";

/**
 * Permitted imports between rooms. A room is a folder of modules/, a host, or tools; in `io` each file is a separate
 * room, because most rooms may know the types but not the driver. A room may import itself. "*" is everything in
 * modules/.
 */
const IMPORTS: readonly { rooms: string; from: string; why: string }[] = [
	{
		rooms: "bytes product without io/crypto io/wifi io/client io/flash io/memory",
		from: "",
		why: "the ground that all others stand on",
	},
	{
		rooms: "io/host",
		from: "io/crypto io/wifi io/ethernet io/client io/flash io/memory",
		why: "cryptography, radio, Ethernet, clients, flash and memory are parts of it",
	},
	{ rooms: "io/ethernet", from: "io/wifi", why: "a static address is the same on both" },
	{ rooms: "io/machine", from: "io/host", why: "an output names the format of the line" },
	{ rooms: "io/driver", from: "io/host io/machine", why: "the one clock, timer and guard that all machines have" },
	{
		rooms: "io/link",
		from: "bytes io/host io/machine io/driver",
		why: "runs a machine on a port; makes parity in software",
	},
	{ rooms: "io/datagrams", from: "io/host io/machine io/driver", why: "the same for UDP" },
	{ rooms: "obis", from: "bytes", why: "codes, their names, and what they are mapped to are plain data" },
	{
		rooms: "readout",
		from: "bytes obis io/crypto io/host io/machine",
		why: "what a readout is made of belongs to no protocol",
	},
	{
		rooms: "hdlc dlms sml tic mbus kmp",
		from: "bytes obis io/host io/machine readout",
		why: "protocols never know each other",
	},
	{
		rooms: "iec62056-21",
		from: "bytes obis io/host io/machine readout time",
		why: "as the others; a profile is asked for from a time on",
	},
	{
		rooms: "cosem",
		from: "bytes obis io/crypto io/host io/machine io/link readout iec62056-21 hdlc dlms mbus time",
		why: "puts the layers of DLMS/COSEM together: sign-on, HDLC or M-Bus, association, objects",
	},
	{
		rooms: "json config time auth",
		from: "bytes io/crypto io/host io/machine",
		why: "each does one thing; what it needs of another is passed in",
	},
	{
		rooms: "hpke",
		from: "io/crypto io/host",
		why: "seals for whoever has the private key, over the host's cryptography",
	},
	{ rooms: "diagnostics", from: "bytes io/host io/flash", why: "events in memory and flash; others tell of them" },
	{
		rooms: "http",
		from: "bytes io/crypto io/host io/client io/machine io/driver io/memory",
		why: "it hands itself to the driver, and a connection takes memory",
	},
	{
		rooms: "meter",
		from: "bytes without obis io/crypto io/host io/machine io/driver io/link io/memory readout iec62056-21 hdlc cosem sml tic kmp mbus time",
		why: "decides when which conversation is held, and keeps what was read",
	},
	{
		rooms: "live-meter",
		from: "bytes io/host json readout config fields",
		why: "turns what was read into the messages of other meters; its service asks the gateway",
	},
	{
		rooms: "history",
		from: "bytes obis io/host io/flash io/machine io/driver io/memory readout time",
		why: "takes what was read, and has its own place in flash; the zone is passed in",
	},
	{ rooms: "prices", from: "bytes time", why: "how prices are stored, each from a day on" },
	{
		rooms: "peaks",
		from: "io/host io/machine io/driver io/memory readout time history live-meter",
		why: "means of intervals from what was read, and from the history after a start",
	},
	{
		rooms: "wifi dns sntp",
		from: "bytes product io/crypto io/host io/wifi io/ethernet io/machine io/driver io/datagrams",
		why: "they decide what is done with what the host gives",
	},
	{
		rooms: "power",
		from: "bytes io/host io/flash io/machine io/driver",
		why: "button, light, supply, sleep; and flash, which empty cells shut",
	},
	{
		rooms: "fields",
		from: "bytes config diagnostics io/crypto obis dlms prices",
		why: "settings and events of a part: what they are called, what they may be",
	},
	{
		rooms: "improv",
		from: "product io/host io/machine io/driver wifi config fields features",
		why: "sets Wi-Fi by the console, as the API does by the network",
	},
	{
		rooms: "publish",
		from: "bytes obis io/crypto io/host io/client io/driver io/memory json readout config power time",
		why: "what is sent out, and all that outputs have in common, but transport and format",
	},
	{
		rooms: "homeassistant mqtt",
		from: "bytes product obis io/crypto io/host io/client io/machine io/driver io/memory json http readout publish config fields time power",
		why: "they send it, with the time of it and the battery; http lends them its client",
	},
	{
		rooms: "ota",
		from: "io/host io/crypto io/client io/flash io/machine io/driver io/memory http config fields publish power diagnostics",
		why: "takes a firmware file from whoever sends it, looks whether there is a newer one; the log tells what came of it",
	},
	{
		rooms: "zigbee",
		from: "bytes obis io/host io/flash io/machine readout ota time",
		why: "the bridge is one machine for the link; what it needs of the gateway is passed in, but the installer of firmware",
	},
	{
		rooms: "core",
		from: "bytes io/crypto io/driver io/flash io/host io/memory json config diagnostics power publish readout time",
		why: "what all parts share; it knows none of them",
	},
	{
		rooms: "api",
		from: "core bytes io/crypto io/host io/memory json http auth config",
		why: "the kit of all routes; it knows no part",
	},
	{ rooms: "part", from: "api config core diagnostics", why: "what a part is" },
	{ rooms: "absent", from: "part api config core http io/host", why: "what is left of a part that is left out" },
	{
		rooms: "features certificate system parts",
		from: "*",
		why: "settings, routes and wiring of the parts: each in its folder, over what is below, and over other parts by name",
	},
	{ rooms: "app", from: "*", why: "the gateway: what all parts share, and what happens to all" },
	{ rooms: "hosts/browser", from: "product", why: "the page is no firmware: it knows the gateway by its API only" },
	{
		rooms: "hosts/native",
		from: "bytes io/crypto io/host io/client io/flash io/memory",
		why: "what the hosts in XS share: faces of C and of the SDK",
	},
	{
		rooms: "hosts/simulated",
		from: "bytes io/crypto io/host io/wifi io/ethernet io/client io/flash",
		why: "what hosts without the hardware put in its place",
	},
	{
		rooms: "hosts/node hosts/linux hosts/esp32",
		from: "bytes io/crypto io/host io/wifi io/ethernet io/client io/flash io/memory io/machine io/link wifi app part features hosts/native hosts/simulated",
		why: "a host gives a world to the gateway and knows no other host",
	},
	{ rooms: "tools", from: "* hosts/node hosts/simulated hosts/esp32 hosts/browser", why: "programs for developers" },
	{
		rooms: "test",
		from: "* hosts/node hosts/native hosts/simulated hosts/linux hosts/esp32 hosts/browser tools",
		why: "tests look at everything",
	},
];

/** Files that connect a folder to the gateway's parts; the folder's other files know nothing of parts. */
const FEATURE =
	/^modules\/([\w-]+\/(routes\/.*|routes|(\w+-)?part)|auth\/(access|settings)|meter\/(metering|report|state|\w+-store|schedule-settings)|live-meter\/(live-meter|live-service|rpc)|ota\/(firmware|trial)|peaks\/peaks|publish\/(outlet|send-route)|wifi\/(networking|services|settings)|zigbee\/(zigbee|status))\.ts$/;

/** Sources of the gateway. */
const MODULES = /^modules\/.*\.ts$/;
const SHIPPED = /^(modules|hosts|tools)\/.*\.(tsx?|mjs)$/;
const SOURCE = /^(modules|hosts|tools|test)\/.*\.(tsx?|mjs)$/;
const WRITTEN = /\.(tsx?|mjs|md|json|sh|c|h|css|html)$|^\.ci\//;
/** Sources of the firmware, which run in XS. */
const XS = /^(modules\/|hosts\/(node\/worker|native|simulated|linux|esp32)\/).*\.ts$/;
/** All tests, except the file that skips suites without a compiler or a library, and prints this. */
const TESTS = /^test\/(?!hosts\/native\/compile).*\.ts$/;
/** Modules of the Moddable SDK, which is not an npm package. */
const SDK_MODULES = [
	"Resource",
	"timer",
	"text/decoder",
	"text/encoder",
	"mc/config",
	"gateway/board",
	"gateway/release",
];

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
	/** Examples in which the rule must find something. */
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
		advice: "make it a private field of the class that main creates: modules lie in flash",
		catches: ["let count = 0;", "export let mode = 1;"],
	},
	{
		name: "imports names, not namespaces, where XS runs",
		files: XS,
		bad: /^import \* as /m,
		comments: false,
		advice: "name what you use: the namespace of a preloaded module takes RAM, and the SDK's linker warns of it",
		catches: ['import * as a from "./a.js";'],
	},
	{
		name: "freezes the tables of modules/",
		files: MODULES,
		bad: /^(export )?const \w+(: [^=]*)? = (\[|\{|new |\w+Array\.(of|from)\()/m,
		comments: false,
		advice: "wrap it in Object.freeze; Map, Set and typed arrays belong into an instance",
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
			"write a function (bytes/ascii.ts has hasOnly): XS runs them outside its heap, and the firmware is linked without",
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
		name: "changes the case of letters only by bytes/ascii.ts where the firmware runs",
		files: /^(modules|hosts\/(native|simulated|linux|esp32))\/.*\.ts$/,
		bad: /\.to(Lower|Upper)Case\b/,
		comments: false,
		advice: "write lowerCase(text): what no module names is not linked, and this has 12 KB of Unicode's tables",
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
		advice: "be a machine: take nowMs, tell deadlineMs, and let io/driver.ts call",
		catches: ["readonly timers: Timers;", "world.timers.set(run, 10);"],
	},
	{
		name: "takes time and random numbers from the host in modules/",
		files: MODULES,
		bad: /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/,
		comments: false,
		advice: "take a Clock or Crypto: tests set them, and a chip has no Date before its clock is set",
		catches: ["Date.now()", "new Date()", "Math.random()"],
	},
	{
		name: "reads and writes JSON only by modules/json",
		files: MODULES,
		bad: /\bJSON\.(parse|stringify)\b/,
		comments: false,
		advice: "use JSONReader and JSONWriter: whole texts and strangers' names fill the heap of the chip",
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
		advice: "the captures are for tests; their licences don't let them into the firmware",
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

interface Source {
	path: string;
	text: string;
	/** The text with comments replaced by blanks, so that positions stay the same. */
	code: string;
}

/** Every file of the project, by its path from the root with "/". */
function listFiles(folder = ""): string[] {
	return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = posix.join(folder, entry.name);
		if (!entry.isDirectory()) return [path];
		if (entry.name === "node_modules" || (entry.name.startsWith(".") && entry.name !== ".ci")) return [];
		return listFiles(path);
	});
}

function withoutComments(text: string): string {
	const tokens = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
	return text.replace(tokens, (token) => (token.startsWith("/") ? token.replace(/[^\n]/g, " ") : token));
}

function at(source: Source, index: number): string {
	return `${source.path}:${source.text.slice(0, index).split("\n").length}`;
}

/** Places of the pattern in the file, each with the advice. */
function find(rule: PatternRule, source: Source): string[] {
	const everywhere = new RegExp(rule.bad, `${rule.bad.flags}g`);
	const text = rule.comments ? source.text : source.code;
	return [...text.matchAll(everywhere)].map(
		(match) => `${at(source, match.index)}: \`${match[0].trim()}\`: ${rule.advice}`,
	);
}

/**
 * Whether a document's link leads to an existing file and, if it names one, to an existing heading, in the form of
 * GitHub's anchors.
 */
function isThere(path: string, link: string): boolean {
	const file = join(ROOT, path);
	if (!existsSync(file)) return false;
	const [, heading] = link.split("#");
	if (heading === undefined) return true;
	const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
		title
			.toLowerCase()
			.replace(/[^\w\- ]/g, "")
			.replaceAll(" ", "-"),
	);
	return headings.includes(heading);
}

/**
 * Numbers of decisions that a text cites, as in "decision 7" and "decisions 4, 8 to 16", also across lines of a
 * comment.
 */
function citedDecisions(text: string): number[] {
	const lines = text.replace(/\n[\s*/]*/g, " ");
	return [...lines.matchAll(/\bdecisions? (\d+(?:(?:,| to| and| or|, and) \d+)*)/gi)].flatMap(([, list]) =>
		list.split(/, and |, | and | or /).flatMap((one) => {
			const [first, last = first] = one.split(" to ").map(Number);
			return Array.from({ length: last - first + 1 }, (_, index) => first + index);
		}),
	);
}

/** Subjects of the commits after AGREED, without merges; empty without git or its history. */
function newSubjects(): string[] {
	const args = ["log", "--no-merges", "--format=%s", `${AGREED}..HEAD`];
	const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
	return status === 0 ? stdout.split("\n").filter((subject) => subject !== "") : [];
}

function isAgreed(subject: string): boolean {
	return subject.length <= 72 && /^(Revert "|[a-z][\w./-]*(, [a-z][\w./-]*)*: \S)/.test(subject);
}

function none(findings: readonly string[]): void {
	assert.ok(findings.length === 0, `\n${findings.join("\n")}`);
}

/** The room that a file belongs to; undefined for a file outside of all rooms. */
function roomOf(path: string): string | undefined {
	const [top, second = "", third = ""] = path.split("/");
	if (top === "tools" || top === "test") return top;
	if (top === "hosts") return `hosts/${second}`;
	if (top !== "modules") return undefined;
	if (third === "") return second.replace(/\.ts$/, "");
	if (/(fields|log-events)\.ts$/.test(third)) return "fields";
	if (FEATURE.test(path)) return "features";
	return second === "io" ? `io/${third.replace(/\.ts$/, "")}` : second;
}

function mayImport(room: string, target: string): boolean {
	const row = IMPORTS.find((candidate) => candidate.rooms.split(" ").includes(room));
	const allowed = row?.from.split(" ") ?? [];
	const isModule = target !== "tools" && target !== "test" && !target.startsWith("hosts/");
	return room === target || allowed.includes(target) || (allowed.includes("*") && isModule);
}

/** Import lines of a file: the imported name and the position. */
function importsOf(source: Source): { name: string; index: number }[] {
	const lines = /^(?:import|export)\s(?:[^"'`;=()]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
	return [...source.code.matchAll(lines)].map((match) => ({ name: match[1] ?? match[2], index: match.index }));
}

function checkImports(source: Source): string[] {
	const room = roomOf(source.path);
	if (room === undefined) return [];
	return importsOf(source).flatMap(({ name, index }) => {
		if (!name.startsWith(".")) return [];
		const target = roomOf(posix.join(posix.dirname(source.path), name).replace(/\.js$/, ".ts"));
		if (target !== undefined && mayImport(room, target)) return [];
		return [`${at(source, index)}: ${room} may not import ${target ?? name}: pass it in, or give IMPORTS a reason`];
	});
}

/** Findings for a vector: it must name its source and licence, and be in the folder for that licence. */
function checkOrigin(path: string, text: string): string[] {
	const [first, second = ""] = text.split("\n");
	if (!/^# source: \S/.test(first)) return [`${path}:1: begin with "# source: " and where it comes from`];
	const licence = /^# licence: (none stated|[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*)$/.exec(second)?.[1];
	if (licence === undefined) return [`${path}:2: write "# licence: " and its SPDX expression, or "none stated"`];
	const isPermissive = licence.split(/ (?:AND|OR) /).every((one) => PERMISSIVE.includes(one));
	if (isPermissive === !path.startsWith(RESTRICTED)) return [];
	return [
		`${path}: licence ${licence}: move it ${isPermissive ? "out of" : "to the folder of its protocol in"} ${RESTRICTED}`,
	];
}

/**
 * Files that import each other in a circle, types included, directly or through other files; each circle once, as a
 * path.
 */
function circlesIn(sources: readonly Source[]): string[] {
	const targets = new Map(
		sources.map((source) => {
			const names = importsOf(source).filter(({ name }) => name.startsWith("."));
			const files = names.map(({ name }) => posix.join(posix.dirname(source.path), name).replace(/\.js$/, ".ts"));
			return [source.path, files] as const;
		}),
	);
	const circles: string[] = [];
	const done = new Set<string>();
	const walk = (path: string, way: readonly string[]) => {
		if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" → "));
		else if (!done.has(path)) for (const next of targets.get(path) ?? []) walk(next, [...way, path]);
		done.add(path);
	};
	for (const path of targets.keys()) walk(path, []);
	return circles;
}

describe("tidy", () => {
	const paths = listFiles();
	const sources = paths
		.filter((path) => SOURCE.test(path) || WRITTEN.test(path))
		.filter((path) => path !== SELF && path !== "package-lock.json")
		.map((path): Source => {
			const text = readFileSync(join(ROOT, path), "utf8");
			return { path, text, code: SOURCE.test(path) ? withoutComments(text) : text };
		});
	const code = sources.filter((source) => SOURCE.test(source.path));
	const packages = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const pinned: Record<string, string> = Object.assign(
		{},
		...Object.keys(packages)
			.filter((key) => /ependencies$/.test(key))
			.map((key) => packages[key]),
	);

	for (const rule of PATTERN_RULES) {
		it(rule.name, () => {
			for (const text of rule.catches)
				assert.notDeepEqual(find(rule, { path: "example", text, code: text }), [], `finds nothing in: ${text}`);
			none(sources.filter((source) => rule.files.test(source.path)).flatMap((source) => find(rule, source)));
		});
	}

	it("lets each room import only what the table allows", () => {
		none(code.flatMap(checkImports));
	});

	it("has no protocol named in the meter reader", () => {
		const readers = /^modules\/meter\/(reader|probe|pending-reads)\.ts$/;
		const known = /\/(iec62056-21|hdlc|dlms|sml)\/|\/(dlms|simulator)[^/]*$/;
		const found = code.filter((source) => readers.test(source.path));
		assert.equal(found.length, 3);
		const advice = "ask the row of meter/protocols.ts: what is of one protocol is its own";
		none(
			found.flatMap((source) =>
				importsOf(source)
					.filter(({ name }) => known.test(name))
					.map(({ name, index }) => `${at(source, index)}: "${name}": ${advice}`),
			),
		);
	});

	it("detects an import that the table doesn't allow", () => {
		const check = (path: string, name: string) => {
			const text = `import type {\n\tA,\n} from "${name}";\n`;
			return checkImports({ path, text, code: text }).length;
		};
		assert.equal(check("modules/auth/x.ts", "../config/store.js"), 1);
		assert.equal(check("modules/auth/x.ts", "../bytes/hex.js"), 0);
		assert.equal(check("modules/hdlc/x.ts", "../dlms/axdr.js"), 1);
		assert.equal(check("modules/hdlc/x.ts", "../io/link.js"), 1);
		assert.equal(check("modules/app/x.ts", "../../hosts/node/host.js"), 1);
		assert.equal(check("modules/unheard/x.ts", "../bytes/hex.js"), 1);
		assert.equal(check("hosts/node/x.ts", "../linux/host.js"), 1);
		assert.equal(check("hosts/node/x.ts", "../../modules/http/server.js"), 1);
		assert.equal(check("tools/x.ts", "../test/x.js"), 1);
		assert.equal(check("tools/x.ts", "../hosts/node/host.js"), 0);
	});

	it("has no files in modules/ that import each other in a circle, types included", () => {
		none(
			circlesIn(code.filter(({ path }) => MODULES.test(path))).map((circle) => `${circle}: move out what both need`),
		);
	});

	it("detects a circle of imports", () => {
		const file = (path: string, name: string) => {
			const text = `import type { A } from "${name}";\n`;
			return { path, text, code: text };
		};
		const [a, b, c] = [
			file("modules/x/a.ts", "./b.js"),
			file("modules/x/b.ts", "../y/c.js"),
			file("modules/y/c.ts", "../x/a.js"),
		];
		assert.equal(circlesIn([a, b, c]).length, 1);
		assert.equal(circlesIn([a, b]).length, 0);
	});

	it("has a row of the import table for every room", () => {
		const known = IMPORTS.flatMap((row) => row.rooms.split(" "));
		const rooms = new Set(code.map((source) => roomOf(source.path)!));
		none([...rooms].filter((room) => !known.includes(room)).map((room) => `${room}: give it a row in IMPORTS`));
	});

	it("imports only packages that package.json names, and Node's own by node:", () => {
		none(
			code.flatMap((source) =>
				importsOf(source)
					.filter(({ name }) => !name.startsWith(".") && !name.startsWith("node:"))
					.filter(({ name }) => !(XS.test(source.path) && SDK_MODULES.includes(name)))
					.filter(({ name }) => !(name.match(/^(@[^/]+\/)?[^/]+/)![0] in pinned))
					.map(({ name, index }) => `${at(source, index)}: "${name}": add it to package.json, or write node:`),
			),
		);
	});

	it("pins every dependency to one version", () => {
		none(
			Object.entries(pinned)
				.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
				.map(([name, version]) => `package.json: ${name} ${version}: name one exact version`),
		);
	});

	it("says at the top of every file except tests what it is for", () => {
		none(
			code
				.filter(({ path }) => !path.endsWith(".test.ts"))
				.filter(({ text }) => !/^(#!.*\n)?\/\*\*\s/.test(text))
				.map(({ path }) => `${path}:1: begin with /** what it is, for whom, by which standard, with which limits */`),
		);
	});

	it("names files in kebab-case, and none of them index", () => {
		const inside = paths.filter((path) =>
			/^(modules|hosts|test|tools)\/.*\.(tsx?|mjs|js|html|css|tsv|bin|hex|txt)$/.test(path),
		);
		none(
			inside
				.filter(
					(path) =>
						!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(basename(path)) || /^index\.(ts|m?js)$/.test(basename(path)),
				)
				.map((path) => `${path}: name it in kebab-case after the one thing that it holds`),
		);
	});

	it("has only the agreed names at the top level", () => {
		none(
			readdirSync(ROOT)
				.filter((name) => !name.startsWith(".") && !TOP_LEVEL.includes(name))
				.map((name) => `${name}: find the room that it belongs in`),
		);
	});

	it("links in its documents only to existing files and headings", () => {
		const documents = paths.filter((path) => path.endsWith(".md") && !path.startsWith("test/vectors/"));
		none(
			documents.flatMap((path) => {
				const text = readFileSync(join(ROOT, path), "utf8");
				const links = [...text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map((match) => match[1] ?? match[2]);
				return links
					.filter((link) => !link.includes("://"))
					.filter((link) => !isThere(posix.join(posix.dirname(path), link.split("#")[0] || basename(path)), link))
					.map((link) => `${path}: ${link}: nothing is there`);
			}),
		);
	});

	it("gives reasons in comments, not numbers of decisions", () => {
		none(
			sources
				.filter(({ path }) => !path.endsWith(".md"))
				.flatMap(({ path, text }) =>
					citedDecisions(text).map((number) => `${path}: decision ${number}: say the reason in half a sentence`),
				),
		);
	});

	it("quotes in the troubleshooting guide only what a program prints", () => {
		const printed = sources
			.filter(({ path }) => SHIPPED.test(path))
			.map(({ text }) => text.replace(/\\(["'`])/g, "$1").replace(/\$\{IDF_ADVICE\}|\$\{advice\}/g, ADVICE))
			.join("\n");
		const quoted = [...readFileSync(join(ROOT, GUIDE), "utf8").matchAll(/^ *> (.*)$/gm)].map(([, line]) => line);
		assert.ok(quoted.length > 40);
		none(
			quoted.flatMap((line) =>
				line
					.split("…")
					.filter((part) => !printed.includes(part))
					.map((part) => `${GUIDE}: "${part}": no program prints this`),
			),
		);
	});

	it("detects the number of a decision in any form", () => {
		assert.deepEqual(citedDecisions("(API decision 7). Decisions 4, 8 to 10 and 39;"), [7, 4, 8, 9, 10, 39]);
		assert.deepEqual(citedDecisions("\t * (API decisions 41\n\t * and 44), decision\n// 2"), [41, 44, 2]);
	});

	it("has commits with subjects like `area: what changed`, of at most 72 characters", () => {
		none(newSubjects().filter((subject) => !isAgreed(subject)));
		assert.ok(isAgreed("docs, test: name what is meant in place of numbers"));
		assert.ok(!isAgreed("What nobody uses of dates is gone"));
		assert.ok(!isAgreed(`docs: ${"a".repeat(70)}`));
	});

	it("names the GitHub project of every vector in the list of licences", () => {
		const vectors = paths.filter((path) => path.startsWith("test/vectors/") && path.endsWith(".hex"));
		none(
			vectors.flatMap((path) => {
				const list = path.startsWith(RESTRICTED) ? `${RESTRICTED}NOTICE` : "test/vectors/README.md";
				const project = /^# source: .*?github\.com\/([^/\s]+\/[^/\s;,]+)/.exec(
					readFileSync(join(ROOT, path), "utf8"),
				)?.[1];
				if (project === undefined || readFileSync(join(ROOT, list), "utf8").includes(project)) return [];
				return [`${list}: name ${project}, the source of ${path}`];
			}),
		);
	});

	it("detects a vector without a licence or in the wrong folder", () => {
		const check = (path: string, ...lines: string[]) => checkOrigin(`test/vectors/${path}`, lines.join("\n")).length;
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: MIT AND Apache-2.0", "00"), 0);
		assert.equal(check("restricted/dlms/a.hex", "# source: x", "# licence: GPL-3.0-or-later"), 0);
		assert.equal(check("restricted/dlms/a.hex", "# source: x", "# licence: none stated"), 0);
		assert.equal(check("dlms/a.hex", "# source: ", "# licence: MIT"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "00"), 1);
		assert.equal(check("dlms/a.hex", "# source: x"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: none stated"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: MIT AND AGPL-3.0-only"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: BUSL-1.1"), 1);
		assert.equal(check("restricted/dlms/a.hex", "# source: x", "# licence: MIT"), 1);
	});

	it("keeps one level of folders in modules/, except for the routes of a part", () => {
		none(
			paths
				.filter((path) => /^modules\/\w[\w-]*\/(?!routes\/[^/]+$).*\//.test(path))
				.map((path) => `${path}: one folder is one room: move it up`),
		);
	});

	it("keeps tests in test/, in folders named like those of modules/", () => {
		const rooms = new Set(paths.filter((path) => path.startsWith("modules/")).map((path) => path.split("/")[1]));
		none([
			...paths
				.filter((path) => /\.test\.\w+$/.test(path) && !path.startsWith("test/"))
				.map((path) => `${path}: move it to test/, which mirrors the tree`),
			...paths
				.filter((path) => path.startsWith("test/") && path.split("/").length > 2)
				.filter((path) => !rooms.has(path.split("/")[1]) && !TEST_FOLDERS.includes(path.split("/")[1]))
				.map((path) => `${path}: name the folder after the folder of modules/ that is tested`),
		]);
	});

	it("keeps vectors as pairs, named by maker, model and content, with source and licence in the first lines", () => {
		const vectors = paths.filter(
			(path) =>
				path.startsWith("test/vectors/") && !/^test\/vectors\/(README\.md|restricted\/NOTICE|backups\/.*)$/.test(path),
		);
		none(
			vectors.flatMap((path) => {
				const findings: string[] = [];
				const stem = path.replace(/\.\w+$/, "");
				if (path.startsWith(RESTRICTED) && paths.includes(path.replace(RESTRICTED, "test/vectors/")))
					findings.push(`${path}: the same name stands outside ${RESTRICTED}: tests find vectors by name`);
				if (!/^[a-z0-9]+(-[a-z0-9]+){2,}\.(txt|hex|json)$/.test(basename(path)))
					findings.push(`${path}: name it <maker>-<model>-<what>.hex, .txt or .json`);
				if (path.endsWith(".json")) {
					if (!existsSync(join(ROOT, `${stem}.hex`)) && !existsSync(join(ROOT, `${stem}.txt`)))
						findings.push(`${path}: has no .hex or .txt beside it`);
					return findings;
				}
				if (!existsSync(join(ROOT, `${stem}.json`))) findings.push(`${path}: has no .json beside it`);
				return [...findings, ...checkOrigin(path, readFileSync(join(ROOT, path), "utf8"))];
			}),
		);
	});
});

/** JSON bodies that are valid, almost valid or invalid, derived from valid ones. */
import type { Mutator } from "./mutator.js";

export const BODIES: readonly Readonly<Record<string, unknown>>[] = [
	{ protocol: "iec62056" },
	{
		mode_d_enabled: false,
		mode_d_baudrate: 9600,
		baudrate_max: 4800,
		battery: false,
		mode_e_dlms: false,
		device_address: "12345678",
	},
	{ simulator_en: true, log_en: true },
	{ username: "admin", password: "label-password" },
	{ username: "admin", nonce: "0123456789abcdef0123456789abcdef", proof: "00".repeat(32) },
];

const NAMES = BODIES.flatMap((body) => Object.keys(body)).concat([
	"__proto__",
	"constructor",
	"",
	"x".repeat(700),
	"é",
]);

/** Values as JSON text, and some invalid texts. */
const VALUES: readonly string[] = [
	..."null true false 0 -0 -1 1 299 300 301 600 9600 19200 19201 1.5 3e2 9600.0 1e400 -1e-400 9007199254740993".split(
		" ",
	),
	..."01 +1 .5 1. 0x10 NaN Infinity tru nulll ' ' -".split(" "),
	"1".repeat(40),
	'""',
	'"9600"',
	'"admin"',
	'"dlms"',
	'"\\u0000"',
	'"\\ud83d\\ude00"',
	'"\\ud83d"',
	'"\\x"',
	'"é€😀"',
	'"a\nb"',
	`"${"7".repeat(32)}"`,
	`"${"7".repeat(33)}"`,
	`"${"z".repeat(600)}"`,
	"[]",
	"{}",
	"[1,[2,[3,[4,[5]]]]]",
	'{"a":{"b":{"c":{"d":{}}}}}',
	"[".repeat(600),
	"",
];
const BLANKS = ["", "", "", " ", "\t\r\n ", "\u00a0"];

/** The body, or another route's, as JSON with members changed, added, repeated, removed and moved. */
export function oddJSON(mutator: Mutator, body: Readonly<Record<string, unknown>>): string {
	const { random } = mutator;
	const members = Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]);
	for (let changes = random.below(4); changes > 0; changes--) {
		const at = random.below(members.length + 1);
		const value = mutator.pick(VALUES);
		if (random.oneIn(3)) members.splice(at, 0, [mutator.pick(NAMES), value]);
		else if (at < members.length && random.oneIn(4)) members.splice(at, 1);
		else if (at < members.length) members[at] = [members[at][0], value];
		else members.push([...(members[0] ?? ["x", "1"])]);
	}
	const blank = (): string => mutator.pick(BLANKS.slice(0, random.oneIn(10) ? 6 : 5));
	const text = members.map(([name, value]) => `${blank()}${oddName(mutator, name)}${blank()}:${blank()}${value}`);
	return random.oneIn(30) ? mutator.pick(VALUES) : `${blank()}{${text.join(",")}${blank()}}${blank()}`;
}

/** A name, sometimes with escapes. */
function oddName(mutator: Mutator, name: string): string {
	if (!mutator.random.oneIn(8)) return JSON.stringify(name);
	return `"${[...name].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
}

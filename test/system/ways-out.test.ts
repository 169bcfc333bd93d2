/**
 * The ways out of the gateway while a P1 meter or its telegram is not as usual. The tables of docs/behaviour.md are made
 * of what they show: `TABLES=1 npm test -- test/system/ways-out.test.ts` writes them.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tableOf } from "../../tools/energy.js";
import { START_UTC_MS } from "../api/virtual-gateway.js";
import { usedLitres, usedWh, type Values } from "./p1-feed.js";
import { type Booked, type Seen, type Shown, WaysOut } from "./ways-out.js";

const DOCUMENT = fileURLToPath(new URL("../../../docs/behaviour.md", import.meta.url));
const BEGIN = "<!-- ways out: made by TABLES=1 npm test -- test/system/ways-out.test.ts -->";
const END = "<!-- end -->";

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Time from the beginning of the first hour to that of the situation. */
const LEAD_MS = 10 * MINUTE_MS;
/** The clock of the gateway was set to whole seconds. */
const CLOCK_SLACK_S = 1;
/** Energy and gas that the meter counts between the edge of a period and the next telegram, Wh and litres. */
const SLACK = { energy: 10, gas: 1 };

/** Values are observed once after `begin`, and what is booked for all hours when the last situation has ended. */
interface Situation {
	readonly name: string;
	readonly hours: number;
	readonly begin: (out: WaysOut) => unknown;
	readonly end?: (out: WaysOut) => unknown;
	/** Time from `end` to the end of the last hour, ms. */
	readonly tailMs?: number;
	/** Time from `begin` until the values are observed. Default: until a telegram has reached all outputs. */
	readonly lastsMs?: number;
}

const USUAL = "as usual";
const SILENCE = "silence";

const SITUATIONS: readonly Situation[] = [
	{ name: "unset clock", hours: 1, begin: () => {}, end: (out) => out.setClock(), tailMs: 0 },
	{ name: USUAL, hours: 1, begin: () => {} },
	{
		name: SILENCE,
		hours: 2,
		begin: ({ feed }) => {
			feed.isOn = false;
		},
		lastsMs: 100 * MINUTE_MS,
	},
	{
		name: "return",
		hours: 1,
		begin: ({ feed }) => {
			feed.isOn = true;
		},
	},
	{
		name: "spike",
		hours: 1,
		begin: ({ feed }) => {
			feed.spikes = 1;
		},
	},
	{ name: "exchange", hours: 1, begin: (out) => out.feed.exchangeMeter(out.nowMs) },
	{
		name: "missing power",
		hours: 1,
		begin: ({ feed }) => {
			feed.lacks = "power";
		},
		end: ({ feed }) => {
			feed.lacks = "";
		},
	},
	{
		name: "missing counters",
		hours: 2,
		begin: ({ feed }) => {
			feed.lacks = "counters";
		},
		end: ({ feed }) => {
			feed.lacks = "";
		},
	},
	{
		name: "channel not read",
		hours: 1,
		begin: ({ feed }) => {
			feed.gasMeter = "unread";
		},
		end: ({ feed }) => {
			feed.gasMeter = "alive";
		},
	},
	{
		name: "channel stands still",
		hours: 5,
		begin: (out) => out.feed.replaceGasMeter(out.nowMs),
		// The old one counts as removed after three hours.
		lastsMs: 4 * HOUR_MS,
	},
];

const VALUES = ["power", "energy", "gas", "time"] as const;
type Value = (typeof VALUES)[number];
const TITLES: Readonly<Record<Value | "state", string>> = {
	power: "Power, 1.7.0",
	energy: "Energy, 1.8.1, or the total that it is part of",
	gas: "Gas, on M-Bus channel 1",
	time: "Time of the readout",
	state: "Whether the meter can be read",
};

/** The word for what is shown; `right` and `sent`: what is true and what the meter says; `before`: the last good value. */
function wordOf(
	shown: Shown,
	{ right, sent, before }: Record<"right" | "sent" | "before", number | undefined>,
	slack: number,
): string {
	if (shown === undefined) return "absent";
	if (shown === null) return "unknown";
	if (typeof shown === "string") return shown;
	const value = Math.round(shown);
	const isSame = (other: number | undefined) => other !== undefined && Math.abs(value - other) <= slack;
	if (isSame(right)) return "value";
	if (isSame(before)) return "kept";
	return isSame(sent) ? "raw" : `untrue: ${shown}`;
}

/** The word for what is booked in a time in which `right` was used. */
function bookedWord(amount: number, right: number, slack: number): string {
	if (Math.abs(amount - right) <= slack) return "booked";
	if (amount > right) return `untrue: ${amount}`;
	return amount <= slack ? "not booked" : "booked in part";
}

interface Window {
	readonly name: string;
	readonly fromMs: number;
	readonly toMs: number;
}

/** Observes all ways in all situations. Calls `put` with each word. */
async function observe(out: WaysOut, put: (value: string, way: string, situation: string, word: string) => void) {
	const windows: Window[] = [];
	let before: Values = {};
	const see = async (situation: string) => {
		const { sent } = out.feed;
		const right = out.feed.isOn ? out.feed.right : {};
		for (const { name, read } of out.ways) {
			const seen: Seen = await read();
			for (const value of VALUES) {
				const numbers = { right: right[value], sent: sent[value], before: before[value] };
				const word = wordOf(seen[value], numbers, value === "time" ? CLOCK_SLACK_S : 0);
				put(value, name, situation, word === "raw" && seen.isMarked ? "raw, marked" : word);
			}
			put("state", name, situation, String(seen.state ?? "absent"));
		}
	};
	const look = async ({ name, fromMs, toMs }: Window) => {
		const right = { energy: usedWh(toMs) - usedWh(fromMs), gas: usedLitres(toMs) - usedLitres(fromMs) };
		for (const book of out.books) {
			const booked: Booked = await book.read((START_UTC_MS + fromMs) / 1000, (START_UTC_MS + toMs) / 1000);
			for (const value of ["energy", "gas"] as const) {
				const marks = [...booked.marks].filter((mark) => mark !== "partial").join(", ");
				const word = bookedWord(booked[value], right[value], SLACK[value]);
				put(value, book.name, name, marks === "" ? word : `${word} (${marks})`);
			}
		}
	};
	let silentMs = Number.POSITIVE_INFINITY;
	for (const { name, hours, begin, end, lastsMs = 0, tailMs = QUARTER_MS } of SITUATIONS) {
		const fromMs = Math.round(out.nowMs / HOUR_MS) * HOUR_MS;
		const toMs = fromMs + hours * HOUR_MS;
		await out.passUntil(fromMs + LEAD_MS);
		await out.untilTelegram();
		before = out.feed.right;
		await begin(out);
		await out.passUntil(out.nowMs + lastsMs);
		await out.untilTelegram();
		await see(name);
		if (name === SILENCE) {
			await look({ name, fromMs: fromMs + QUARTER_MS, toMs: fromMs + HOUR_MS });
			silentMs = fromMs;
		} else {
			// The consumption during the silence is booked when the meter is back.
			windows.push({ name, fromMs: Math.min(fromMs, silentMs), toMs });
			silentMs = Number.POSITIVE_INFINITY;
		}
		await out.passUntil(toMs - tailMs);
		await end?.(out);
		await out.passUntil(toMs);
	}
	await out.passUntil(out.nowMs + 2 * HOUR_MS);
	for (const window of windows) await look(window);
}

describe("The ways out of the gateway", function () {
	this.timeout(120_000);
	const out = new WaysOut();
	/** Words by value, way and situation. */
	const words = new Map<string, Map<string, Map<string, string>>>();
	const put = (value: string, way: string, situation: string, word: string) => {
		const ways = words.get(value) ?? new Map<string, Map<string, string>>();
		const situations = ways.get(way) ?? new Map<string, string>();
		words.set(value, ways.set(way, situations.set(situation, word)));
	};
	const all = () =>
		[...words].flatMap(([value, ways]) =>
			[...ways].flatMap(([way, situations]) =>
				[...situations].map(([situation, word]) => ({ value, way, situation, word })),
			),
		);

	before(async () => {
		await out.start();
		await observe(out, put);
	});
	after(() => out.stop());

	it("show no untrue number, and mark a value that can't be right", () => {
		assert.deepEqual(
			all().filter(({ word }) => word === "raw" || word.startsWith("untrue")),
			[],
		);
	});

	it("show all values of a meter as usual", () => {
		const usual = all().filter(({ situation, word }) => situation === USUAL && word !== "absent");
		assert.deepEqual(
			usual.filter(({ word }) => !["value", "booked", "ok"].includes(word)),
			[],
		);
		assert.ok(usual.length > 40, `${usual.length}`);
	});

	it("show no power of a meter that is silent", () => {
		const shown = all().filter(({ value, situation }) => value === "power" && situation === SILENCE);
		assert.ok(shown.length > 12);
		assert.deepEqual(
			shown.filter(({ word }) => ["value", "kept"].includes(word)),
			[],
		);
	});

	it("show what docs/behaviour.md says", () => {
		const columns = SITUATIONS.map(({ name }) => name).filter((name) => name !== USUAL);
		const hasRow = (situations: ReadonlyMap<string, string>) => situations.get(USUAL) !== "absent";
		const tables = [...words].map(([value, ways]) => {
			const rows = [...ways].filter(([, situations]) => hasRow(situations));
			const cells = rows.map(([way, situations]) => [way, ...columns.map((name) => situations.get(name) ?? "")]);
			return tableOf([[TITLES[value as Value], ...columns], ...cells]);
		});
		const names = out.ways.map(({ name }) => name);
		const empty = names.filter((name) => ![...words.values()].some((ways) => hasRow(ways.get(name) ?? new Map())));
		const made = [...tables, `Ways out that carry no reading: ${empty.join(", ")}.`].join("\n\n");
		const text = readFileSync(DOCUMENT, "utf8");
		const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
		assert.ok(from >= BEGIN.length && to > from, "docs/behaviour.md has no place for the tables");
		if (process.env["TABLES"] !== undefined)
			writeFileSync(DOCUMENT, `${text.slice(0, from)}\n\n${made}\n\n${text.slice(to)}`);
		else assert.deepEqual(text.slice(from, to).trim().split("\n"), made.split("\n"));
	});
});

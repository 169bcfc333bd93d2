/**
 * Makes modules/resources/timezones.bin from this machine's time zone database: `node .build/tools/timezone-table.js`,
 * or with another folder of compiled zones as its argument. The layout is in modules/time/zone.ts. The same release of
 * the database gives the same bytes.
 *
 * Source: the IANA time zone database (tz, https://www.iana.org/time-zones, in the public domain), as Debian's tzdata
 * and others install it. tzdata.zi names the release, the zones and the links. Each zone is a TZif file (RFC 9636) that
 * ends with a TZ string, which is the rule after its last transition. Transitions from 2024 on that do not follow from
 * the rule become exceptions (changes of law; Morocco and Palestine, which follow the lunar calendar, up to 2087).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
	HEADER_LENGTH,
	NAME_HEADER_LENGTH,
	namesStart,
	OFFSET_ZERO,
	TABLE_MAGIC,
	TIME_ZERO,
} from "../modules/time/zone.js";

export const ZONEINFO = "/usr/share/zoneinfo";

/** Earliest time of the gateway's clock. */
const BEGIN_S = Date.UTC(2024, 0, 1) / 1000;
const QUARTER_S = 900;
const DAY_MS = 86_400_000;

/** Start or end of daylight-saving time, as in a TZ string. With week 0, `day` is a day of the month. */
interface Change {
	readonly month: number;
	readonly week: number;
	readonly day: number;
	/** Seconds from 0:00 of that day. */
	readonly timeS: number;
}

interface Rule {
	readonly standardS: number;
	readonly savingS: number;
	/** Start and end of daylight-saving time; empty without it. */
	readonly changes: readonly Change[];
}

interface Transition {
	readonly atS: number;
	/** Seconds east of UTC, from that moment on. */
	readonly offsetS: number;
}

interface Exception {
	readonly untilS: number;
	readonly offsetS: number;
}

interface Zone {
	/** Transitions in ascending order. */
	readonly transitions: readonly Transition[];
	readonly rule: string;
}

/** Zones by name in ascending order; undefined if the database is not installed. */
export interface Zones {
	readonly release: string;
	readonly names: ReadonlyMap<string, Zone>;
}

export function readZones(folder = ZONEINFO): Zones | undefined {
	const list = join(folder, "tzdata.zi");
	if (!existsSync(list)) return undefined;
	const source = readFileSync(list, "utf8");
	const release = /^# version (\d{4}[a-z])\n/.exec(source)?.[1];
	if (release === undefined) throw new Error(`${list}: names no release`);
	const names = [...source.matchAll(/^(?:Z|L \S+) ([^\s]+)/gm)].map((match) => match[1]).sort();
	return { release, names: new Map(names.map((name) => [name, readZone(readFileSync(join(folder, name)))])) };
}

/** Reads the second block, with 64-bit times, and the TZ string after it (RFC 9636, 3). */
export function readZone(file: Buffer): Zone {
	if (file.toString("latin1", 0, 4) !== "TZif" || file[4] < 0x32) throw new Error("no TZif file of version 2 or later");
	const counts = (at: number) => [0, 1, 2, 3, 4, 5].map((i) => file.readUInt32BE(at + 20 + i * 4));
	const [isUT, isStandard, leaps, times, types, characters] = counts(0);
	const second = 44 + times * 5 + types * 6 + characters + leaps * 8 + isStandard + isUT;
	const [isUT2, isStandard2, leaps2, times2, types2, characters2] = counts(second);
	const indexes = second + 44 + times2 * 8;
	const records = indexes + times2;
	const transitions = Array.from({ length: times2 }, (_, i) => ({
		atS: Number(file.readBigInt64BE(second + 44 + i * 8)),
		offsetS: file.readInt32BE(records + file[indexes + i] * 6),
	}));
	const footer = records + types2 * 6 + characters2 + leaps2 * 12 + isStandard2 + isUT2;
	const rule = file.toString("latin1", footer).trim();
	return { transitions, rule };
}

/** Parses a TZ string: POSIX.1-2024, 8.3, with the hours of RFC 9636, 3.3.1. */
export function parseRule(text: string): Rule {
	const name = "(?:<[+\\-\\w]+>|[A-Za-z]+)";
	const time = "[+-]?\\d+(?::\\d+)*";
	const match = new RegExp(`^${name}(${time})(?:${name}(${time})?,([^,]+),([^,]+))?$`).exec(text);
	if (match === null) throw new Error(`not a TZ string: ${text}`);
	const [, standard, saving, begin, end] = match;
	// Offsets of TZ strings are positive to the west.
	const standardS = 0 - secondsOf(standard);
	if (begin === undefined) return { standardS, savingS: standardS, changes: [] };
	const savingS = saving === undefined ? standardS + 3600 : 0 - secondsOf(saving);
	return { standardS, savingS, changes: [parseChange(begin), parseChange(end)] };
}

function parseChange(text: string): Change {
	const [date, time = "2"] = text.split("/");
	const timeS = secondsOf(time);
	const [month, week, day] = (/^M(\d+)\.(\d)\.(\d)$/.exec(date) ?? []).slice(1).map(Number);
	if (month !== undefined) return { month, week, day, timeS };
	const dayOfYear = Number(/^J(\d+)$/.exec(date)?.[1]);
	// The other form counts February 29; no zone uses it.
	if (!(dayOfYear >= 1 && dayOfYear <= 365)) throw new Error(`a date that the table has no form for: ${text}`);
	const inYear = new Date(Date.UTC(2023, 0, dayOfYear));
	return { month: inYear.getUTCMonth() + 1, week: 0, day: inYear.getUTCDate(), timeS };
}

function secondsOf(text: string): number {
	const [hours, minutes = 0, seconds = 0] = text.replace(/^[+-]/, "").split(":").map(Number);
	const size = hours * 3600 + minutes * 60 + seconds;
	return text.startsWith("-") ? -size : size;
}

export function buildTable({ release, names }: Zones): Uint8Array {
	const rules: number[][] = [];
	const numbers = new Map<string, number>();
	const packedNames: number[] = [];
	let before = "";
	for (const [name, zone] of names) {
		const rule = packRule(zone);
		const key = rule.join();
		if (!numbers.has(key)) numbers.set(key, rules.push(rule) - 1);
		let shared = 0;
		while (shared < name.length && name[shared] === before[shared]) shared++;
		packedNames.push(shared, name.length - shared, numbers.get(key)!, ...Buffer.from(name.slice(shared), "latin1"));
		before = name;
	}
	if (rules.length > 255) throw new Error("more than 255 rules: their number is one byte");
	const out = [...word(TABLE_MAGIC >>> 16), ...word(TABLE_MAGIC & 0xffff), ...Buffer.from(release, "latin1")];
	out.push(rules.length);
	let at = HEADER_LENGTH + rules.length * 2;
	for (const rule of rules) {
		out.push(...word(at));
		at += rule.length;
	}
	return Uint8Array.from([...out, ...rules.flat(), ...packedNames]);
}

export function readRelease(table: Uint8Array): string {
	return Buffer.from(table.subarray(4, 9)).toString("latin1");
}

export function tableNames(table: Uint8Array): string[] {
	const names: string[] = [];
	let before = "";
	for (let at = namesStart(table); at < table.length; ) {
		const from = at + NAME_HEADER_LENGTH;
		const end = from + table[at + 1];
		before = before.slice(0, table[at]) + Buffer.from(table.subarray(from, end)).toString("latin1");
		names.push(before);
		at = end;
	}
	return names;
}

function packRule(zone: Zone): number[] {
	const rule = parseRule(zone.rule);
	const out = [offset(rule.standardS), offset(rule.savingS)];
	for (const { month, week, day, timeS } of rule.changes) {
		out.push(month, week, day, ...word(quarters(timeS) + TIME_ZERO));
	}
	const exceptions = exceptionsOf(zone, rule);
	out.push(...word(exceptions.length));
	for (const { untilS, offsetS } of exceptions) {
		out.push(...word(Math.floor(untilS / 0x10000)), ...word(untilS % 0x10000), offset(offsetS));
	}
	return out;
}

function exceptionsOf({ transitions }: Zone, rule: Rule): Exception[] {
	const spans = transitions.map(({ atS, offsetS }, i) => ({
		fromS: Math.max(atS, BEGIN_S),
		untilS: transitions[i + 1]?.atS ?? Number.POSITIVE_INFINITY,
		offsetS,
	}));
	const relevant = spans.filter(({ untilS }) => untilS > BEGIN_S);
	return relevant.slice(0, relevant.findLastIndex((span) => isException(span, rule)) + 1);
}

/** True if the rule gives another offset anywhere in the range. */
function isException({ fromS, untilS, offsetS }: Exception & { fromS: number }, rule: Rule): boolean {
	if (untilS === Number.POSITIVE_INFINITY) return false;
	const isOther = (atS: number) => offsetAt(rule, atS) !== offsetS;
	for (let year = yearOf(fromS); year <= yearOf(untilS); year++) {
		if (momentsOf(rule, year).some(({ atS }) => atS > fromS && atS < untilS && isOther(atS))) return true;
	}
	return isOther(fromS);
}

function offsetAt(rule: Rule, atS: number): number {
	const year = yearOf(atS);
	const moments = [year - 1, year, year + 1].flatMap((each) => momentsOf(rule, each));
	moments.sort((x, y) => x.atS - y.atS);
	return moments.findLast((moment) => moment.atS <= atS)?.offsetS ?? rule.standardS;
}

function momentsOf({ standardS, savingS, changes }: Rule, year: number): Transition[] {
	if (changes.length === 0) return [];
	return [
		{ atS: changeIn(changes[0], year) - standardS, offsetS: savingS },
		{ atS: changeIn(changes[1], year) - savingS, offsetS: standardS },
	];
}

function yearOf(atS: number): number {
	return new Date(atS * 1000).getUTCFullYear();
}

function changeIn({ month, week, day, timeS }: Change, year: number): number {
	const days: number[] = [];
	for (let ms = Date.UTC(year, month - 1, 1); ms < Date.UTC(year, month, 1); ms += DAY_MS) {
		const date = new Date(ms);
		if (week === 0 ? date.getUTCDate() === day : date.getUTCDay() === day) days.push(ms / 1000);
	}
	return (week === 0 ? days[0] : (days[week - 1] ?? days[days.length - 1])) + timeS;
}

function offset(seconds: number): number {
	const value = quarters(seconds) + OFFSET_ZERO;
	if (value < 0 || value > 255) throw new Error(`an offset of ${seconds} s`);
	return value;
}

function quarters(seconds: number): number {
	if (seconds % QUARTER_S !== 0) throw new Error(`${seconds} s are not whole quarters of an hour`);
	return seconds / QUARTER_S;
}

function word(value: number): number[] {
	if (value < 0 || value > 0xffff) throw new Error(`${value} does not fit into two bytes`);
	return [value >> 8, value & 255];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const zones = readZones(process.argv[2]);
	if (zones === undefined) throw new Error(`${process.argv[2] ?? ZONEINFO} has no tzdata.zi`);
	const table = buildTable(zones);
	writeFileSync(new URL("../../modules/resources/timezones.bin", import.meta.url), table);
	console.log(`timezones.bin: ${table.length} bytes, ${zones.names.size} names, release ${zones.release}`);
}

/**
 * Calculates how long batteries last. `node .build/tools/energy.js` writes the tables of docs/power.md and the README.
 * Currents are from data sheets. Times are measured in the simulator or assumed, as noted.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const HOUR_S = 3600;
const DAY_S = 86_400;
const YEAR_DAYS = 365;

interface Figure {
	readonly name: string;
	readonly value: number;
	readonly unit: "µA" | "mA" | "s" | "mAh" | "% a year";
	readonly source: string;
}

const figure = (name: string, value: number, unit: Figure["unit"], source: string): Figure => ({
	name,
	value,
	unit,
	source,
});

const SHEET = "data sheet of the ESP32-S3, 2.2";
export const FIGURES = Object.freeze({
	cells: figure(
		"three LR6 in series, down to 1.0 V each, at small loads",
		2200,
		"mAh",
		"assumed; makers state 2500 down to 0.8 V",
	),
	leak: figure("self-discharge", 3, "% a year", "assumed, at room temperature"),
	chip: figure("chip in deep sleep, RTC memory and peripherals on", 8, "µA", `${SHEET}, table 5-10`),
	regulator: figure("regulator at rest", 2, "µA", "assumed; linear, so that what it gives is what it takes"),
	divider: figure("divider of the cells, 2 × 100 kΩ at 4.5 V", 22.5, "µA", "Ohm; 2 × 1 MΩ take a tenth"),
	start: figure("start of the firmware", 2, "s", "assumed"),
	running: figure("one core busy at 240 MHz", 65.9, "mA", `${SHEET}, table 5-9`),
	reading: figure("session at 9600 Bd and the write to flash", 4.5, "s", "the simulated meter takes 2 to 4 s"),
	waiting: figure("waiting at 240 MHz", 47.6, "mA", `${SHEET}, table 5-9`),
	sending: figure("joining the network, one request over TLS", 5, "s", "assumed"),
	syncing: figure("joining the network, asking for the time", 4, "s", "assumed"),
	radio: figure(
		"radio on: it receives, and sends a fifteenth of the time",
		110,
		"mA",
		`${SHEET}, table 5-7: 88 mA, 340 mA`,
	),
});

/** Time synchronizations per day (modules/app/power-saving.ts). */
const SYNCS = 4;
const value = (name: keyof typeof FIGURES): number => FIGURES[name].value;

const charge = (milliamperes: number, seconds: number): number => (milliamperes * seconds) / HOUR_S;

/**
 * Charge of a reading, mAh. The next constants are the charges of a transmission, of a day of sleep with leakage, and
 * of a day's time synchronizations.
 */
export const READING = charge(value("running"), value("start")) + charge(value("waiting"), value("reading"));
export const SENDING = charge(value("radio"), value("sending"));
export const RESTING =
	charge((value("chip") + value("regulator") + value("divider")) / 1000, DAY_S) +
	(value("cells") * value("leak")) / 100 / YEAR_DAYS;
export const SYNCING = SYNCS * charge(value("radio"), value("syncing"));

export function daysOf(readingsADay: number, isSent: boolean): number {
	return value("cells") / (readingsADay * (READING + (isSent ? SENDING : 0)) + RESTING + SYNCING);
}

export const PERIODS: readonly [string, number][] = [
	["15 minutes", 96],
	["1 hour", 24],
	["1 day", 1],
];

export function spanOf(days: number): string {
	if (days < YEAR_DAYS) return `${Math.round((days / YEAR_DAYS) * 12)} months`;
	return `${(days / YEAR_DAYS).toFixed(1)} years`;
}

/** A table in Markdown; the first row has the titles. */
export function tableOf(rows: readonly (readonly string[])[]): string {
	const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
	const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`);
	lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
	return lines.join("\n");
}

const lifeTable = tableOf([
	["meter read every", "life if readings are stored", "life if they are also sent"],
	...PERIODS.map(([period, count]) => [period, spanOf(daysOf(count, false)), spanOf(daysOf(count, true))]),
]);

const figureTable = tableOf([
	["figure", "value", "source"],
	...Object.values(FIGURES).map(({ name, value: number, unit, source }) => [name, `${number} ${unit}`, source]),
]);

const dayTable = tableOf([
	["mAh", "each", "a day at 15 minutes"],
	["a reading", READING.toFixed(3), (96 * READING).toFixed(1)],
	["sending it", SENDING.toFixed(3), (96 * SENDING).toFixed(1)],
	["asking for the time", (SYNCING / SYNCS).toFixed(3), SYNCING.toFixed(1)],
	["sleep and leakage", "", RESTING.toFixed(1)],
]);

const TABLES: Readonly<Record<string, string>> = { life: lifeTable, figures: figureTable, day: dayTable };
const FILES = ["docs/power.md", "README.md"];

export function withTables(text: string): string {
	let result = text;
	for (const [name, table] of Object.entries(TABLES)) {
		const [begin, end] = [`<!-- energy ${name}: made by node .build/tools/energy.js -->`, "<!-- end -->"];
		const from = result.indexOf(begin);
		if (from < 0) continue;
		const to = result.indexOf(end, from);
		result = `${result.slice(0, from + begin.length)}\n\n${table}\n\n${result.slice(to)}`;
	}
	return result;
}

function main(isCheck: boolean): number {
	let differing = 0;
	for (const file of FILES) {
		const path = join(ROOT, file);
		const text = readFileSync(path, "utf8");
		const wanted = withTables(text);
		if (wanted === text) continue;
		differing++;
		if (isCheck) console.error(`${file}: differs; run node .build/tools/energy.js`);
		else writeFileSync(path, wanted);
	}
	if (!isCheck) console.log(inspect({ READING, SENDING, RESTING, SYNCING }));
	return isCheck && differing > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.includes("--check"));

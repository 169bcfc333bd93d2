/**
 * The gateway's peaks compared with those that Flemish meters send (e-MUCS P1). 1.4.0 is the energy counted since the
 * quarter hour began, divided by fifteen minutes; 1.6.0 is its maximum of the month, with the end of that quarter hour;
 * 98.1.0 has the maxima of earlier months, each with the month's end.
 *
 * Both telegrams of the first meter are from one log; one of them is the capture, and the other one differs from it in
 * 1.4.0 and 1.7.0 only. The second meter's telegrams are from github.com/thomasgodon/DsmrHub (example.dsmr).
 */
import assert from "node:assert/strict";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { at, readoutOf } from "../history/unit.js";
import { Bed, FLANDERS } from "./bed.js";

const TELEGRAM = Buffer.from(readTelegram(vectorPath("iec62056-21", "sagemcom-t211-capacity-tariff"))).toString(
	"latin1",
);
const [, ...LINES] = TELEGRAM.slice(0, TELEGRAM.indexOf("!")).split("\r\n");
/** 23:15:00 of the meter's clock. */
const QUARTER_S = at("2024-01-12 22:15");
/** Time, 1.4.0 in W, 1.7.0 in W. */
const TELEGRAMS = [
	[QUARTER_S + 180, 26, 132],
	[QUARTER_S + 195, 28, 99],
] as const;

/** 20:45:00 of the second meter's clock, and its counter at that time, Wh. */
const SECOND_QUARTER_S = at("2022-12-20 19:45");
const SECOND_WH = 3_457_583;
/** Seconds since then, counter in Wh, 1.4.0 in W, 1.7.0 in W. */
const SECOND_TELEGRAMS = [
	[56, 3_457_591, 32, 524],
	[57, 3_457_592, 33, 523],
	[58, 3_457_592, 33, 523],
	[59, 3_457_592, 34, 524],
	[60, 3_457_592, 34, 520],
	[61, 3_457_592, 35, 524],
	[62, 3_457_592, 36, 523],
	[63, 3_457_592, 36, 523],
	[64, 3_457_593, 37, 523],
	[65, 3_457_593, 37, 523],
	[66, 3_457_593, 38, 523],
	[67, 3_457_593, 39, 522],
] as const;
/** 1 Wh, the counters' resolution, is 4 W for a quarter hour. */
const RESOLUTION_W = 4;
const ELSE_W = 300;
const QUARTER = 900;

/** Converts a meter's time, such as 240107190000W. */
function timeOf(text: string): number {
	const [year, month, day, hour, minute] = text.match(/../g)!.map(Number);
	return Date.UTC(2000 + year, month - 1, day, hour - (text.endsWith("S") ? 2 : 1), minute) / 1000;
}

/** Maxima of the capture, oldest first: end of the month if it is over, end of the quarter hour, W. */
function maximaOf(lines: readonly string[]): { monthEndS: number | undefined; endS: number; watts: number }[] {
	const found = (code: string) => lines.find((line) => line.startsWith(code)) ?? "";
	const maximum = /\((\d+[WS])\)\(([\d.]+)\*kW\)/;
	const [, present, presentKW] = maximum.exec(found("1-0:1.6.0"))!;
	const earlier = [...found("0-0:98.1.0").matchAll(new RegExp(`\\((\\d+[WS])\\)${maximum.source}`, "g"))];
	return [
		...earlier.map(([, monthEnd, end, kW]) => ({
			monthEndS: timeOf(monthEnd),
			endS: timeOf(end),
			watts: Number(kW) * 1000,
		})),
		{ monthEndS: undefined, endS: timeOf(present), watts: Number(presentKW) * 1000 },
	];
}

/** The captured telegram with another running demand (1.4.0) and power (1.7.0). */
function linesOf(demandW: number, powerW: number): string {
	const kW = (watts: number) => (watts / 1000).toFixed(3).padStart(6, "0");
	const lines = LINES.map((line) =>
		line.replace(/^(1-0:1\.4\.0\().*/, `$1${kW(demandW)}*kW)`).replace(/^(1-0:1\.7\.0\().*/, `$1${kW(powerW)}*kW)`),
	);
	return lines.join("\r\n");
}

describe("The peaks of Flemish meters", () => {
	let bed: Bed;
	const telegram = (timeS: number, lines = LINES.join("\r\n")) => {
		bed.wait(timeS);
		bed.take(readoutOf(lines, timeS));
	};

	it("have a mean since the quarter hour began that agrees with the meter's running demand, within the counter's resolution", () => {
		bed = new Bed(FLANDERS, "Europe/Brussels", QUARTER_S);
		// 28 W for a quarter hour are 7 Wh, so the quarter hour began at 7 Wh less than the telegrams' sum of both tariffs.
		telegram(QUARTER_S, "1.8.1(116.365*kWh)\r\n1.8.2(62.193*kWh)\r\n");
		for (const [timeS, demandW, powerW] of TELEGRAMS) {
			telegram(timeS, linesOf(demandW, powerW));
			const { meanW } = bed.values;
			assert.ok(Math.abs((meanW * (timeS - QUARTER_S)) / 900 - demandW) <= RESOLUTION_W, `${meanW} W`);
		}
		const { meanW, forecastW } = bed.values;
		assert.equal(meanW, Math.round((7 * 3600) / 195));
		assert.equal(forecastW, Math.round(7 * 4 + (99 * (900 - 195)) / 900));
	});

	it("have the same mean with a second meter, second by second, and a forecast at its power", () => {
		bed = new Bed(FLANDERS, "Europe/Brussels", SECOND_QUARTER_S);
		const linesAt = (wh: number, powerW: number) =>
			`1.8.1(${(wh / 1000).toFixed(3)}*kWh)\r\n1.7.0(${(powerW / 1000).toFixed(3)}*kW)`;
		telegram(SECOND_QUARTER_S, linesAt(SECOND_WH, 524));
		for (const [s, wh, demandW, powerW] of SECOND_TELEGRAMS) {
			bed.take(readoutOf(linesAt(wh, powerW), SECOND_QUARTER_S + s));
			const { meanW, forecastW } = bed.values;
			assert.ok(Math.abs((meanW * s) / QUARTER - demandW) <= RESOLUTION_W, `${meanW} W after ${s} s`);
			assert.ok(Math.abs(forecastW - (demandW + (powerW * (QUARTER - s)) / QUARTER)) <= RESOLUTION_W);
		}
	});

	it("are the meter's maxima (1.6.0, 98.1.0): in the same quarter hours and months, within the resolution", () => {
		const maxima = maximaOf(LINES);
		assert.equal(maxima.length, 4);
		bed = new Bed(FLANDERS, "Europe/Brussels", maxima[0].endS - 4 * QUARTER);
		for (const { monthEndS, endS, watts } of maxima) {
			assert.equal(endS % QUARTER, 0);
			bed.powerW = ELSE_W;
			bed.wait(endS - 3 * QUARTER);
			bed.run(endS - QUARTER, ELSE_W);
			bed.run(endS, watts);
			bed.run(endS + QUARTER, ELSE_W);
			const [[startS, highestW]] = bed.highest;
			assert.equal(startS, endS - QUARTER);
			assert.ok(Math.abs(highestW - watts) <= RESOLUTION_W, `${highestW} W is not ${watts}`);
			if (monthEndS === undefined) continue;
			bed.run(monthEndS - QUARTER, ELSE_W, QUARTER);
			assert.equal(bed.values.peakW, highestW);
			bed.run(monthEndS, ELSE_W, QUARTER);
			assert.ok(Number.isNaN(bed.values.peakW), "the next month");
		}
	});
});

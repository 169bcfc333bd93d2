/**
 * The gateway's peaks compared with those that a Flemish meter sends (e-MUCS P1). Its 1.4.0 is the energy counted
 * since the quarter hour began, divided by fifteen minutes. Both telegrams are from one log; one of them is the capture,
 * and the other one differs from it in 1.4.0 and 1.7.0 only.
 */
import assert from "node:assert/strict";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { at, readoutOf } from "../history/unit.js";
import { Bench, FLANDERS } from "./bench.js";

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

/** The captured telegram with another running demand (1.4.0) and power (1.7.0). */
function linesOf(demandW: number, powerW: number): string {
	const kW = (watts: number) => (watts / 1000).toFixed(3).padStart(6, "0");
	const lines = LINES.map((line) =>
		line.replace(/^(1-0:1\.4\.0\().*/, `$1${kW(demandW)}*kW)`).replace(/^(1-0:1\.7\.0\().*/, `$1${kW(powerW)}*kW)`),
	);
	return lines.join("\r\n");
}

describe("The peaks of a Flemish meter", () => {
	let bench: Bench;
	const telegram = (timeS: number, lines = LINES.join("\r\n")) => {
		bench.wait(timeS);
		bench.take(readoutOf(lines, timeS));
	};

	it("have a mean since the quarter hour began that agrees with the meter's running demand, within the counter's resolution", () => {
		bench = new Bench(FLANDERS, "Europe/Brussels", QUARTER_S);
		// 28 W for a quarter hour are 7 Wh, so the quarter hour began at 7 Wh less than the telegrams' sum of both tariffs.
		telegram(QUARTER_S, "1.8.1(116.365*kWh)\r\n1.8.2(62.193*kWh)\r\n");
		for (const [timeS, demandW, powerW] of TELEGRAMS) {
			telegram(timeS, linesOf(demandW, powerW));
			const { meanW } = bench.values;
			// 1 Wh, the counter's resolution, corresponds to 4 W for a quarter hour.
			assert.ok(Math.abs((meanW * (timeS - QUARTER_S)) / 900 - demandW) <= 4, `${meanW} W`);
		}
		const { meanW, forecastW } = bench.values;
		assert.equal(meanW, Math.round((7 * 3600) / 195));
		assert.equal(forecastW, Math.round(7 * 4 + (99 * (900 - 195)) / 900));
	});
});

import assert from "node:assert/strict";
import { baudCharacterFor, Household } from "../../tools/meter/household.js";
import { modeOf, splitTelegram } from "../../tools/meter/telegram.js";
import { textOf } from "../latin1.js";

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 5, 21, 12, 30);

function registers(household: Household, nowMs: number): Map<string, number> {
	const text = textOf(household.telegram(nowMs).message);
	return new Map([...text.matchAll(/([^\r\n\x02]+)\((-?[\d.]+)\*/g)].map(([, code, value]) => [code, Number(value)]));
}

describe("The household's meter", () => {
	it("sends a block with a correct check in modes A, B and C, and none in push mode", () => {
		for (const [mode, baud] of [
			["A", 300],
			["B", 2400],
			["C", 9600],
			["D", 2400],
		] as const) {
			const { opening, message } = new Household({ utcMs: NOON, mode, baud }).telegram(0);
			const whole = splitTelegram(Uint8Array.from([...opening, ...message]));
			assert.equal(modeOf(whole), mode);
			if (mode === "D") continue;
			assert.equal(message[0], 2);
			assert.equal(
				message.slice(1, -1).reduce((check, byte) => check ^ byte),
				message.at(-1),
			);
		}
	});

	it("offers each rate of a mode, and rejects the others", () => {
		assert.equal(
			[300, 600, 1200, 2400, 4800, 9600, 19200].map((baud) => baudCharacterFor(baud, "C")).join(""),
			"0123456",
		);
		assert.equal([600, 1200, 2400, 4800, 9600, 19200].map((baud) => baudCharacterFor(baud, "B")).join(""), "ABCDEF");
		assert.equal(baudCharacterFor(300, "B"), undefined);
		assert.throws(() => new Household({ utcMs: NOON, mode: "B", baud: 300 }), /no baud rate character for 300/);
	});

	it("exports at noon and imports in the evening, and its registers match", () => {
		const household = new Household({ utcMs: NOON, mode: "C", baud: 9600 });
		const noon = registers(household, 0);
		const later = registers(household, HOUR_MS);
		const evening = registers(household, 6 * HOUR_MS);
		assert.ok(noon.get("16.7.0")! < 0 && noon.get("2.7.0")! > 1 && noon.get("1.7.0") === 0);
		assert.ok(later.get("2.8.0")! > noon.get("2.8.0")! + 1, "an hour of sun");
		assert.ok(evening.get("16.7.0")! > 1 && evening.get("1.8.1")! > later.get("1.8.1")!);
		assert.equal(evening.get("1.8.2"), noon.get("1.8.2"), "no night in between");
	});

	it("has phases that add up, and import that is the sum of its tariffs", () => {
		const household = new Household({ utcMs: NOON, mode: "C", baud: 9600 });
		for (let hour = 0; hour < 24; hour++) {
			const values = registers(household, hour * HOUR_MS);
			const phases = values.get("36.7.0")! + values.get("56.7.0")! + values.get("76.7.0")!;
			assert.ok(Math.abs(phases - values.get("16.7.0")!) < 0.002);
			assert.ok(Math.abs(values.get("1.8.1")! + values.get("1.8.2")! - values.get("1.8.0")!) < 0.002);
			for (const code of ["32.7.0", "52.7.0", "72.7.0"]) assert.ok(Math.abs(values.get(code)! - 230) < 10);
		}
	});

	it("skips a pause of years without simulating it", () => {
		const household = new Household({ utcMs: NOON, mode: "C", baud: 9600 });
		household.telegram(0);
		const startMs = performance.now();
		household.telegram(10 * 365 * 24 * HOUR_MS);
		assert.ok(performance.now() - startMs < 500);
	});
});

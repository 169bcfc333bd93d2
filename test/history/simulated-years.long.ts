/**
 * Years of readings with all kinds of faults, and the erases that they cause. `SEED=n` repeats a run; the titles show
 * the seed.
 */
import assert from "node:assert/strict";
import { type Setup, Simulation } from "./simulation.js";
import { at, type Unit } from "./unit.js";

const DAY = 86_400;
const YEAR = 365.25 * DAY;
/** Number of erases that a flash sector endures according to the data sheets. */
const ENDURANCE = 100_000;

const FAULTS = { cuts: 300, outages: 3000, exchanges: 20_000 };
/** Registers of the setup with gas; with all five registers 32 KB of flash hold fewer than 800 days. */
const THREE = ["import", "export", "gas"] as const;

const SETUPS: readonly { name: string; years: number; setup: Partial<Setup> }[] = [
	{ name: "three years without a fault", years: 3, setup: {} },
	{ name: "a year with faults, in Berlin", years: 1, setup: FAULTS },
	{ name: "a year with faults, in New York", years: 1, setup: { ...FAULTS, zone: "America/New_York" } },
	{ name: "a year with faults, on Lord Howe", years: 1, setup: { ...FAULTS, zone: "Australia/Lord_Howe" } },
	{ name: "three years with faults and gas", years: 3, setup: { ...FAULTS, registers: THREE } },
	{ name: "twelve years of readings every hour", years: 12, setup: { stepS: 3600 } },
];

/** Most and fewest erases of any sector per year, and the erases of all sectors together. */
function wear(unit: Unit, years: number): { most: number; least: number; all: number } {
	const { erases } = unit.partition;
	const all = erases.reduce((sum, one) => sum + one, 0);
	return { most: Math.max(...erases) / years, least: Math.min(...erases) / years, all: all / years };
}

describe("Simulated years in the history", () => {
	for (const { name, years, setup } of SETUPS) {
		it(`equal the meter's counts, and wear flash evenly: ${name}`, function () {
			const seed = Number(process.env.SEED) || 1 + Math.floor(Math.random() * 1e9);
			const start = at("2026-01-15 10:20");
			const simulation = new Simulation({ seed, ...setup }, start);
			for (let timeS = start; timeS < start + years * YEAR; ) {
				timeS += 29.3 * DAY;
				simulation.run(timeS);
				simulation.check();
			}
			const { most, least, all } = wear(simulation.unit, years);
			this.test!.title +=
				` (seed ${seed}, ${simulation.cuts} power cuts, ${Math.round(all)} erases a year, ${Math.round(most)} of one sector)`;
			assert.ok(most < ENDURANCE / 100, "flash does not last a hundred years");
			assert.ok(most < 1.5 * least + 10, "sectors wear unequally");
		});
	}
});

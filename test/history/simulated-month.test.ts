/** A month of readings with all kinds of faults: the history must equal the meter's counts. */

import { type Setup, Simulation } from "./simulation.js";
import { at, NAMES } from "./unit.js";

const DAY = 86_400;

const SETUPS: Readonly<Record<string, Partial<Setup>>> = {
	"without a fault": {},
	"with outages, restarts and power cuts": { cuts: 40, outages: 150 },
	"with exchanged meters and all registers": {
		cuts: 100,
		outages: 300,
		exchanges: 400,
		registers: NAMES,
	},
	"with faults and two tariffs": { cuts: 60, outages: 150, exchanges: 500, registers: ["import", "tariff2"] },
	"with faults and readings every two hours": { stepS: 7200, cuts: 30, outages: 60 },
	"with faults and readings every minute": { stepS: 60, cuts: 500, outages: 2000 },
};

describe("A simulated month in the history", function () {
	this.timeout(60_000);

	for (const [name, setup] of Object.entries(SETUPS)) {
		it(`equals the meter's counts ${name}`, function () {
			const seed = Number(process.env.SEED) || 1 + Math.floor(Math.random() * 1e9);
			this.test!.title += ` (seed ${seed})`;
			// The month contains the end of summer time.
			const simulation = new Simulation({ seed, ...setup }, at("2026-10-10"));
			for (let day = 1; day <= 31; day++) {
				simulation.run(at("2026-10-10") + day * DAY);
				simulation.check();
			}
		});
	}
});

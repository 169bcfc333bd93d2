import assert from "node:assert/strict";

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 20, 12);

/** The module keeps its points in the tab's storage. */
const storage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
Object.assign(globalThis, { sessionStorage: storage });
const { addPoint, forgetCurve, points } = await import("../../../hosts/browser/kit/curve-points.js");

/** Reads a counter with this step once in `periodMs` while the house draws this power; returns what the page shows. */
function shownFor(
	watts: number,
	{ stepWh, periodMs, hours = 2 }: { stepWh: number; periodMs: number; hours?: number },
) {
	forgetCurve();
	const shown: (number | undefined)[] = [];
	for (let ms = 0; ms <= hours * 60 * MINUTE; ms += periodMs) {
		const wh = Math.floor((1_234_567 + (watts * ms) / 3_600_000) / stepWh) * stepWh;
		shown.push(addPoint({ atMs: START + ms, watts: undefined, wh: Math.round(wh * 10) / 10 }));
	}
	return shown;
}

describe("the power of a meter that sends counters only", () => {
	it("is right to 5 per cent, and never 0 while power flows", () => {
		for (const stepWh of [0.1, 1, 10, 100, 1000]) {
			for (const periodMs of [1000, 10_000, MINUTE, 15 * MINUTE]) {
				for (const watts of [500, 1800, 12_000, -3000]) {
					const shown = shownFor(watts, { stepWh, periodMs }).filter((one) => one !== undefined);
					for (const one of shown)
						assert.ok(Math.abs(one / watts - 1) <= 0.051, `${watts} W, step ${stepWh} Wh, ${periodMs} ms: ${one}`);
				}
			}
		}
	});

	it("is shown if the resolution of the counter allows it", () => {
		for (const watts of [500, 1800, -3000])
			assert.ok(shownFor(watts, { stepWh: 1, periodMs: 10_000 }).filter((one) => one !== undefined).length > 300);
		assert.ok(shownFor(500, { stepWh: 1, periodMs: 15 * MINUTE }).filter((one) => one !== undefined).length >= 7);
	});

	it("is not known if the counter is too coarse, or if nothing flows", () => {
		assert.ok(shownFor(500, { stepWh: 100, periodMs: MINUTE }).every((one) => one === undefined));
		assert.ok(shownFor(12_000, { stepWh: 1000, periodMs: MINUTE }).every((one) => one === undefined));
		assert.ok(shownFor(0, { stepWh: 1, periodMs: MINUTE }).every((one) => one === undefined));
	});

	it("is no longer shown once it is older than the time that it covers", () => {
		forgetCurve();
		addPoint({ atMs: START, watts: undefined, wh: 1001 });
		assert.equal(addPoint({ atMs: START + MINUTE, watts: undefined, wh: 1031 }), 1800);
		assert.equal(addPoint({ atMs: START + 2 * MINUTE, watts: undefined, wh: 1031 }), 1800);
		assert.equal(addPoint({ atMs: START + 3 * MINUTE, watts: undefined, wh: 1031 }), undefined);
		assert.equal(points.value.length, 1);
	});

	it("begins again after the counter was set back, and after the clock was", () => {
		forgetCurve();
		addPoint({ atMs: START, watts: undefined, wh: 5001 });
		addPoint({ atMs: START + MINUTE, watts: undefined, wh: 5031 });
		assert.equal(addPoint({ atMs: START - MINUTE, watts: undefined, wh: 5061 }), undefined);
		assert.equal(addPoint({ atMs: START, watts: undefined, wh: 5091 }), 1800);
	});

	it("is what the meter sends, if it sends power", () => {
		forgetCurve();
		assert.equal(addPoint({ atMs: START, watts: 0, wh: 1001 }), 0);
		assert.equal(addPoint({ atMs: START + 1000, watts: 412, wh: 1001 }), 412);
	});
});

/**
 * Days with everything on (unattended-days.ts): a day of 23 hours in which each peer is lost once, or a week with a day of
 * 25 hours and a readout each minute.
 */
import assert from "node:assert/strict";
import { byRun } from "../runs.js";
import { Surroundings } from "./surroundings.js";
import { NodeUnit, RECEIVERS, START_MS, UnattendedDays, XSUnit } from "./unattended-days.js";

/** Number of timers, and of connections, that a poll or a message may add for a moment. */
const MOMENTARY = 2;
/** Permitted growth of the slots at the end of a day. */
const SLOTS_MARGIN = 60;

const { title, engines, options } = byRun({
	test: {
		title: "A day with everything on",
		engines: ["node"],
		options: { startMs: Date.UTC(2026, 2, 28, 23), days: 1, lossesADay: 7, period: 5 },
	},
	long: {
		title: "A week with everything on",
		engines: ["node", "xs"],
		options: { startMs: Date.UTC(2026, 9, 21, 22), days: 7, lossesADay: 1, period: 1 },
	},
});

for (const engine of engines) {
	describe(`${title}: engine ${engine}`, function () {
		this.timeout(3_600_000);
		let days: UnattendedDays;

		before(async () => {
			const fromMs = options.startMs - START_MS;
			const surroundings = new Surroundings(fromMs);
			const unit = engine === "node" ? new NodeUnit(surroundings, fromMs) : await XSUnit.start(surroundings, fromMs);
			days = new UnattendedDays(options, surroundings, unit);
			await days.run();
		});
		after(() => days?.unit.stop());

		it("makes each readout at its moment, except while the meter is away", () => days.checkReadouts());

		for (const receiver of RECEIVERS)
			it(`brings each readout to the ${receiver}, except while that is impossible`, () => days.checkArrived(receiver));

		it("has days, hours and quarters as the meter counted them, and one day that is an hour shorter or longer", async () => {
			const found = await days.trueHistory("days");
			const lengths = found.map(({ start, end }) => (end - start) / 3600);
			// A day of 25 hours leaves the last day an hour short.
			assert.equal(found.length, lengths.includes(25) ? options.days - 1 : options.days);
			assert.equal(lengths.filter((hours) => hours === 23 || hours === 25).length, 1, `${lengths}`);
			assert.ok((await days.trueHistory("hours")).length > 20 * options.days);
			assert.ok((await days.trueHistory("quarters")).length > 80);
		});

		it("sends each hour's consumption to the statistics of the hub", () => {
			const changes = days.surroundings.statistics.changesOf("import", "gateway");
			assert.ok(changes.size > 20 * options.days, `${changes.size} hours`);
			for (const [start, import_wh] of changes)
				if (start * 1000 > options.startMs) days.isTrue({ start, end: start + 3600, import_wh });
		});

		it("serves live values and events, and asks its servers, all the time", () => {
			const { hawkBit, live, streamedBytes } = days.surroundings;
			for (const [name, count] of Object.entries({ ...live, streamedBytes, polls: hawkBit.polls.length }))
				assert.ok(count > 100 * options.days, `${name}: ${count}`);
		});

		it("keeps to the same keys in flash, timers, tasks, connections and slots, day after day", function () {
			const [first, ...later] = days.counts;
			const { keys, ...counts } = first;
			this.test!.title += ` (${JSON.stringify(counts)}, ${keys.split(" ").length} keys)`;
			for (const [day, count] of later.entries()) {
				const { slots = 0, timers, connections } = count;
				const shown = `day ${day + 1}: ${JSON.stringify(count)}`;
				assert.deepEqual([count.keys, count.tasks], [keys, first.tasks], shown);
				assert.ok(timers <= first.timers + MOMENTARY && connections <= first.connections + MOMENTARY, shown);
				assert.ok(slots <= (first.slots ?? 0) + SLOTS_MARGIN, shown);
			}
		});
	});
}

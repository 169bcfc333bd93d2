import assert from "node:assert/strict";
import { TimeZone } from "../../modules/time/zone.js";
import { buildTable, parseRule, readZone, readZones } from "../../tools/timezone-table.js";
import { NAMES, RELEASE, TABLE } from "../time/zones.js";

/** Bytes; flash also holds a web page and a firmware of 1.9 MB. */
const SIZE_LIMIT = 10 * 1024;

describe("The generator of the time-zone table", () => {
	const zones = readZones();
	const same = "makes the committed table again from this machine's database";
	if (zones?.release !== RELEASE) {
		it(`${same} (skipped: the zones here are ${zones?.release ?? "none"}, those of the table ${RELEASE})`);
	} else {
		it(same, () => {
			const message = "run `node .build/tools/timezone-table.js` and commit modules/resources/timezones.bin";
			assert.ok(Buffer.from(buildTable(zones)).equals(TABLE), message);
		});
	}

	it("keeps the table within its share of flash, with all names in order", () => {
		assert.ok(TABLE.length <= SIZE_LIMIT, `${TABLE.length} bytes`);
		assert.ok(NAMES.length > 590, `${NAMES.length} names`);
		assert.deepEqual(NAMES, [...new Set(NAMES)].sort());
	});

	it("reads TZ strings", () => {
		assert.deepEqual(parseRule("<+0545>-5:45"), { standardS: 20_700, savingS: 20_700, changes: [] });
		assert.deepEqual(parseRule("EST5EDT,M3.2.0,M11.1.0"), {
			standardS: -18_000,
			savingS: -14_400,
			changes: [
				{ month: 3, week: 2, day: 0, timeS: 7200 },
				{ month: 11, week: 1, day: 0, timeS: 7200 },
			],
		});
		assert.deepEqual(parseRule("IST-1GMT0,M10.5.0,M3.5.0/1").savingS, 0);
		const nuuk = parseRule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
		assert.deepEqual(
			nuuk.changes.map(({ timeS }) => timeS),
			[-3600, 0],
		);
		assert.deepEqual(parseRule("AAA3BBB,J59/50,J365/-0:15").changes, [
			{ month: 2, week: 0, day: 28, timeS: 180_000 },
			{ month: 12, week: 0, day: 31, timeS: -900 },
		]);
	});

	it("rejects rules that it has no form for, instead of changing them", () => {
		for (const rule of [
			"",
			"EST",
			"EST5EDT",
			"EST5EDT,M3.2.0",
			"EST5EDT,59,300",
			"EST5EDT,J0,J366",
			"AAA1BBB,M3.2,M4.1.0",
		])
			assert.throws(() => parseRule(rule), rule);
		const table = (rule: string) =>
			buildTable({ release: RELEASE, names: new Map([["A", { transitions: [], rule }]]) });
		assert.throws(() => table("LMT0:53:28"), /quarters/);
		assert.throws(() => table("AAA40"), /offset/);
		assert.throws(() => readZone(Buffer.alloc(100)), /TZif/);
	});

	it("stores exceptions to the rule, including a year without daylight-saving time, in five bytes each", () => {
		const second = (year: number, month: number, day: number, hour: number) => Date.UTC(year, month, day, hour) / 1000;
		const transitions = [
			{ atS: second(2023, 9, 29, 1), offsetS: 3600 },
			{ atS: second(2025, 2, 30, 1), offsetS: 7200 },
			{ atS: second(2025, 9, 26, 1), offsetS: 3600 },
		];
		const zone = { transitions, rule: "CET-1CEST,M3.5.0,M10.5.0/3" };
		const plain = buildTable({ release: RELEASE, names: new Map([["A", { ...zone, transitions: [] }]]) });
		const table = buildTable({ release: RELEASE, names: new Map([["A", zone]]) });
		assert.equal(table.length, plain.length + 5);
		const stored = new TimeZone(table);
		stored.select("A");
		const summers = [2024, 2025, 2026].map((year) => stored.offsetMinutes(Date.UTC(year, 6, 1)));
		assert.deepEqual(summers, [60, 120, 120]);
	});
});

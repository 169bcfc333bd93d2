/** Routes `prices` and `prices/dynamic`: periods with their bounds, days, windows, media, currency; dynamic prices. */
import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway } from "./gateway.js";

const PATH = "prices";
const KWH_LIMIT = 2_000_000_000;
const BASE_LIMIT = 100_000_000_000;
const NO_NUMBER = ["1", "", true, null, [], [1], {}, 1.5, 1e40];
const PLAIN = { from: "2026-01-01", import_micro: 318_700 };
const DEFAULTS = { export_micro: 0, base_micro: 0, base_per: "month" };
const FULL = {
	from: "2026-03-29",
	import_micro: 318_700,
	import_t2_micro: 264_300,
	export_micro: 80_300,
	base_micro: 154_800_000,
	base_per: "year",
};

export function pricesChecks(gateway: () => TestGateway): void {
	describe("the prices", () => {
		const read = () => gateway().read(PATH);
		const write = (periods: readonly JSONObject[], currency = "EUR") => gateway().write(PATH, { periods, currency });
		const refused = async (body: JSONObject | string, code: string, field: string) => {
			const before = await read();
			isError(await gateway().post(PATH, body), 400, code, field);
			assert.deepEqual(await read(), before);
		};
		/** Checks that a second period with this member is rejected. */
		const wrong = (member: JSONObject, code = "invalid_field") => {
			const [name] = Object.keys(member);
			return refused({ periods: [PLAIN, { ...FULL, ...member }] }, code, `periods[1].${name}`);
		};
		const stored = async (member: JSONObject) => {
			const [name] = Object.keys(member);
			const { periods } = await write([{ ...FULL, ...member }]);
			assert.deepEqual(periods, [{ ...FULL, ...member }], name);
		};

		beforeEach(() => write([]));
		after(async () => {
			await gateway().login();
			await write([]);
		});

		it("have no periods at first, and are in euro", async () => {
			await gateway().restartWithout("prices");
			await gateway().login();
			assert.deepEqual(await read(), { periods: [], currency: "EUR" });
		});
		it("are stored as sent, with defaults for what was omitted, and survive a restart", async () => {
			const all = { periods: [{ ...PLAIN, ...DEFAULTS }, FULL], currency: "PLN" };
			assert.deepEqual(await write([PLAIN, FULL], "PLN"), all);
			await gateway().restartAndLogin();
			assert.deepEqual(await read(), all);
			assert.deepEqual(await gateway().write(PATH, { periods: [FULL] }), { periods: [FULL], currency: "PLN" });
			await gateway().restartAndLogin("prices");
			assert.deepEqual(await read(), { periods: [], currency: "EUR" });
		});
		it("have at most 16 periods", async () => {
			const of = (count: number) => Array.from({ length: count }, (_, i) => ({ ...FULL, from: `20${i + 10}-01-01` }));
			assert.equal((await write(of(15))).periods.length, 15);
			assert.deepEqual((await write(of(16))).periods, of(16));
			await refused({ periods: of(17) }, "invalid_field", "periods");
			for (const periods of [null, "", 1, {}, [1], [[]], [null]])
				await refused({ periods }, "invalid_field", "periods");
			await refused({ currency: "EUR" }, "missing_field", "periods");
		});
		it("accept amounts per kWh within bounds on both sides of zero", async () => {
			for (const name of ["import_micro", "import_t2_micro", "export_micro"]) {
				for (const value of [-KWH_LIMIT, 1 - KWH_LIMIT, -1, 0, 1, KWH_LIMIT - 1, KWH_LIMIT])
					await stored({ [name]: value });
				for (const value of [...NO_NUMBER, -KWH_LIMIT - 1, KWH_LIMIT + 1]) await wrong({ [name]: value });
			}
		});
		it("have a base charge that is not negative, per month or year", async () => {
			for (const base_micro of [0, 1, 2 ** 32, BASE_LIMIT - 1, BASE_LIMIT]) await stored({ base_micro });
			for (const base_micro of [...NO_NUMBER, -1, BASE_LIMIT + 1]) await wrong({ base_micro });
			for (const base_per of ["month", "year"]) await stored({ base_per });
			for (const base_per of ["", "day", "Month", 1, null]) await wrong({ base_per });
		});
		it("begin on an existing day of the years 2000 to 2099", async () => {
			for (const from of ["2000-01-01", "2000-02-29", "2024-02-29", "2026-12-31", "2099-12-31"]) await stored({ from });
			for (const from of [
				..."1999-12-31 2100-01-01 2026-02-29 2026-00-10 2026-13-01 2026-04-31 2026-01-00 2026-01-32".split(" "),
				..."2026-1-1 20260101 2026/01/01 2026-01-1 02026-01-01 ---------- 0101010101 01-01-2026".split(" "),
				...["", " 2026-01-01", "2026-01-01T00:00", 20260101, null],
			]) {
				await wrong({ from });
			}
		});
		it("require a first day and an import price; two periods can't begin on the same day", async () => {
			const { from, import_micro } = PLAIN;
			await refused({ periods: [FULL, { import_micro }] }, "missing_field", "periods[1].from");
			await refused({ periods: [FULL, { from }] }, "missing_field", "periods[1].import_micro");
			await refused({ periods: [FULL, PLAIN, { ...PLAIN, import_micro: 1 }] }, "invalid_field", "periods[2].from");
		});
		it("have windows of time in their period, by quarter hours and weekdays", async () => {
			const night = { from: FULL.from, import_micro: 200_000, weekdays: 127, start_minute: 1320, end_minute: 360 };
			const sunday = { from: FULL.from, import_micro: 1, weekdays: 64, start_minute: 0, end_minute: 1440 };
			assert.deepEqual((await write([night, FULL, sunday])).periods, [night, FULL, sunday]);
			const { periods } = await write([FULL, { from: FULL.from, import_micro: 1, weekdays: 64, import_t2_micro: 9 }]);
			assert.deepEqual(periods, [FULL, sunday]);
			for (const member of [
				...[-15, 1, 1430, 1440, "0"].map((start_minute) => ({ start_minute })),
				...[0, 14, 1441, 1455, null].map((end_minute) => ({ end_minute })),
				...[0, 128, 1.5, "1"].map((weekdays) => ({ weekdays })),
			]) {
				const [name] = Object.keys(member);
				await refused({ periods: [FULL, { ...night, ...member }] }, "invalid_field", `periods[1].${name}`);
			}
			await refused({ periods: [FULL, { ...night, medium: "gas" }] }, "invalid_field", "periods[1].medium");
		});
		it("exist for gas, water and heat too, each with its own days", async () => {
			const gas = { from: FULL.from, medium: "gas", import_micro: 1_100_000, ...DEFAULTS };
			const others = ["water", "heat"].map((medium) => ({ ...gas, medium }));
			assert.deepEqual((await write([gas, ...others, FULL])).periods, [gas, ...others, FULL]);
			await refused({ periods: [gas, FULL, gas] }, "invalid_field", "periods[2].from");
			for (const medium of ["", "Gas", "oil", 1, null]) await wrong({ medium });
		});
		it("may be dynamic", async () => {
			assert.deepEqual((await write([{ ...FULL, dynamic: true }])).periods, [{ ...FULL, dynamic: true }]);
			assert.deepEqual((await write([{ ...FULL, dynamic: false }])).periods, [FULL]);
			for (const dynamic of [0, "true", null]) await wrong({ dynamic });
		});
		it("have a currency of three capital letters", async () => {
			for (const currency of ["AAA", "ZZZ", "CHF"]) assert.equal((await write([PLAIN], currency)).currency, currency);
			for (const currency of ["", "EU", "EURO", "eur", "E1R", "€€€", 1, null])
				await refused({ periods: [], currency }, "invalid_field", "currency");
		});
		it("can be read with a read-only token, but not changed", async () => {
			await write([FULL]);
			const { token, id } = await gateway().write("system/tokens", { name: "reader", scope: "read" });
			assert.deepEqual((await gateway().read(PATH, { token })).periods, [FULL]);
			isError(await gateway().post(PATH, { periods: [] }, { token }), 403, "forbidden_scope");
			assert.equal((await gateway().request("DELETE", `system/tokens/${id}`)).status, 200);
			assert.deepEqual((await read()).periods, [FULL]);
		});
	});

	describe("the dynamic prices", () => {
		const DYNAMIC = `${PATH}/dynamic`;
		const QUARTER = 900;
		let now: number;
		const of = (...prices: number[]) => prices.map((import_micro) => ({ import_micro }));
		const put = async (start: number, step_minutes: number, ...prices: number[]) =>
			gateway().write(DYNAMIC, { start, step_minutes, prices: of(...prices) });
		const valuesOf = ({ prices }: JSONObject) => prices.map(({ import_micro }: JSONObject) => import_micro);
		const refused = async (body: JSONObject, code: string, field: string) => {
			const before = await gateway().read(DYNAMIC);
			isError(await gateway().post(DYNAMIC, body), 400, code, field);
			assert.deepEqual(await gateway().read(DYNAMIC), before);
		};

		beforeEach(async () => {
			await gateway().write("system/clock", { timestamp: 1_795_159_187 });
			now = 1_795_159_187 - (1_795_159_187 % 3600);
			await put(now, 15);
		});
		after(async () => {
			await gateway().login();
			await put(now, 15);
		});

		it("are none at first, are kept by the quarter hour, and are gone after a restart", async () => {
			const none = await gateway().read(DYNAMIC);
			assert.deepEqual(none, { start: 0, step_minutes: 15, prices: [] });
			assert.deepEqual(await put(now, 60, 300_000, -2_000_000_000), {
				start: now,
				step_minutes: 15,
				prices: of(...Array(4).fill(300_000), ...Array(4).fill(-2_000_000_000)),
			});
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read(DYNAMIC), none);
		});
		it("replace those of the same time, follow others, and leave a gap unknown", async () => {
			await put(now, 15, 1, 2, 3);
			assert.deepEqual(valuesOf(await put(now + QUARTER, 15, 9)), [1, 9, 3]);
			assert.deepEqual(valuesOf(await put(now - QUARTER, 15, 8)), [8, 1, 9, 3]);
			assert.deepEqual(valuesOf(await put(now + 4 * QUARTER, 15, 7)), [8, 1, 9, 3, null, 7]);
			assert.equal((await gateway().read(DYNAMIC)).start, now - QUARTER);
		});
		it("are at most 192 in a request, and those of two days ago are dropped", async () => {
			const day = Array.from({ length: 96 }, (_, i) => i);
			await put(now - 86_400, 15, ...day, ...day);
			await refused({ start: now, step_minutes: 15, prices: of(...day, ...day, 1) }, "invalid_field", "prices");
			const { start, prices } = await put(now - 3 * 86_400, 60, ...day.slice(0, 72));
			const keptS = 1_795_159_187 - (1_795_159_187 % QUARTER) - 2 * 86_400;
			assert.deepEqual([start, prices.length], [keptS, (now + 86_400 - keptS) / QUARTER]);
			assert.deepEqual(valuesOf(await put(now - 5 * 86_400, 15, 1)), valuesOf({ prices }));
		});
		it("refuse other times, steps and prices, and keep what is stored", async () => {
			await put(now, 15, 1, 2, 3);
			const good = { start: now, step_minutes: 15, prices: of(5) };
			for (const start of [now + 1, now + 800, now + 4 * 86_400, 0, "1", null, 1.5])
				await refused({ ...good, start }, "invalid_field", "start");
			for (const step_minutes of [0, 30, 1440, "15", null])
				await refused({ ...good, step_minutes }, "invalid_field", "step_minutes");
			for (const import_micro of [...NO_NUMBER, KWH_LIMIT + 1, -KWH_LIMIT - 1])
				await refused({ ...good, prices: [{ import_micro }] }, "invalid_field", "prices[0].import_micro");
			for (const prices of [null, 1, [1], "x"]) await refused({ ...good, prices }, "invalid_field", "prices");
			for (const name of ["start", "step_minutes", "prices"])
				await refused({ ...good, [name]: undefined }, "missing_field", name);
		});
	});
}

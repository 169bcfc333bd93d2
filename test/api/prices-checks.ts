/** Route `prices`: periods with their bounds, days, currency. */
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
			await gateway().restart();
			await gateway().login();
			assert.deepEqual(await read(), all);
			assert.deepEqual(await gateway().write(PATH, { periods: [FULL] }), { periods: [FULL], currency: "PLN" });
			await gateway().restart("prices");
			await gateway().login();
			assert.deepEqual(await read(), { periods: [], currency: "EUR" });
		});
		it("have at most eight periods", async () => {
			const of = (count: number) => Array.from({ length: count }, (_, i) => ({ ...FULL, from: `202${i}-01-01` }));
			assert.equal((await write(of(7))).periods.length, 7);
			assert.deepEqual((await write(of(8))).periods, of(8));
			await refused({ periods: of(9) }, "invalid_field", "periods");
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
}

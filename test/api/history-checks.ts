/** `meter/history`: parameters and form of the replies; history.test.ts checks their contents. */
import assert from "node:assert/strict";
import { isError, type TestGateway, vectorOf } from "./gateway.js";

const PERIODS = ["quarters", "hours", "days", "months"];
const NAMES = "start,end,local_start,import_wh,export_wh,gas_l,water_l,heat_wh,marks,import_t2_wh\r\n";
const CSV = { headers: { Accept: "text/csv" } };

export function historyChecks(gateway: () => TestGateway): void {
	describe("GET meter/history", () => {
		it("lists each kind of period, and days by default", async () => {
			for (const period of PERIODS) {
				const reply = await gateway().read(`meter/history?period=${period}`);
				assert.equal(reply.period, period);
				assert.ok(Array.isArray(reply.periods));
			}
			assert.equal((await gateway().read("meter/history")).period, "days");
		});
		it("replies with CSV if the client accepts it, otherwise with JSON", async () => {
			const reply = await gateway().get("meter/history?period=hours", CSV);
			assert.deepEqual([reply.status, reply.headers.get("content-type")], [200, "text/csv"]);
			assert.ok(reply.text.startsWith(NAMES), reply.text);
			for (const accept of ["*/*", "application/json", "text/html"])
				await gateway().read("meter/history", { headers: { Accept: accept } });
		});
		it("still replies after a readout", async () => {
			const { telegram } = vectorOf("landis-gyr-zmf100-m26-padded-left");
			await gateway().connectMeter({ telegram });
			await gateway().read("iec62056/read");
			await gateway().pass(1500);
			await gateway().read("meter/history?period=quarters");
		});
		for (const field of ["from", "to"]) {
			it(`accepts times from 0 to 4102444799 as ${field}`, async () => {
				for (const good of ["0", "1795154400", "4102444799", "0001"])
					await gateway().read(`meter/history?period=days&${field}=${good}`);
				for (const bad of ["", "-1", "1.5", "1e9", "4102444800", "99999999999", "now", "%20", "+1", "0x10", "NaN"])
					isError(await gateway().get(`meter/history?period=days&${field}=${bad}`), 400, "invalid_field", field);
			});
		}
		it("rejects any other period", async () => {
			for (const bad of ["", "hour", "Hours", "years", "hours%20", "0", "constructor", "__proto__"])
				isError(await gateway().get(`meter/history?period=${bad}`), 400, "invalid_field", "period");
		});
		it("is empty if `to` precedes `from`", async () => {
			const { periods } = await gateway().read("meter/history?period=months&from=1795154400&to=1795154399");
			assert.deepEqual(periods, []);
		});
		it("needs a token", async () => {
			isError(await gateway().get("meter/history?period=days", { token: null }), 401, "unauthorized");
			isError(await gateway().get("meter/history", { token: "0".repeat(64), ...CSV }), 401, "unauthorized");
		});
	});
}

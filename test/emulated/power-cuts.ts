/** Power cuts: when idle, and at any moment while settings are written. Acknowledged settings must survive. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../hosts/node/random.js";
import type { EmulatedBoard } from "./board.js";
import { P1, readMeter } from "./readouts.js";

const QUARTER_MS = 900_000;
const CUTS = 5;
/** Time within which the power is cut, ms; longer than a write takes. */
const CUT_WITHIN_MS = 2000;
const FIRST_BAUD = 1000;

export function powerCuts(emulated: EmulatedBoard): void {
	const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

	it("keeps settings and history across a power cut", async () => {
		await readMeter(emulated, P1);
		await emulated.client.post("system/timezone", { timezone: "Europe/Warsaw" });
		const now = Date.now();
		// A telegram comes each second; the first in each quarter hour is stored.
		const quarters = [1, 2].map((count) => now - (now % QUARTER_MS) + count * QUARTER_MS);
		for (const utcMs of quarters) {
			await emulated.setClock(utcMs);
			const before = await emulated.metric("smartmeter_readouts_total");
			while ((await emulated.metric("smartmeter_readouts_total")) < before + 2) await sleep(200);
		}
		const path = `meter/history?period=quarters&from=${quarters[0] / 1000}&to=${quarters[1] / 1000}`;
		const history = await emulated.client.get(path);
		assert.equal(history["periods"].length, 1, JSON.stringify(history));
		await emulated.cutPower();
		await emulated.powerOn();
		await emulated.setClock(quarters[1] + 1000);
		assert.deepEqual(await emulated.client.get(path), history);
		assert.equal((await emulated.client.get("system/timezone"))["timezone"], "Europe/Warsaw");
	});

	it(`has the old or the new setting after a power cut at any moment of a write (SEED=${seed})`, async () => {
		const random = new SeededRandom(seed);
		let baud = FIRST_BAUD;
		const set = (value: number) => emulated.client.post("iec62056/config", { baudrate_max: value });
		await set(baud);
		for (let cut = 0; cut < CUTS; cut++) {
			let isCut = false;
			const cutting = sleep(random.below(CUT_WITHIN_MS)).then(async () => {
				isCut = true;
				await emulated.cutPower();
			});
			let storedBaud = baud;
			while (!isCut) {
				const acknowledged = await set(++baud).then(
					() => true,
					() => false,
				);
				if (acknowledged) storedBaud = baud;
			}
			await cutting;
			await emulated.powerOn();
			const found = (await emulated.client.get("iec62056/config"))["baudrate_max"];
			assert.ok(found === storedBaud || found === baud, `cut ${cut}: ${found}, not ${storedBaud} or ${baud}`);
			baud = found;
		}
	});
}

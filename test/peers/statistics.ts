/** Our gateway sends its history as statistics over Home Assistant's WebSocket, and the test reads them back. */
import assert from "node:assert/strict";
import { vectorOf } from "../api/gateway.js";
import { type Home, METER, sendNow, slugOf, waitFor } from "./home.js";

/** Limit for all rows, ms; a retry after a failure of states is due within half a minute. */
const LIMIT_MS = 120_000;
const HOUR_S = 3600;
/** Counters of the meter at the beginning of each hour, Wh. */
const IMPORTED = [15_882_692, 15_883_001, 15_883_500, 15_883_500, 15_890_123, 15_890_200, 15_891_000];
const EXPORTED = [219_488, 219_488, 219_600, 220_100, 220_100, 220_101, 220_300];
/** Beginning of the first hour, a past one. */
const START_S = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S - 10 * HOUR_S;

interface Row {
	readonly start: number;
	readonly change: number;
	readonly sum: number;
}

/** Reads the meter shortly after the beginning of these hours. */
async function readHours({ gateway }: Home, from: number, to: number): Promise<void> {
	const telegram = Buffer.from(vectorOf(METER).telegram).toString("latin1");
	const kWh = (wh: number, digits: number) => (wh / 1000).toFixed(4).padStart(digits, "0");
	for (let hour = from; hour <= to; hour++) {
		const now = telegram
			.replace("015882.6927", kWh(IMPORTED[hour], 11))
			.replace("000219.4882", kWh(EXPORTED[hour], 11));
		await gateway.connectMeter({ telegram: withCheck(Buffer.from(now, "latin1")) });
		// The new time may start a scheduled readout, which must not lose its meter.
		await gateway.write("system/clock", { timestamp: START_S + hour * HOUR_S + 5 });
		// The clock jumps, so the counter does too, and a second readout must confirm it.
		await gateway.read("iec62056/read");
		await gateway.read("iec62056/read");
	}
}

/** The telegram with its right BCC (IEC 62056-21, 6.3.6): over all after STX up to ETX. */
function withCheck(telegram: Buffer): Uint8Array {
	const end = telegram.lastIndexOf(3);
	if (end < 0 || end + 1 >= telegram.length) return telegram;
	telegram[end + 1] = telegram.subarray(telegram.indexOf(2) + 1, end + 1).reduce((sum, byte) => sum ^ byte, 0);
	return telegram;
}

function idOf({ gateway }: Home, key: string): string {
	return `smart_meter_gateway:${slugOf(gateway.hostname)}_${key}`;
}

/** Rows from the first hour on, with the consumption as the energy dashboard asks for it. */
async function rowsOf(home: Home, key: string): Promise<Row[]> {
	const id = idOf(home, key);
	const [result] = await home.hass.sendCommands({
		type: "recorder/statistics_during_period",
		start_time: new Date((START_S - HOUR_S) * 1000).toISOString(),
		statistic_ids: [id],
		period: "hour",
		types: ["change", "sum"],
	});
	return result[id] ?? [];
}

/** Waits until Home Assistant has these hours, and compares each with the meter. */
async function check(home: Home, hours: number): Promise<void> {
	await waitFor(`not all of ${hours} hours arrive`, LIMIT_MS, async () => {
		const { hub_statistics, hub_statistics_upto } = await home.gateway.read("system/status");
		assert.ok(["ok", "waiting"].includes(String(hub_statistics)), String(hub_statistics));
		if (hub_statistics_upto !== START_S + hours * HOUR_S) return undefined;
		return (await rowsOf(home, "import")).length >= hours ? true : undefined;
	});
	for (const [key, counters] of [
		["import", IMPORTED],
		["export", EXPORTED],
	] as const) {
		const rows = await rowsOf(home, key);
		assert.deepEqual(
			rows.map(({ start, change, sum }) => [start / 1000, Math.round(change * 1000), Math.round(sum * 1000)]),
			Array.from({ length: hours }, (_, i) => [START_S + i * HOUR_S, counters[i + 1] - counters[i], counters[i + 1]]),
			key,
		);
	}
}

function save({ gateway, hass }: Home): Promise<unknown> {
	return gateway.write("hub", { enabled: true, url: hass.url, token: hass.token, lang: "en", statistics: true });
}

export const statisticsCases = [
	{
		name: "Home Assistant has each hour of the history, and no consumption before it",
		async run(home: Home) {
			await home.gateway.write("hub", { enabled: false });
			await readHours(home, 0, 3);
			await save(home);
			await check(home, 3);
		},
	},
	{
		name: "statistics that are sent twice are the same",
		async run(home: Home) {
			const before = await rowsOf(home, "import");
			await save(home);
			await waitFor("they are not sent again", LIMIT_MS, async () => {
				const { hub_statistics_upto } = await home.gateway.read("system/status");
				return hub_statistics_upto === START_S + 3 * HOUR_S ? true : undefined;
			});
			assert.deepEqual(await rowsOf(home, "import"), before);
			await check(home, 3);
		},
	},
	{
		name: "Home Assistant has the hours in which it was away, after a restart of both",
		async run(home: Home) {
			const { gateway, hass } = home;
			await hass.end();
			await readHours(home, 4, 6);
			await gateway.killed();
			await gateway.login();
			await gateway.write("system/clock", { timestamp: START_S + 6 * HOUR_S + 60 });
			await hass.begin();
			assert.equal((await sendNow(gateway, "hub/send")).retcode, 0);
			await check(home, 6);
		},
	},
	{
		name: "the energy dashboard finds nothing wrong with the statistics",
		async run(home: Home) {
			assert.deepEqual(await home.hass.validateEnergy(idOf(home, "import"), idOf(home, "export")), []);
		},
	},
];

/** The simulator's fast time: the class by itself, then a whole gateway that uses it. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { FastTime } from "../../../hosts/node/fast-time.js";
import type { Host, SerialOptions } from "../../../modules/io/host.js";
import type { JSONObject } from "../../api/gateway.js";
import { type EngineName, OUR_METER, ProcessGateway } from "../../api/process-gateway.js";

const HOUR_MS = 3_600_000;

describe("FastTime", () => {
	/** The computer's time, ms, set by the test. */
	let computerMs = 0;
	const { now } = performance;
	beforeEach(() => {
		performance.now = () => computerMs;
	});
	afterEach(() => {
		performance.now = now;
	});

	it("advances the monotonic time and UTC at a multiple of the computer's speed", () => {
		const time = new FastTime(1000);
		time.started();
		assert.equal(time.utcMs(), undefined);
		time.setUTC(Date.UTC(2026, 0, 31));
		const fromMs = time.monotonicMs();
		computerMs += 100;
		assert.equal(time.monotonicMs() - fromMs, 100_000);
		assert.equal(time.utcMs()! - time.monotonicMs(), Date.UTC(2026, 0, 31));
	});

	it("calls back exactly at the requested times and in order, however late the computer is", async () => {
		const time = new FastTime(100_000);
		time.started();
		const fromMs = time.monotonicMs();
		const called: [hour: number, atMs: number][] = [];
		const note = (hour: number) => called.push([hour, time.monotonicMs() - fromMs]);
		await new Promise<void>((resolve) => {
			for (const hour of [3, 1, 4, 2]) {
				time.set(() => {
					note(hour);
					if (hour === 1) time.set(() => note(1.5), HOUR_MS / 2);
					if (hour === 4) resolve();
				}, hour * HOUR_MS);
			}
			time.clear(time.set(() => note(99), HOUR_MS));
			computerMs += 300;
		});
		assert.deepEqual(
			called,
			[1, 1.5, 2, 3, 4].map((hour) => [hour, hour * HOUR_MS]),
		);
	});

	it("runs at the computer's speed while a client is connected, and reports this", async () => {
		const time = new FastTime(1000);
		const paces: number[] = [];
		time.onPace = (_nowMs, speed) => paces.push(speed);
		let closed = 0;
		const serial = {
			meter: {
				io: class {
					readonly options: SerialOptions;
					constructor(options: SerialOptions) {
						this.options = options;
					}
					close(): void {
						closed++;
					}
				},
				pins: {},
				hardwareParity: false,
			},
		};
		const http = { io: class {}, socket: class {}, pins: {}, secure: false };
		const host = { clock: time, timers: time, serial, network: { http } } as unknown as Host;
		const { meter } = time.watch(host).serial;
		const passed = async () => {
			const fromMs = time.monotonicMs();
			computerMs += 50;
			// Due timers are called in later ticks.
			await sleep(20);
			return time.monotonicMs() - fromMs;
		};
		let called = false;
		assert.equal(await passed(), 50, "before the gateway has started");
		time.started();
		assert.equal(await passed(), 50_000);
		const port = new meter.io({ baud: 300, format: 0 }, meter.pins);
		assert.equal((port as unknown as { options: SerialOptions }).options.baud, 300);
		const id = time.set(() => (called = true), 1000);
		assert.equal(await passed(), 50);
		assert.equal(called, false);
		port.close();
		port.close();
		assert.equal(closed, 2);
		assert.equal(await passed(), 50_000);
		assert.equal(called, true);
		time.clear(id);
		assert.deepEqual(paces.slice(0, 3), [1000, 1, 1000]);
	});
});

for (const engine of ["node", "xs"] satisfies EngineName[]) {
	describe(`npm start -- --engine ${engine} --speed 6000`, function () {
		this.timeout(120_000);

		it("fills its history past the end of a month, and slows down for a client", async () => {
			const args = ["--time", "2026-01-31T21:20:00Z", "--speed", "6000"];
			const gateway = await ProcessGateway.start(engine, { meterPath: OUR_METER, args });
			try {
				// `start` opens an HTTPS connection; until that is closed, time runs at the computer's speed.
				const readouts = () => gateway.diagnosis.split("sends the block").length - 1;
				for (const limitMs = Date.now() + 90_000; readouts() < 16; await sleep(100))
					assert.ok(Date.now() < limitMs, gateway.diagnosis);
				await gateway.login();
				const history = async (period: string): Promise<JSONObject[]> =>
					(await gateway.read(`meter/history?period=${period}`)).periods;
				const months = await history("months");
				assert.deepEqual(
					months.map(({ localtime }) => localtime.slice(0, 7)),
					["2026-01", "2026-02"],
				);
				assert.equal((await history("days")).length, 2);
				const quarters = await history("quarters");
				assert.ok(quarters.length >= 14, `${quarters.length}`);
				// The meter was read exactly at each quarter of an hour.
				for (const quarter of quarters.slice(1, -1)) {
					assert.equal(quarter.interpolated ?? quarter.gap, undefined, JSON.stringify(quarter));
					assert.ok(quarter.import_wh > 50 && quarter.import_wh < 500, JSON.stringify(quarter));
				}
				const { readings } = await gateway.read("iec62056/last");
				const clock = readings.find(({ obis }: JSONObject) => obis === "0.9.1").value1;
				assert.match(clock, /^\d\d:(00|15|30|45):[0-3]\d$/, `${clock}: the meter has the time of the gateway`);
				const uptime = async () => (await gateway.read("system/log")).uptime;
				const before = await uptime();
				await sleep(1500);
				assert.ok((await uptime()) - before <= 3, "time has normal speed while a client is connected");
			} finally {
				await gateway.stop();
			}
		});
	});
}

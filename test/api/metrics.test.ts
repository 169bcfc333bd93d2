/** `GET metrics`: its form, and that it has the readings of `GET iec62056/last`. Runs in virtual time. */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { PARTS } from "../../modules/app/parts.js";
import type { Core } from "../../modules/core/core.js";
import { JSONStream } from "../../modules/json/stream.js";
import { JSONWriter } from "../../modules/json/writer.js";
import { FAILURE_PORT } from "../../modules/meter/failures.js";
import { ReadOutcomes } from "../../modules/meter/outcomes.js";
import { METER } from "../../modules/parts/meter/part.js";
import { PEAKS } from "../../modules/parts/peaks/part.js";
import { Exposition } from "../../modules/parts/system/metrics.js";
import { ZIGBEE } from "../../modules/parts/zigbee/part.js";
import type { MeterMode } from "../../tools/meter/telegram.js";
import { readoutOf } from "../history/unit.js";
import { iecVectors } from "../vectors.js";
import { isError, type JSONObject } from "./gateway.js";
import { readMetrics, type Sample } from "./metrics-text.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const SERIES_LIMIT = 64;
const CODE = /^(\d+-)?(\d+:)?(\d+|[CFLP])(\.(\d+|F)){1,2}$/;

/** Metric and factor for each spelling of a unit in the captures. */
const UNITS: Readonly<Record<string, readonly [string, number]>> = {
	Wh: ["energy_kwh_total", 0.001],
	kWh: ["energy_kwh_total", 1],
	KWH: ["energy_kwh_total", 1],
	KWh: ["energy_kwh_total", 1],
	kwh: ["energy_kwh_total", 1],
	MWh: ["energy_kwh_total", 1000],
	GWh: ["energy_kwh_total", 1e6],
	varh: ["reactive_energy_kvarh_total", 0.001],
	kvarh: ["reactive_energy_kvarh_total", 1],
	kVarh: ["reactive_energy_kvarh_total", 1],
	kVArh: ["reactive_energy_kvarh_total", 1],
	kVARh: ["reactive_energy_kvarh_total", 1],
	KVARH: ["reactive_energy_kvarh_total", 1],
	Mvarh: ["reactive_energy_kvarh_total", 1000],
	VAh: ["apparent_energy_kvah_total", 0.001],
	kVAh: ["apparent_energy_kvah_total", 1],
	MVAh: ["apparent_energy_kvah_total", 1000],
	J: ["energy_joules_total", 1],
	MJ: ["energy_joules_total", 1e6],
	GJ: ["energy_joules_total", 1e9],
	W: ["power_watts", 1],
	kW: ["power_watts", 1000],
	KW: ["power_watts", 1000],
	MW: ["power_watts", 1e6],
	var: ["reactive_power_vars", 1],
	kvar: ["reactive_power_vars", 1000],
	kVar: ["reactive_power_vars", 1000],
	kVAr: ["reactive_power_vars", 1000],
	kVAR: ["reactive_power_vars", 1000],
	Mvar: ["reactive_power_vars", 1e6],
	VA: ["apparent_power_voltamperes", 1],
	kVA: ["apparent_power_voltamperes", 1000],
	MVA: ["apparent_power_voltamperes", 1e6],
	V: ["voltage_volts", 1],
	kV: ["voltage_volts", 1000],
	mV: ["voltage_volts", 0.001],
	A: ["current_amperes", 1],
	kA: ["current_amperes", 1000],
	mA: ["current_amperes", 0.001],
	Hz: ["frequency_hertz", 1],
	hz: ["frequency_hertz", 1],
	HZ: ["frequency_hertz", 1],
	m3: ["volume_cubic_meters_total", 1],
	l: ["volume_cubic_meters_total", 0.001],
	L: ["volume_cubic_meters_total", 0.001],
};

function telegramOf(...lines: string[]): Uint8Array {
	const block = `${lines.join("\r\n")}\r\n!\r\n\x03`;
	const check = Buffer.from(block, "latin1").reduce((sum, byte) => sum ^ byte, 0);
	return new Uint8Array(Buffer.from(`/XYZ5METER\r\n\x02${block}${String.fromCharCode(check)}`, "latin1"));
}

/** Expected values of readings; a key is `<metric> <code>`. */
function expectedOf(readings: readonly JSONObject[]): Map<string, number> {
	const all = new Map<string, number>();
	for (const { obis_long, value1_number, value1_unit, billing_period, attribute } of readings) {
		const unit = UNITS[value1_unit];
		if (unit === undefined || value1_number === null || billing_period !== null || attribute !== undefined) continue;
		if (!CODE.test(obis_long) || /^(\d+-)?(\d+:)?(98|99|[LP])\./.test(obis_long)) continue;
		if (/^(0-0:17|1-0:31\.4|1-\d:0|0)\./.test(obis_long)) continue;
		const key = `smartmeter_${unit[0]} ${obis_long}`;
		if (!all.has(key) && all.size < SERIES_LIMIT) all.set(key, value1_number * unit[1]);
	}
	return all;
}

describe("GET metrics", function () {
	this.timeout(120_000);
	let gateway: VirtualGateway;

	const text = async (): Promise<string> => {
		const reply = await gateway.get("metrics");
		assert.equal(reply.status, 200, reply.text);
		assert.equal(reply.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
		return reply.text;
	};
	const metrics = async (): Promise<Sample[]> => readMetrics(await text());
	const single = (samples: readonly Sample[], name: string) => samples.find((one) => one.name === name)?.value;
	const registers = (samples: readonly Sample[]) => samples.filter(({ labels }) => labels.obis !== undefined);
	/** Values of a metric as `<code> <value>`, in order. */
	const valuesOf = (samples: readonly Sample[], name: string) =>
		samples.filter((one) => one.name === name).map(({ labels, value }) => `${labels.obis} ${value}`);

	async function readFrom(telegram: Uint8Array): Promise<Sample[]> {
		await gateway.connectMeter({ telegram });
		await gateway.read("iec62056/read");
		return metrics();
	}

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
	});
	afterEach(async () => {
		await gateway.stop();
	});

	describe("for each captured meter", () => {
		for (const vector of iecVectors()) {
			it(`has the values of GET iec62056/last: ${vector.name}`, async () => {
				const mode = vector.mode as MeterMode;
				await gateway.connectMeter({ telegram: vector.telegram, mode, pushBaud: 9600 });
				await gateway.write("iec62056/config", { mode_d_enabled: mode === "D", mode_d_baudrate: 9600 });
				await gateway.read("iec62056/read");
				const { readings, timestamp } = await gateway.read("iec62056/last");
				const samples = await metrics();
				const shown = registers(samples);
				const expected = expectedOf(readings);
				assert.deepEqual(shown.map(({ name, labels }) => `${name} ${labels.obis}`).sort(), [...expected.keys()].sort());
				for (const { name, labels, value } of shown) {
					const expectedValue = expected.get(`${name} ${labels.obis}`)!;
					assert.ok(
						Math.abs(Number(value) - expectedValue) <= Math.abs(expectedValue) * 1e-15,
						`${name} ${labels.obis} ${value}`,
					);
				}
				const isGood = vector.check !== "wrong";
				assert.equal(single(samples, "smartmeter_readout_timestamp_seconds"), isGood ? String(timestamp) : undefined);
				assert.equal(single(samples, "smartmeter_readouts_total"), isGood ? "1" : "0");
			});
		}
	});

	it("shifts the decimal point of a value, and rounds nothing", async () => {
		const samples = await readFrom(
			telegramOf(
				...["1.8.0(00012345678.9*Wh)", "1.8.1(7*Wh)", "1.8.2(0.1*MWh)", "1.8.3(1.23456*MWh)", "1.8.4(000123.456*kWh)"],
				...["1.8.5(0*Wh)", "1.8.6(12.0030*GWh)", "1.8.7(100*Wh)", "2.8.0(-1.5*Wh)", "2.8.1(12345678901234.567*kWh)"],
				...["1.7.0(0.0413*kW)", "2.7.0(-00.413*kW)", "16.7.0(3*W)", "32.7.0(231,4*V)", "52.7.0(231400*mV)"],
				...["7-0:3.0.0(12345*l)", "8-0:1.0.0(0.5*m3)", "6-0:1.0.0(1.234*GJ)"],
			),
		);
		assert.deepEqual(valuesOf(samples, "smartmeter_energy_kwh_total"), [
			...["1.8.0 12345.6789", "1.8.1 0.007", "1.8.2 100", "1.8.3 1234.56", "1.8.4 123.456", "1.8.5 0.000"],
			...["1.8.6 12003000", "1.8.7 0.100", "2.8.0 -0.0015", "2.8.1 12345678901234.567"],
		]);
		assert.deepEqual(valuesOf(samples, "smartmeter_power_watts"), ["1.7.0 41.3", "2.7.0 -413", "16.7.0 3"]);
		assert.deepEqual(valuesOf(samples, "smartmeter_voltage_volts"), ["32.7.0 231.4", "52.7.0 231.400"]);
		assert.deepEqual(valuesOf(samples, "smartmeter_volume_cubic_meters_total"), ["7-0:3.0.0 12.345", "8-0:1.0.0 0.5"]);
		assert.deepEqual(valuesOf(samples, "smartmeter_energy_joules_total"), ["6-0:1.0.0 1234000000"]);
	});

	it("has the first of duplicate registers, and no past billing periods, profiles, texts or unknown units", async () => {
		const samples = await readFrom(
			telegramOf(
				...["0.0.0(4711)", "1.8.0(1*kWh)", "1.8.0*255(2*kWh)", "1.8.0(3*kWh)", "1.8.0*01(4*kWh)", "1.8.0&02(5*kWh)"],
				...["1.7.0(1*kW)", "1-0:1.8.0(6*kWh)", "1.6.0(7*kW)(2611200545)", "2.8.0(none*kWh)", "2.8.1(*kWh)"],
				...["13.7.0(0.98)", "3.8.0(8*kVAhr)", "1.9.0(9*mWh)", "hello(10*kWh)", "0.5.1.2(11*kW)", "99.1.0(12*kWh)"],
				"P.01(2611200545)(00)(15)(1)(1.5)(kW)",
			),
		);
		assert.deepEqual(valuesOf(samples, "smartmeter_energy_kwh_total"), ["1.8.0 1", "1-0:1.8.0 6"]);
		assert.deepEqual(valuesOf(samples, "smartmeter_power_watts"), ["1.7.0 1000", "1.6.0 7000"]);
		assert.equal(registers(samples).length, 4);
	});

	it(`shows only the first ${SERIES_LIMIT} registers`, async () => {
		const lines = Array.from({ length: 100 }, (_, i) => `${i % 2 ? 1 : 2}.8.${i}(${i}*${i % 3 ? "kWh" : "kW"})`);
		const shown = registers(await readFrom(telegramOf(...lines)));
		assert.deepEqual(
			shown.map(({ labels }) => Number(labels.obis.split(".")[2])).sort((a, b) => a - b),
			Array.from({ length: SERIES_LIMIT }, (_, i) => i),
		);
	});

	it("gives the same text through buffers of any size, although time passes", () => {
		const text = new NodeText();
		const lines = Array.from({ length: 40 }, (_, i) => `${i % 2 ? 1 : 2}.8.${i}(${i}.5*${i % 3 ? "kWh" : "kW"})\r\n`);
		const outcomes = new ReadOutcomes({});
		outcomes.keep(readoutOf(lines.join(""), START_UTC_MS / 1000), false, 0);
		outcomes.failed(FAILURE_PORT);
		const textBy = (size: number): string => {
			let ms = 1000;
			const core = {
				...{ text, startedMs: 0, host: { ending: undefined, memory: undefined, power: undefined } },
				events: { starts: new Map([["panic", 2]]) },
				storage: { isRefusing: true },
				info: { firmwareVersion: "1.2.3", model: "SMG", serial: "1" },
				// Each call returns a time with more digits.
				clock: { monotonicMs: () => (ms *= 10), utcMs: () => START_UTC_MS },
				find: (part: unknown) => {
					if (part === METER) return { reader: { outcomes }, schedule: { missed: 3 } };
					if (part === PEAKS) return { values: [4329, Number.NaN, Number.NaN] };
					// All other parts show no metrics here, including parts that this test does not know.
					return part === ZIGBEE ? undefined : {};
				},
			} as unknown as Core;
			const body = new Exposition(core, PARTS, outcomes);
			const stream = new JSONStream(new JSONWriter(text), (writer, unit) => body.produce(writer, unit));
			const into = new Uint8Array(size);
			let all = "";
			for (let n = stream.read(into, 0, size); n > 0; n = stream.read(into, 0, size)) all += text.decode(into, 0, n);
			return all;
		};
		const whole = textBy(16_384);
		assert.equal(registers(readMetrics(whole)).length, 40);
		for (let size = 1; size < 700; size++) assert.equal(textBy(size), whole, `${size}`);
	});

	it("describes a gateway that has read nothing", async () => {
		const samples = await metrics();
		assert.deepEqual(registers(samples), []);
		assert.equal(single(samples, "smartmeter_readout_timestamp_seconds"), undefined);
		assert.equal(single(samples, "smartmeter_readouts_total"), "0");
		assert.equal(single(samples, "smartmeter_scheduled_readouts_missed_total"), "0");
		const { firmware, device } = await gateway.read("system/version");
		const info = samples.find(({ name }) => name === "gateway_info");
		assert.deepEqual(info, {
			name: "gateway_info",
			labels: { version: firmware.version, model: device.model, serial: device.serial },
			value: "1",
		});
		assert.equal(single(samples, "gateway_flash_refusing"), "0");
		assert.equal(single(samples, "gateway_clock_valid"), "1");
		const uptimeS = Number(single(samples, "gateway_uptime_seconds"));
		await gateway.pass(90_000);
		const later = await metrics();
		assert.equal(Number(single(later, "gateway_uptime_seconds")) - uptimeS, 90);
		const { rssi } = await gateway.read("network/status");
		assert.equal(single(later, "gateway_wifi_rssi_dbm"), String(rssi));
	});

	it("shows the values that the board measures, omits unknown ones, and counts restarts by cause", async () => {
		const names = ["gateway_temperature_celsius", "gateway_battery_volts", "gateway_usb_volts"];
		let measured: number | undefined = 21.5;
		const measure = () => measured;
		const power = { cells: 2, batteryVoltage: measure, usbVoltage: measure, temperatureC: measure };
		gateway.onWorld = (world) => Object.assign(world, { power });
		await gateway.restart(undefined, { cause: 'a "panic" in C:\\x\nand more', isFault: false });
		await gateway.login();
		const samples = await metrics();
		for (const name of names) assert.equal(single(samples, name), "21.5");
		assert.equal(
			samples.find(({ name }) => name === "gateway_start_info")?.labels.cause,
			'a "panic" in C:\\x\nand more',
		);
		const restarts = samples.filter(({ name }) => name === "gateway_restarts_total");
		assert.deepEqual(
			restarts.map(({ labels, value }) => [labels.cause, value]),
			[
				["power was switched on", "1"],
				['a "panic" in C:\\x?and more', "1"],
			],
		);
		await gateway.restart(undefined, { cause: "panic", isFault: true });
		await gateway.restart(undefined, { cause: "panic", isFault: true });
		await gateway.login();
		const later = (await metrics()).filter(({ name }) => name === "gateway_restarts_total");
		assert.deepEqual(
			later.map(({ value }) => value),
			["1", "1", "2"],
		);
		measured = undefined;
		for (const name of names) assert.equal(single(await metrics(), name), undefined);
	});

	it("reports an unset clock, and omits the time of the readout and the signal of a missing radio", async () => {
		await gateway.stop();
		gateway = await VirtualGateway.loggedIn("client", { radio: false });
		const samples = await readFrom(telegramOf("1.8.0(1*kWh)"));
		assert.equal(single(samples, "gateway_clock_valid"), "0");
		assert.equal(single(samples, "smartmeter_readout_timestamp_seconds"), undefined);
		assert.equal(single(samples, "smartmeter_readouts_total"), "1");
		assert.equal(single(samples, "gateway_wifi_rssi_dbm"), undefined);
	});

	it("counts failures by code, and still shows the last good readout", async () => {
		await readFrom(telegramOf("1.8.0(1*kWh)"));
		await gateway.connectMeter({ telegram: telegramOf("1.8.0(2*kWh)"), faults: { silence: 1000 } });
		for (let i = 0; i < 2; i++) {
			await gateway.pass(10_000);
			isError(await gateway.get("iec62056/read"), 500, "meter_timeout");
		}
		const { last_error } = await gateway.read("iec62056/last");
		const samples = await metrics();
		assert.deepEqual(
			samples
				.filter(({ name }) => name === "smartmeter_readout_failures_total")
				.map(({ labels, value }) => [labels, value]),
			[[{ code: last_error }, "2"]],
		);
		assert.deepEqual(valuesOf(samples, "smartmeter_energy_kwh_total"), ["1.8.0 1"]);
		const timeS = Number(single(samples, "smartmeter_readout_timestamp_seconds"));
		assert.ok(timeS >= START_UTC_MS / 1000 && timeS < START_UTC_MS / 1000 + 60);
	});

	it("has nothing from the built-in simulator", async () => {
		await gateway.write("iec62056/control", { simulator_en: true });
		const { readings } = await gateway.read("iec62056/read");
		assert.ok(expectedOf(readings).size > 0);
		const samples = await metrics();
		assert.deepEqual(registers(samples), []);
		assert.equal(single(samples, "smartmeter_readouts_total"), "0");
		assert.equal(single(samples, "smartmeter_readout_timestamp_seconds"), undefined);
		await gateway.write("iec62056/control", { simulator_en: false });
		assert.equal(registers(await readFrom(telegramOf("1.8.0(1*kWh)"))).length, 1);
	});

	it("requires a token of at least scope read", async () => {
		isError(await gateway.get("metrics", { token: null }), 401, "unauthorized");
		isError(await gateway.get("metrics", { token: "0".repeat(64) }), 401, "unauthorized");
		const { token } = await gateway.write("system/tokens", { name: "prometheus", scope: "read" });
		assert.equal((await gateway.get("metrics", { token })).status, 200);
		isError(await gateway.get("metrics", { secure: false, token }), 403, "https_required");
	});

	it("shows the free memory, replies 503 if memory is too short for the reply, and releases its claim", async () => {
		let suffices = true;
		let claimed = 0;
		const memory = {
			free: () => ({ slots: 1234, chunkBytes: 23_456, heapBytes: undefined }),
			suffices(slots: number) {
				claimed = slots;
				return suffices;
			},
		};
		gateway.onWorld = (world) => Object.assign(world, { memory });
		await gateway.restartAndLogin();
		const samples = await metrics();
		assert.deepEqual(
			["slots", "chunk_bytes", "heap_bytes"].map((what) => single(samples, `gateway_free_${what}`)),
			["1234", "23456", undefined],
		);
		const once = claimed;
		for (let i = 0; i < 5; i++) await metrics();
		assert.equal(claimed, once);
		suffices = false;
		isError(await gateway.get("metrics"), 503, "busy");
	});
});

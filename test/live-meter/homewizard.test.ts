/** The gateway as a HomeWizard P1 meter, and all dialects at once. */
import assert from "node:assert/strict";
import { VirtualGateway } from "../api/virtual-gateway.js";

const WALLBOX = "192.0.2.40";
const STRANGER = "192.0.2.41";
const P1 = [
	...["1-0:1.8.1(000000.626*kWh)", "1-0:1.8.2(000002.564*kWh)", "1-0:2.8.1(000000.000*kWh)", "1-0:1.7.0(00.000*kW)"],
	...["1-0:2.7.0(01.193*kW)", "1-0:32.7.0(236.8*V)", "1-0:31.7.0(004*A)", "1-0:22.7.0(01.193*kW)"],
];

describe("The gateway as a HomeWizard P1 meter", () => {
	let gateway: VirtualGateway;

	const connect = (lines: readonly string[]) =>
		gateway.connectMeter({
			telegram: Buffer.from(["/TST5METER", "", ...lines, "!", ""].join("\r\n")),
			mode: "D",
			pushBaud: 2400,
			pushMs: 3000,
		});
	const turnOn = async (settings: object = { homewizard: true }) => {
		await gateway.write("live-meter/clients", { clients: [{ address: WALLBOX }] });
		await gateway.write("live-meter", settings);
		await gateway.pass(10_000);
	};
	const request = (path: string) => gateway.begin("GET", path, { secure: false, token: null, from: WALLBOX }).reply();
	const read = async (path: string) => {
		const reply = await request(path);
		assert.equal(reply.status, 200, reply.text);
		return JSON.parse(reply.text);
	};

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("iec62056/config", { mode_d_enabled: true });
	});
	afterEach(() => gateway.stop());

	it("sends the meter's values, and omits those that the meter does not send", async () => {
		await connect(P1);
		await turnOn();
		assert.deepEqual(await read("/api/v1/data"), {
			...{ wifi_ssid: "bench", wifi_strength: 100, meter_model: "TST5METER" },
			...{ active_power_w: -1193, active_power_l1_w: -1193, active_voltage_l1_v: 236.8, active_current_l1_a: 4 },
			...{ total_power_import_kwh: 3.19, total_power_import_t1_kwh: 0.626, total_power_import_t2_kwh: 2.564 },
			...{ total_power_export_kwh: 0, total_power_export_t1_kwh: 0 },
		});
	});

	it("reports its model, serial number and versions", async () => {
		await connect(P1);
		await turnOn();
		const { id } = await gateway.read("live-meter/status");
		assert.deepEqual(await read("/api"), {
			...{ product_type: "HWE-P1", product_name: "P1 meter", serial: id.toLowerCase() },
			...{ firmware_version: "4.19", api_version: "v1" },
		});
	});

	it("replies 503 without a body if it has no value, but still describes itself", async () => {
		await turnOn();
		const reply = await request("/api/v1/data");
		assert.deepEqual([reply.status, reply.text], [503, ""]);
		await read("/api");
	});

	it("has room for the largest numbers", async () => {
		const id = "4".repeat(96);
		const channels = [1, 2, 3, 4].flatMap((b) => [
			...[`0-${b}:24.1.0(003)`, `0-${b}:96.1.0(${id})`, `0-${b}:24.2.1(261120120000W)(99999999.999*m3)`],
		]);
		const most = [1, 2].flatMap((c) => ["0", "1", "2"].map((e) => `1-0:${c}.8.${e}(99999999.999*kWh)`));
		for (const c of [20, 40, 60])
			most.push(`1-0:${c + 16}.7.0(-99999.999*kW)`, `1-0:${c + 12}.7.0(99999.9*V)`, `1-0:${c + 11}.7.0(99999.999*A)`);
		await connect([...most, "1-0:14.7.0(50.01*Hz)", `0-0:96.1.1(${id})`, ...channels]);
		await turnOn();
		const data = await read("/api/v1/data");
		assert.equal(Object.keys(data).length, 25);
		assert.equal(data.external.length, 4);
		assert.equal(data.total_power_export_t2_kwh, 99_999_999.999);
	});

	it("reports the meters on M-Bus, without those that were never read or were exchanged", async () => {
		const id = (digit: string) => `473030${digit}`;
		await connect([
			...P1,
			...[
				"1-3:0.2.8(50)",
				"0-0:96.1.1(4530303434)",
				"0-0:96.14.0(0002)",
				"0-0:96.14.0*01(0001)",
				"0-0:1.0.0(261120120000W)",
			],
			...["0-1:24.1.0(003)", `0-1:96.1.0(${id("1")})`, "0-1:24.2.1(261120080000W)(00001.287*m3)"],
			...["0-2:24.1.0(003)", `0-2:96.1.0(${id("2")})`, "0-2:24.2.1(261120120000W)(02569.646*m3)"],
			...["0-3:24.1.0(007)", `0-3:96.1.1(${id("3")})`, "0-3:24.2.1(261120115500W)(00871.234*m3)"],
			...["0-4:24.1.0(012)", `0-4:96.1.0(${id("4")})`, "0-4:24.2.1(261120120000W)(12.345*GJ)"],
		]);
		await turnOn();
		const data = await read("/api/v1/data");
		assert.deepEqual([data.smr_version, data.unique_id, data.active_tariff], [50, "4530303434", 2]);
		assert.deepEqual([data.total_gas_m3, data.gas_timestamp, data.gas_unique_id], [2569.646, 261_120_120_000, id("2")]);
		assert.deepEqual(data.external, [
			{ unique_id: id("2"), type: "gas_meter", timestamp: 261_120_120_000, value: 2569.646, unit: "m3" },
			{ unique_id: id("3"), type: "water_meter", timestamp: 261_120_115_500, value: 871.234, unit: "m3" },
			{ unique_id: id("4"), type: "heat_meter", timestamp: 261_120_120_000, value: 12.345, unit: "GJ" },
		]);
	});

	it("has no total of gas if the meter does not send cubic metres, and none of a meter that was never read", async () => {
		const gas = async (reading: string) => {
			await connect([...P1, "0-1:24.1.0(003)", "0-1:96.1.0(4730)", `0-1:24.2.1${reading}`]);
			await gateway.pass(10_000);
			const { total_gas_m3, external } = await read("/api/v1/data");
			return [total_gas_m3, external?.[0].unit];
		};
		await turnOn();
		assert.deepEqual(await gas("(261120120000W)(00012.5*kWh)"), [undefined, "kWh"]);
		assert.deepEqual(await gas("(700101010000W)(00012.5*m3)"), [undefined, undefined]);
		assert.deepEqual(await gas("(261120120000W)(00012.5*m3)"), [12.5, "m3"]);
	});

	it("has a system without a cloud, blinks on request, and answers 404 for other paths of the API", async () => {
		await turnOn();
		assert.deepEqual(await read("/api/v1/system"), { cloud_enabled: false });
		const put = (path: string, body?: object, from = WALLBOX) =>
			gateway.begin("PUT", path, { secure: false, token: null, from, ...(body && { body }) }).reply();
		assert.deepEqual(JSON.parse((await put("/api/v1/system", { cloud_enabled: true })).text), { cloud_enabled: false });
		assert.deepEqual(JSON.parse((await put("/api/v1/identify")).text), { identify: "ok" });
		for (const path of ["/api/v1/state", "/api/v1/batteries", "/api/v1/telegram"])
			assert.equal((await request(path)).status, 404, path);
		assert.equal((await put("/api/v1/state", { power_on: false })).status, 404);
		for (const [method, path] of [
			["PUT", "/api/v1/identify"],
			["GET", "/api/v1/data"],
			["GET", "/api/v1/state"],
		]) {
			const reply = await gateway.begin(method, path, { secure: false, token: null, from: STRANGER }).reply();
			assert.equal(reply.status, 403, "as a meter whose API is off");
		}
	});

	it("lets its light blink for five seconds when it is identified", async () => {
		const shown: string[] = [];
		const io = class {
			blink(onMs: number, offMs: number): void {
				shown.push(`${onMs} on, ${offMs} off`);
			}
			close(): void {}
		};
		await gateway.stop();
		gateway = await VirtualGateway.loggedIn("client", { utcMs: Date.UTC(2026, 10, 20, 12), led: { pins: {}, io } });
		await turnOn();
		await gateway.begin("PUT", "/api/v1/identify", { secure: false, token: null, from: WALLBOX }).reply();
		await gateway.pass(1000);
		assert.notEqual(shown.at(-1) ?? "0 on, 0 off", "0 on, 0 off");
		await gateway.pass(5000);
		assert.equal(shown.at(-1), "0 on, 0 off");
	});

	it("is announced with all other dialects in one message, and its requests are counted separately", async () => {
		await connect(P1);
		await turnOn({ homewizard: true, shelly: true, ecotracker: true });
		for (const path of ["/api/v1/data", "/v1/json", "/rpc/EM.GetStatus"]) await read(path);
		const messages = gateway.world.udp.sent.map(({ bytes }) => Buffer.from(bytes).toString("latin1"));
		const last = messages.findLast((text) => text.includes("_hwenergy"))!;
		for (const part of ["_everhome", "_shelly", "_http", "_https", "_smgw", "product_type=HWE-P1", "api_enabled=1"])
			assert.ok(last.includes(part), part);
		const { clients } = await gateway.read("live-meter/status");
		assert.deepEqual(
			clients.map(({ dialect, requests }: { dialect: string; requests: number }) => [dialect, requests]),
			[
				["homewizard", 1],
				["ecotracker", 1],
				["shelly", 1],
			],
		);
	});
});

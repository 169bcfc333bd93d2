/** The gateway as a HomeWizard P1 meter, and all dialects at once. */
import assert from "node:assert/strict";
import { VirtualGateway } from "../api/virtual-gateway.js";

const WALLBOX = "192.0.2.40";
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
		gateway = new VirtualGateway();
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true });
	});
	afterEach(() => gateway.stop());

	it("sends the meter's values, and omits those that the meter does not send", async () => {
		await connect(P1);
		await turnOn();
		assert.deepEqual(await read("/api/v1/data"), {
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
		const most = [1, 2].flatMap((c) => ["0", "1", "2"].map((e) => `1-0:${c}.8.${e}(99999999.999*kWh)`));
		for (const c of [20, 40, 60])
			most.push(`1-0:${c + 16}.7.0(-99999.999*kW)`, `1-0:${c + 12}.7.0(99999.9*V)`, `1-0:${c + 11}.7.0(99999.999*A)`);
		await connect([...most, "1-0:14.7.0(50.01*Hz)"]);
		await turnOn();
		const data = await read("/api/v1/data");
		assert.equal(Object.keys(data).length, 17);
		assert.equal(data.total_power_export_t2_kwh, 99_999_999.999);
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

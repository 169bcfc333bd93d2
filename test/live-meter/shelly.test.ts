/** The gateway as a Shelly Pro 3EM: HTTP, frames, UDP. */
import assert from "node:assert/strict";
import type { RequestOptions } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

const BATTERY = "192.0.2.40";
const STRANGER = "192.0.2.41";
const OWN = "192.0.2.20";
const TELEGRAM = [
	...["/TST5METER", "", "1-0:1.8.0(000012.572*kWh)", "1-0:2.8.0(000003*kWh)", "1-0:16.7.0(-00.087*kW)"],
	...["1-0:32.7.0(230*V)", "!", ""],
].join("\r\n");
const PORT = 1010;

describe("The gateway as a Shelly Pro 3EM", () => {
	let gateway: VirtualGateway;
	let id: string;

	const turnOn = async (settings: object = {}) => {
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }] });
		await gateway.write("live-meter", { shelly: true, ...settings });
		await gateway.pass(10_000);
		({ id } = await gateway.read("live-meter/status"));
	};
	const send = (method: string, path: string, options: RequestOptions = {}) =>
		gateway.begin(method, path, { secure: false, token: null, from: BATTERY, ...options }).reply();
	const read = async (path: string, method = "GET") => {
		const reply = await send(method, path);
		assert.equal(reply.status, 200, path);
		return JSON.parse(reply.text);
	};
	/** Sends a datagram to a port of the gateway; returns the replies. */
	const datagrams = async (body: string | object, from = BATTERY, port = PORT) => {
		const { udp } = gateway.world;
		const before = udp.sent.length;
		const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
		udp.send({ from: { address: from, port: 40_000 }, to: { address: OWN, port }, bytes });
		await gateway.pass(100);
		return udp.sent.slice(before).filter(({ from: { port: own } }) => own === port);
	};
	const ports = () => gateway.world.udp.ports.map(({ port }) => port).filter((port) => port === 1010 || port === 2220);

	beforeEach(async () => {
		gateway = new VirtualGateway();
		await gateway.connectMeter({ telegram: Buffer.from(TELEGRAM), mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true });
	});
	afterEach(() => gateway.stop());

	it("reports its model, with an identifier of its own", async () => {
		await turnOn();
		const info = await read("/shelly");
		assert.deepEqual(info, await read("/rpc/Shelly.GetDeviceInfo"));
		assert.deepEqual([info.id, info.mac], [`shellypro3em-${id.toLowerCase()}`, id]);
		assert.deepEqual([info.model, info.gen, info.auth_en], ["SPEM-003CEBEU", 2, false]);
	});

	it("replies to GET and POST with the readout's power and counters, with and without parameters", async () => {
		await turnOn();
		const status = await read("/rpc/EM.GetStatus?id=0");
		assert.deepEqual(
			[status.total_act_power, status.a_act_power, status.b_act_power, status.a_voltage, status.c_voltage],
			[-87, -87, 0, 230, 230],
		);
		assert.equal(status.a_current, 0.378);
		assert.deepEqual(await read("/rpc/EM.GetStatus", "POST"), status);
		const data = await read("/rpc/EMData.GetStatus");
		assert.deepEqual([data.total_act, data.total_act_ret, data.a_total_act_energy], [12_572, 3000, 12_572]);
		const whole = await read("/rpc/Shelly.GetStatus");
		assert.deepEqual([whole["em:0"], whole["emdata:0"], whole.sys.mac], [status, data, id]);
		const { methods } = await read("/rpc/Shelly.ListMethods");
		for (const method of methods) await read(`/rpc/${method}`);
	});

	it("gives each measurement a decimal point", async () => {
		await turnOn();
		const { text } = await send("GET", "/rpc/Shelly.GetStatus");
		const numbers = [...text.matchAll(/"([abc]_|total_)\w+":([^,}]+)/g)].map(([, , value]) => value);
		assert.equal(numbers.length, 3 * 6 + 3 + 3 * 2 + 2);
		for (const value of numbers) assert.match(value, /^-?\d+\.\d+$/);
	});

	it("answers frames over HTTP, with error 404 if their method is unknown", async () => {
		await turnOn();
		const body = { id: 7, src: "battery", method: "EM.GetStatus", params: { id: 0 } };
		const frame = JSON.parse((await send("POST", "/rpc", { body })).text);
		assert.deepEqual([frame.id, frame.src, frame.dst], [7, `shellypro3em-${id.toLowerCase()}`, "battery"]);
		assert.equal(frame.result.total_act_power, -87);
		const other = JSON.parse((await send("POST", "/rpc", { body: { ...body, method: "Switch.Set" } })).text);
		assert.deepEqual([other.id, other.error.code, other.result], [7, 404, undefined]);
	});

	it("rejects invalid frames and long ones", async () => {
		await turnOn();
		const method = '"method":"EM.GetStatus"';
		for (const body of [
			...["", "[]", "{", "{}", "7", '{"method":7}', '{"method":""}', `{"src":7,${method}}`],
			...[`{"id":[],${method}}`, `{"id":{},${method}}`, `{"id":true,${method}}`, `{"id":1e999,${method}}`],
			...[`{"id":"${"x".repeat(65)}",${method}}`, `{"src":"${"x".repeat(65)}",${method}}`, `{${method}}x`],
		]) {
			const reply = await send("POST", "/rpc", { body });
			assert.deepEqual([reply.status, reply.text], [400, ""], body);
		}
		assert.equal((await send("POST", "/rpc", { body: `{"method":"${"x".repeat(600)}"}` })).status, 413);
		await read("/shelly");
	});

	it("returns the id of a frame as it was sent, whatever scalar it is", async () => {
		await turnOn();
		for (const id of [0, -1, 1.5, 2 ** 40, "GetDeviceInfo-1", 'a "b"', "x".repeat(64), "", null]) {
			const body = { id, src: "x", method: "Shelly.GetDeviceInfo", params: { deep: [{ id: 9 }] } };
			assert.equal(JSON.parse((await send("POST", "/rpc", { body })).text).id, id);
		}
	});

	it("knows methods by their name in any case", async () => {
		await turnOn();
		assert.deepEqual(await read("/rpc/WiFi.GetStatus"), await read("/rpc/Wifi.GetStatus"));
		const body = { id: 1, method: "em.getstatus" };
		assert.equal(JSON.parse((await send("POST", "/rpc", { body })).text).result.total_act_power, -87);
	});

	it("reports its system and network as they are", async () => {
		await turnOn();
		const sys = await read("/rpc/Sys.GetStatus");
		assert.deepEqual(Object.keys(sys), [
			...["mac", "restart_required", "unixtime", "uptime", "cfg_rev", "available_updates"],
		]);
		assert.ok(Math.abs(sys.unixtime * 1000 - gateway.world.time.utcMs()!) < 2000);
		await gateway.pass(60_000);
		assert.ok(Math.abs((await read("/rpc/Sys.GetStatus")).uptime - sys.uptime - 60) <= 1);
		const wifi = await read("/rpc/Wifi.GetStatus");
		assert.deepEqual([wifi.status, wifi.sta_ip, wifi.ssid], ["got ip", OWN, "bench"]);
		assert.ok(wifi.rssi < 0);
		const status = await read("/rpc/Shelly.GetStatus");
		assert.deepEqual([status.wifi, status.sys.mac], [wifi, id]);
	});

	it("refuses other paths, methods and addresses as a Shelly does, never with a redirection", async () => {
		await turnOn();
		const refuses = async (method: string, path: string, options: RequestOptions = {}) => {
			const { status, text } = await send(method, path, options);
			const name = path.slice(path.startsWith("/rpc/") ? 5 : 1);
			const body = method === "HEAD" ? "" : JSON.stringify({ code: 404, message: `No handler for ${name}` });
			assert.deepEqual([status, text], [404, body], `${method} ${path}`);
		};
		for (const path of ["/rpc", "/rpc/", "/rpc/Switch.Set", "/rpc/Sys.SetConfig", "/rpc/EM.GetStatus/x"])
			await refuses("GET", path);
		for (const path of ["/shelly", "/rpc/Switch.Set"]) await refuses("POST", path);
		for (const method of ["PUT", "DELETE", "HEAD"]) await refuses(method, "/rpc/EM.GetStatus");
		await refuses("GET", "/rpc/EM.GetStatus", { from: STRANGER });
		await refuses("POST", "/rpc", { from: STRANGER, body: { method: "EM.GetStatus" } });
		await refuses("GET", "/shelly", { from: STRANGER });
		assert.equal((await gateway.read("live-meter/status")).refused.address, STRANGER);
		const long = await send("GET", `/rpc/${"x".repeat(200)}`);
		assert.equal(JSON.parse(long.text).code, 404);
		await gateway.write("live-meter", { shelly: false });
		assert.equal((await send("GET", "/rpc/Switch.Set")).status, 301, "as any page of a gateway without dialects");
	});

	it("answers over UDP on the chosen port only", async () => {
		assert.deepEqual(ports(), []);
		await turnOn();
		assert.deepEqual(ports(), [1010]);
		const [reply, ...more] = await datagrams({ id: 1, method: "EM.GetStatus", params: { id: 0 } });
		assert.deepEqual([more.length, reply.to], [0, { address: BATTERY, port: 40_000 }]);
		const frame = JSON.parse(Buffer.from(reply.bytes).toString());
		assert.deepEqual([frame.id, frame.dst, frame.result.total_act_power], [1, "unknown", -87]);
		assert.ok(reply.bytes.length >= 250);
		await gateway.write("live-meter", { shelly_udp_port: 2220 });
		await gateway.pass(1000);
		assert.deepEqual(ports(), [2220]);
		assert.equal((await datagrams({ id: 1, method: "EM.GetStatus" }, BATTERY, 2220)).length, 1);
		await gateway.write("live-meter", { shelly_udp_port: 0 });
		assert.deepEqual(ports(), []);
		await gateway.write("live-meter", { shelly_udp_port: 1010, shelly: false });
		assert.deepEqual(ports(), []);
		await gateway.write("live-meter", { shelly: true });
		assert.deepEqual(ports(), [1010]);
	});

	it("sends at most 20 datagrams in a second to an address, and counts each address alone", async () => {
		await turnOn();
		const bytes = Buffer.from('{"id":1,"method":"EM.GetStatus"}');
		/** Number of replies to a hundred requests at once. */
		const answered = async (requests: number, address = BATTERY) => {
			const { udp } = gateway.world;
			const before = udp.sent.length;
			for (let i = 0; i < requests; i++)
				udp.send({ from: { address, port: 40_000 }, to: { address: OWN, port: PORT }, bytes });
			await gateway.pass(0);
			return udp.sent.slice(before).filter(({ to }) => to.address === address).length;
		};
		assert.equal(await answered(100), 20);
		await gateway.pass(250);
		assert.equal(await answered(100), 5);
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }, { address: STRANGER }] });
		assert.equal(await answered(100, STRANGER), 20);
		await gateway.pass(10_000);
		assert.equal(await answered(100), 20);
	});

	it("sends no UDP reply to unlisted addresses, to invalid requests, to unknown methods, or without fresh values", async () => {
		await turnOn();
		const body = { id: 1, method: "EM.GetStatus" };
		assert.equal((await datagrams(body)).length, 1);
		assert.equal((await datagrams(body, STRANGER)).length, 0);
		for (const wrong of ["", "x", "{}", `{"method":"EM.GetStatus","x":"${"y".repeat(600)}"}`, "[".repeat(400)])
			assert.equal((await datagrams(wrong)).length, 0, wrong);
		assert.equal((await datagrams({ id: 1, method: "EM1.GetStatus" })).length, 0);
		assert.equal((await datagrams({ id: 1, method: "../shelly" })).length, 0);
		await gateway.connectMeter(undefined);
		await gateway.pass(12_000);
		assert.equal((await datagrams(body)).length, 0);
		assert.equal((await datagrams({ id: 1, method: "Shelly.GetDeviceInfo" })).length, 1);
		assert.equal((await send("GET", "/rpc/EM.GetStatus")).status, 503);
		assert.equal((await send("POST", "/rpc", { body })).status, 503);
	});

	it("fits the largest numbers into its messages", async () => {
		const most = ["1-0:1.8.0(99999999.999*kWh)", "1-0:2.8.0(99999999.999*kWh)"];
		for (let phase = 1; phase <= 3; phase++) {
			const c = 20 * phase;
			most.push(`1-0:${c + 16}.7.0(-99999.999*kW)`, `1-0:${c + 12}.7.0(99999.9*V)`, `1-0:${c + 11}.7.0(99999.999*A)`);
		}
		const telegram = Buffer.from(["/TST5METER", "", ...most, "!", ""].join("\r\n"));
		await gateway.connectMeter({ telegram, mode: "D", pushBaud: 2400, pushMs: 4000 });
		await turnOn({ ecotracker: true });
		const { methods } = await read("/rpc/Shelly.ListMethods");
		for (const method of methods) {
			await read(`/rpc/${method}`);
			const body = { id: -2_147_483_648, src: '"'.repeat(64), method };
			JSON.parse((await send("POST", "/rpc", { body })).text);
			const [reply] = await datagrams(body);
			JSON.parse(Buffer.from(reply.bytes).toString());
		}
		assert.equal((await read("/v1/json")).powerPhase3, -99_999_999);
	});

	it("is announced together with the page and an EcoTracker, and is not announced when it is off", async () => {
		const messages = () => gateway.world.udp.sent.map(({ bytes }) => Buffer.from(bytes).toString("latin1"));
		await turnOn({ ecotracker: true });
		const last = messages().findLast((text) => text.includes("_shelly"))!;
		for (const part of [
			`shellypro3em-${id.toLowerCase()}`,
			`mac=${id}`,
			"gen=2",
			"app=Pro3EM",
			"fw_id=2025",
			"_everhome",
			"_http",
		])
			assert.ok(last.includes(part), part);
		const pages = (text: string) => text.split("Smart-Meter Gateway").length - 1;
		assert.ok(pages(last) > 0);
		await gateway.write("live-meter", { ecotracker: false, shelly: false });
		await gateway.pass(10_000);
		const after = messages().at(-1)!;
		assert.ok(!after.includes("shelly") && !after.includes("ecotracker"), after);
	});

	it("opens its port again after a restart, and closes it when the network is lost", async () => {
		await turnOn();
		await gateway.restart();
		await gateway.pass(15_000);
		assert.deepEqual(ports(), [1010]);
		gateway.setAir("nothing");
		await gateway.pass(120_000);
		assert.deepEqual(ports(), []);
	});
});

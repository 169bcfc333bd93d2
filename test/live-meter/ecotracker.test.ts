/** The gateway as an EcoTracker: access, values, age, and multicast DNS. */
import assert from "node:assert/strict";
import type { RequestOptions } from "../api/gateway.js";
import { isError } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

const BATTERY = "192.0.2.40";
const STRANGER = "192.0.2.41";
const TELEGRAM = [
	...["/TST5METER", "", "1-0:1.8.1(000012.572*kWh)", "1-0:1.8.2(000001.000*kWh)", "1-0:2.8.0(000003.5*kWh)"],
	...["1-0:1.7.0(00.000*kW)", "1-0:2.7.0(00.321*kW)", "!", ""],
].join("\r\n");

describe("The gateway as an EcoTracker", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = new VirtualGateway();
		await gateway.connectMeter({ telegram: Buffer.from(TELEGRAM), mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true });
	});
	afterEach(() => gateway.stop());

	const request = (from = BATTERY, options: RequestOptions = {}) =>
		gateway.begin("GET", "/v1/json", { secure: false, token: null, from, ...options }).reply();
	const turnOn = async (settings: object = {}) => {
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }] });
		await gateway.write("live-meter", { ecotracker: true, ...settings });
		await gateway.pass(10_000);
	};
	const values = async () => {
		const reply = await request();
		assert.equal(reply.status, 200, gateway.diagnosis);
		return JSON.parse(reply.text);
	};

	it("is off at first: plain HTTP only redirects", async () => {
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }] });
		await gateway.pass(10_000);
		assert.equal((await request()).status, 301);
		const [off] = (await gateway.read("live-meter/status")).dialects;
		assert.deepEqual(off, { name: "ecotracker", enabled: false, fresh: false, max_age_secs: 30 });
	});

	it("answers a listed address with the readout's values", async () => {
		await turnOn();
		const { agePower, ...rest } = await values();
		assert.deepEqual(rest, {
			...{ power: -321, powerAvg: -321, energyCounterIn: 13_572, energyCounterInT1: 12_572, energyCounterInT2: 1000 },
			energyCounterOut: 3500,
		});
		assert.ok(agePower >= 0 && agePower < 4000);
	});

	it("replies with a length, forbids caching, and repeats nothing of the request", async () => {
		await turnOn();
		const { headers, text } = await request(BATTERY, { headers: { "X-Canary": "c4n4ry", Cookie: "a=c4n4ry" } });
		assert.deepEqual(Object.fromEntries(headers), {
			"cache-control": "no-store",
			"content-type": "application/json",
			"content-length": String(text.length),
		});
	});

	it("replies to no other address, and reports the last one that it refused", async () => {
		await turnOn();
		assert.equal((await gateway.read("live-meter/status")).refused, null);
		assert.equal((await request(STRANGER)).status, 404);
		await gateway.pass(5000);
		const { refused, clients } = await gateway.read("live-meter/status");
		assert.deepEqual(refused, { address: STRANGER, dialect: "ecotracker", asked_secs: 5 });
		assert.deepEqual(clients, []);
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }, { address: STRANGER }] });
		assert.equal((await gateway.read("live-meter/status")).refused, null);
		assert.equal((await request(STRANGER)).status, 200);
	});

	it("replies to no browser, and does not count its requests", async () => {
		await turnOn({ shelly: true });
		const ask = (method: string, path: string, headers: Record<string, string>) =>
			gateway.begin(method, path, { secure: false, token: null, from: BATTERY, headers }).reply();
		const frame = { Accept: "*/*", "Content-Type": "text/plain" };
		for (const headers of [
			{ Origin: "http://attacker.example" },
			{ Origin: "null" },
			// A page's picture, without CORS.
			{ "Accept-Language": "en" },
		] as Record<string, string>[]) {
			for (const path of ["/v1/json", "/rpc/EM.GetStatus?id=0", "/shelly"])
				assert.equal((await ask("GET", path, headers)).status, 301, `${path} ${JSON.stringify(headers)}`);
			assert.equal((await ask("POST", "/rpc", { ...frame, ...headers })).status, 403);
		}
		assert.deepEqual((await gateway.read("live-meter/status")).clients, []);
		assert.equal((await ask("GET", "/v1/json", {})).status, 200);
	});

	it("opens no other route, method, host or port to a listed address", async () => {
		await turnOn();
		const begin = (method: string, path: string, options: RequestOptions = {}) =>
			gateway.begin(method, path, { secure: false, token: null, from: BATTERY, ...options }).reply();
		for (const path of ["/", "/v1", "/V1/json"]) assert.equal((await begin("GET", path)).status, 301, path);
		for (const path of ["/v1/json/", "/v1/json%2f", "/v1/other"])
			assert.equal((await begin("GET", path)).status, 404, path);
		isError(await begin("GET", "live-meter"), 403, "https_required");
		isError(await begin("GET", "live-meter", { token: gateway.token }), 403, "https_required");
		for (const method of ["POST", "PUT", "HEAD"]) assert.equal((await begin(method, "/v1/json")).status, 404, method);
		const foreign = await begin("GET", "/v1/json", { headers: { Host: "attacker.example" } });
		assert.notEqual(foreign.status, 200);
		assert.equal((await begin("GET", "/v1/json", { secure: true })).status, 404);
	});

	it("has no answer without a fresh value: 503 and no body", async () => {
		await turnOn({ max_age_secs: 3 });
		await values();
		await gateway.connectMeter(undefined);
		await gateway.pass(6000);
		const reply = await request();
		assert.deepEqual([reply.status, reply.text], [503, ""]);
		const { clients, age_ms, dialects } = await gateway.read("live-meter/status");
		assert.equal(dialects[0].fresh, false);
		assert.ok(age_ms > 3000);
		assert.deepEqual([clients[0].requests, clients[0].power], [2, -321]);
	});

	it("has an age limit of three intervals of the meter by default, at least 5 s, at most 30 s", async () => {
		for (const [pushMs, freshMs, oldMs] of [
			[1000, 3000, 4000],
			[4000, 7000, 8000],
			[12_000, 25_000, 10_000],
		] as const) {
			await gateway.connectMeter({ telegram: Buffer.from(TELEGRAM), mode: "D", pushBaud: 2400, pushMs });
			await turnOn();
			await gateway.pass(30_000);
			await gateway.connectMeter(undefined);
			await gateway.pass(freshMs - pushMs);
			await values();
			await gateway.pass(oldMs + pushMs);
			assert.equal((await request()).status, 503);
		}
	});

	it("has no value of the simulator, and none if the meter sends no power", async () => {
		await turnOn();
		await gateway.write("iec62056/control", { simulator_en: true });
		assert.equal((await request()).status, 503);
		await gateway.pass(10_000);
		assert.equal((await request()).status, 503);
		await gateway.write("iec62056/control", { simulator_en: false });
		const energy = Buffer.from("/TST5METER\r\n\r\n1-0:1.8.0(5*kWh)\r\n!\r\n");
		await gateway.connectMeter({ telegram: energy, mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.pass(10_000);
		assert.equal((await request()).status, 503);
		const { power } = await gateway.read("live-meter/status");
		assert.equal(power, null);
	});

	it("has no value of the previous meter after its protocol was changed", async () => {
		await turnOn();
		await values();
		for (const protocol of ["dlms", "iec62056"]) {
			await gateway.write("meter/protocol", { protocol });
			assert.equal((await request()).status, 503, protocol);
		}
		const other = Buffer.from("/TST5OTHER\r\n\r\n1-0:1.7.0(0.5*kW)\r\n!\r\n");
		await gateway.connectMeter({ telegram: other, mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.pass(10_000);
		const { agePower: _, ...rest } = await values();
		assert.deepEqual(rest, { power: 500, powerAvg: 500 });
	});

	it("applies sign and offset to the power, and exchanges the counters if the sign is inverted", async () => {
		await turnOn({ inverted: true, offset_w: -50 });
		const { power, energyCounterIn, energyCounterOut } = await values();
		assert.deepEqual([power, energyCounterIn, energyCounterOut], [271, 3500, 13_572]);
	});

	it("replies to a client no more often than the pause allows", async () => {
		await turnOn({ pause_ms: 5000 });
		await values();
		await gateway.pass(2000);
		assert.equal((await request()).status, 503);
		await gateway.pass(3000);
		await values();
		const [client] = (await gateway.read("live-meter/status")).clients;
		assert.deepEqual([client.address, client.dialect, client.requests], [BATTERY, "ecotracker", 3]);
		assert.ok(client.every_ms >= 2000 && client.every_ms < 3000, `${client.every_ms}`);
	});

	it("rejects addresses that can't be a device's, and the same address twice", async () => {
		for (const address of ["0.0.0.0", "224.0.0.1", "255.255.255.255", "1.2.3", "1.2.3.4.5", "300.1.1.1"]) {
			const reply = await gateway.post("live-meter/clients", { clients: [{ address }] });
			isError(reply, 400, "invalid_field", "clients[0].address");
		}
		const twice = { clients: [{ address: BATTERY }, { address: BATTERY }] };
		isError(await gateway.post("live-meter/clients", twice), 400, "invalid_field", "clients[1]");
		assert.deepEqual(await gateway.read("live-meter/clients"), { clients: [] });
	});

	it("is announced by multicast DNS with an identifier of its own while it is on", async () => {
		const announced = () =>
			gateway.world.udp.sent
				.map(({ bytes }) => Buffer.from(bytes).toString("latin1"))
				.filter((text) => text.includes("_everhome"));
		await gateway.pass(10_000);
		assert.equal(announced().length, 0);
		await turnOn();
		const { id } = await gateway.read("live-meter/status");
		assert.match(id, /^[0-9A-F][26AE][0-9A-F]{10}$/);
		const text = announced().at(-1)!;
		for (const part of [`ecotracker-${id}`, `serial=${id}`, "productid=1137", "ip=192.0.2.20"])
			assert.ok(text.includes(part), part);
		await gateway.write("live-meter", { ecotracker: false });
		await gateway.pass(10_000);
		const before = announced().length;
		await gateway.pass(3_600_000);
		assert.equal(announced().length, before);
		assert.equal((await request()).status, 301);
	});

	it("keeps its settings over a restart", async () => {
		await turnOn({ offset_w: 10 });
		await gateway.restart();
		await gateway.pass(15_000);
		assert.equal((await values()).power, -311);
	});
});

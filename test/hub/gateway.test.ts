/**
 * The hub in the whole gateway: values from the meter, settings, effects on API and meter, and secrets that stay
 * secret.
 */
import assert from "node:assert/strict";
import { TEST_PAUSE_MS } from "../../modules/publish/output.js";
import { vectorOf } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { ADDRESS, OWN_CERTIFICATE, reply, StateServer, TOKEN } from "./bed.js";

const meter = vectorOf("landis-gyr-zmf100-m26-padded-left");
const PLAIN = { enabled: true, url: `http://${ADDRESS}:8123`, token: TOKEN };
const SECURE = {
	enabled: true,
	url: "https://hub.lan:8123",
	token: TOKEN,
	cert: Buffer.from(OWN_CERTIFICATE.certificate).toString("latin1"),
};

describe("The hub in the gateway", function () {
	this.timeout(60_000);
	let gateway: VirtualGateway;
	let server: StateServer;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		await gateway.connectMeter({ telegram: meter.telegram, mode: "C" });
		gateway.world.names.set("hub.lan", ADDRESS);
		server = new StateServer(gateway.world);
		gateway.world.advance(10_000);
	});
	afterEach(() => gateway.stop());

	const events = async () => {
		const { events: result } = await gateway.read("system/log");
		return (result as { event: string; detail?: string }[])
			.filter(({ event }) => event.startsWith("hub"))
			.map(({ event, detail }) => `${event} ${detail ?? ""}`.trim());
	};
	const valuesOf = (lines: readonly string[]) => lines.filter((line) => /sensor\.gateway_\d/.test(line));

	it("receives the energy and the time of a readout, over HTTP and over HTTPS", async () => {
		for (const settings of [PLAIN, SECURE]) {
			server = new StateServer(gateway.world);
			server.serve(8123, settings === SECURE ? { certificate: OWN_CERTIFICATE.certificate } : {});
			await gateway.write("hub", settings);
			const { readings, localtime } = await gateway.read("iec62056/read");
			gateway.world.advance(15_000);
			const energy = (readings as { obis: string; value1_number: number; value1_unit: string }[]).find(
				({ obis, value1_unit }) => /1\.8\.0/.test(obis) && value1_unit === "kWh",
			);
			assert.ok(energy, JSON.stringify(readings));
			const id = [...server.states.keys()].find((key) => key.endsWith("_1_8_0"));
			assert.equal(Number(server.states.get(id!)!.state), energy.value1_number);
			const result = server.states.get("sensor.gateway_last_readout")!.state;
			assert.equal(Date.parse(result), Date.parse(String(localtime)));
			const { hub_state, hub_sent } = await gateway.read("system/status");
			assert.equal(hub_state, "ok");
			assert.ok(Math.abs(Number(hub_sent) * 1000 - gateway.world.time.utcMs()!) < 20_000);
		}
	});

	it("receives no values from the simulator, and none from a readout that failed its check", async () => {
		server.serve(8123);
		await gateway.write("hub", PLAIN);
		await gateway.write("iec62056/control", { simulator_en: true });
		await gateway.read("iec62056/read");
		gateway.world.advance(600_000);
		assert.equal((await gateway.get("hub/send")).status, 200);
		assert.deepEqual(valuesOf(server.takeLog()), []);
		await gateway.write("iec62056/control", { simulator_en: false });
		const broken = Uint8Array.from(meter.telegram);
		broken[broken.length - 1] ^= 1;
		await gateway.connectMeter({ telegram: broken, mode: "C" });
		await gateway.get("iec62056/read");
		gateway.world.advance(600_000);
		assert.deepEqual(valuesOf(server.takeLog()), []);
		assert.equal(server.states.get("binary_sensor.gateway_meter")?.state, "off");
	});

	it("delays neither the meter nor the API, however slow it is", async () => {
		gateway.world.servers.serve(ADDRESS, 8123, { onConnection: () => {} });
		await gateway.write("hub", PLAIN);
		for (let i = 0; i < 5; i++) {
			const startMs = gateway.world.time.nowMs;
			await gateway.read("iec62056/read");
			assert.ok(gateway.world.time.nowMs - startMs < 30_000);
			const sentMs = gateway.world.time.nowMs;
			await gateway.read("system/status");
			assert.ok(gateway.world.time.nowMs - sentMs < 100);
		}
		gateway.world.advance(60_000);
		assert.equal((await gateway.read("system/status")).hub_state, "no_reply");
	});

	it("records its first failure and its recovery in the event log, and each failure in the metrics", async () => {
		await gateway.write("hub", PLAIN);
		await gateway.read("iec62056/read");
		gateway.world.advance(600_000);
		assert.deepEqual(await events(), ["hub_failed unreachable"]);
		server.serve(8123);
		gateway.world.advance(1_100_000);
		await gateway.login();
		assert.deepEqual(await events(), ["hub_failed unreachable", "hub_back"]);
		const { text } = await gateway.get("metrics");
		assert.match(text, /^gateway_hub_failures_total [4-6]$/m);
		assert.equal(Number(/^gateway_hub_states_total (\d+)$/m.exec(text)?.[1]), server.log.length);
	});

	it("gets new entity names when the hostname of the gateway changes", async () => {
		server.serve(8123);
		await gateway.write("hub", PLAIN);
		await gateway.read("iec62056/read");
		gateway.world.advance(15_000);
		await gateway.write("network/wifi", {
			...(await gateway.read("network/status")),
			ssid: "bench",
			password: "benchbench",
			dhcp: true,
			hostname: "cellar-meter",
		});
		gateway.world.advance(120_000);
		assert.ok(
			[...server.states.keys()].some((id) => id.startsWith("sensor.cellar_meter_")),
			[...server.states.keys()].join(),
		);
	});

	it("is tested on request, but only after a pause since the last test", async () => {
		server.serve(8123);
		await gateway.write("hub", PLAIN);
		await gateway.read("iec62056/read");
		const result = await gateway.read("hub/send");
		assert.deepEqual(result, {
			retcode: 0,
			http_status_code: 201,
			code: "ok",
			message: "The hub accepted everything.",
		});
		assert.equal((await gateway.get("hub/send")).status, 503);
		server.answer = (peer) => {
			reply(peer, "401 Unauthorized", '{"message":"Unauthorized"}');
			return true;
		};
		gateway.world.advance(TEST_PAUSE_MS);
		const refused = await gateway.read("hub/send");
		assert.deepEqual([refused.retcode, refused.http_status_code, refused.code], [1, 401, "token_rejected"]);
		assert.match(String(refused.message), /administrator/);
	});

	it("never shows its token, and sends it to no other server, whatever it replies", async () => {
		gateway.plant(TOKEN);
		const elsewhere = new StateServer(gateway.world);
		for (const answer of ["200 OK", "302 Found", "401 Unauthorized", "500 Internal Server Error"]) {
			server.serve(8123);
			elsewhere.serve(80);
			server.answer = (peer) => {
				reply(peer, answer, TOKEN, `Location: http://${ADDRESS}/\r\nX-Echo: ${TOKEN}\r\n`);
				return true;
			};
			await gateway.write("hub", PLAIN);
			await gateway.read("iec62056/read");
			gateway.world.advance(TEST_PAUSE_MS);
			for (const path of ["hub/send", "hub", "system/status", "system/log", "metrics", "iec62056/log", "iec62056/last"])
				assert.equal((await gateway.get(path)).status, 200, path);
		}
		assert.ok(server.requests >= 4);
		assert.equal(elsewhere.connections, 0);
		assert.ok(!gateway.diagnosis.includes(TOKEN));
	});

	it("misses no readout during a day with random faults, and gets none twice as a new one", async () => {
		const values: number[] = [];
		server.serve(8123);
		await gateway.write("hub", PLAIN);
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		let seed = 17;
		const random = () => {
			seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
			return seed / 2 ** 31;
		};
		const faults: (typeof server.answer)[] = [
			undefined,
			(peer) => {
				peer.reset();
				return true;
			},
			(peer) => {
				reply(peer, "502 Bad Gateway");
				return true;
			},
			() => true,
			(peer) => {
				peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{");
				return true;
			},
			(peer) => {
				peer.send("x".repeat(3000));
				return true;
			},
		];
		for (let i = 0; i < 96; i++) {
			const isDown = random() < 0.2;
			if (isDown) gateway.world.servers.stop(ADDRESS, 8123);
			else server.serve(8123);
			const fault = faults[Math.floor(random() * faults.length)];
			server.answer = (peer, request) => random() < 0.3 && (fault?.(peer, request) ?? false);
			if (random() < 0.05) server.forget();
			await gateway.login();
			await gateway.read("iec62056/read");
			values.push(gateway.world.time.utcMs()!);
			gateway.world.advance(450_000);
			// The fault ends before the next readout.
			server.answer = undefined;
			server.serve(8123);
			gateway.world.advance(1_400_000);
			await gateway.login();
			const last = server.states.get("sensor.gateway_last_readout");
			assert.ok(last, `readout ${i} has not arrived`);
			assert.ok(Math.abs(Date.parse(last.state) - values[i]) <= 2000, `readout ${i}: ${last.state}`);
			assert.equal((await gateway.read("system/status")).hub_state, "ok");
		}
		// Times only increase, so whatever was sent again was the newest.
		const times = server.log
			.filter((line) => line.includes("last_readout"))
			.map((line) => Date.parse(line.split(" ")[2]));
		for (let i = 1; i < times.length; i++) assert.ok(times[i] >= times[i - 1], `${i}`);
		assert.equal(new Set(times).size, 96);
	});
});

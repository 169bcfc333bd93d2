/** Times of publications to the hub, effects of each failure, and results of tests. */
import assert from "node:assert/strict";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { HTTP_CONNECT_MS } from "../../modules/http/client.js";
import type { PermitClient } from "../../modules/io/tls-permit.js";
import {
	HUB_ALERT_MS,
	HUB_BATCH_MS,
	HUB_PAUSE_MS,
	HUB_WATCH_MS,
	HUB_WATCH_SOON_MS,
} from "../../modules/parts/hub/hub.js";
import { LACK_MS, TEST_PAUSE_MS } from "../../modules/publish/output.js";
import { ADDRESS, HubBed, OWN_CERTIFICATE, reply, START_UTC_MS, TOKEN } from "./bed.js";

const READOUT = "1-0:1.8.0*255(000123.4*kWh)\r\n1-0:16.7.0(0.25*kW)";
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** A readout with a counter and no other value. */
function counter(value: number): string {
	return `1-0:1.8.0(${value}*kWh)`;
}

describe("Publications to the hub", () => {
	it("contain each value and the gateway's own state, and use one connection", () => {
		const bed = new HubBed();
		bed.radio = { address: {}, station: { rssi: -61 } };
		bed.server.serve(8123);
		bed.read(READOUT).advance(1000);
		assert.deepEqual(bed.server.takeLog(), [
			"201 sensor.smart_gateway_last_readout 2026-11-22T11:00:00Z",
			"201 binary_sensor.smart_gateway_meter on",
			"201 sensor.smart_gateway_rssi -61",
			"201 sensor.smart_gateway_1_0_1_8_0 123.4",
			"201 sensor.smart_gateway_1_0_16_7_0 250",
		]);
		assert.equal(bed.server.connections, 1);
		assert.deepEqual(bed.server.states.get("sensor.smart_gateway_1_0_1_8_0"), {
			state: "123.4",
			attributes: {
				friendly_name: "Smart-Gateway Active energy import total",
				unit_of_measurement: "kWh",
				device_class: "energy",
				state_class: "total_increasing",
				obis: "1-0:1.8.0",
				meter_id: '/ISk5"MT',
			},
		});
		assert.deepEqual(bed.server.states.get("sensor.smart_gateway_rssi")!.attributes, {
			friendly_name: "Smart-Gateway Wi-Fi signal",
			unit_of_measurement: "dBm",
			device_class: "signal_strength",
			state_class: "measurement",
		});
		assert.match(
			bed.server.heads[0],
			/^POST \/api\/states\/\S+ HTTP\/1\.1\r\nContent-Length: \d+\r\nHost: 192\.0\.2\.7:8123\r\nAuthorization: Bearer \S+\r\nContent-Type: application\/json$/,
		);
		assert.equal(bed.hub.state, "ok");
		assert.equal(bed.hub.taken, 5);
		assert.equal(Math.floor(bed.hub.output.sentUtcMs / 1000), START_UTC_MS / 1000);
		assert.deepEqual(bed.events, []);
	});

	it("use names in the language of the settings, and include the battery if there is one", () => {
		const power = { cells: 3, batteryVoltage: () => 4.35, usbVoltage: () => 5, temperatureC: () => 20 };
		const bed = HubBed.served({ language: "de", power });
		bed.read(READOUT).advance(1000);
		const nameOf = (id: string) => bed.server.states.get(`sensor.smart_gateway_${id}`)?.attributes.friendly_name;
		assert.equal(nameOf("last_readout"), "Smart-Gateway Letzte Ablesung");
		assert.equal(nameOf("battery"), "Smart-Gateway Batterie");
		assert.match(String(nameOf("1_0_1_8_0")), /Wirkenergie|Wirkarbeit|Bezug/);
		assert.equal(bed.server.states.get("sensor.smart_gateway_battery")?.state, "90");
	});

	it("use the path of the address, the default port, and the address's name in the Host field", () => {
		const bed = new HubBed({ url: "http://hub.lan/sub/" });
		bed.server.serve(80);
		bed.read(READOUT).advance(1000);
		assert.match(bed.server.heads[0], /^POST \/sub\/api\/states\/sensor.+\r\n.*\r\nHost: hub\.lan\r\n/);
	});

	it("use the right path if the address ends in /api", () => {
		const bed = HubBed.served({ url: `http://${ADDRESS}:8123/api/` });
		bed.read(READOUT).advance(1000);
		assert.match(bed.server.heads[0], /^POST \/api\/states\/sensor/);
	});

	it("contain no time while the clock is not set", () => {
		const bed = HubBed.served({ utcMs: undefined });
		bed.read(READOUT).advance(1000);
		assert.equal(bed.server.states.get("sensor.smart_gateway_last_readout")?.state, "unknown");
		assert.equal(bed.hub.output.sentUtcMs, 0);
	});

	it("include nothing before a readout, and only unknown states in a test", () => {
		const bed = HubBed.served();
		bed.advance(HOUR);
		assert.deepEqual(bed.server.takeLog(), []);
		assert.equal(bed.hub.state, "waiting");
		// There is no measured readout if the last one was simulated.
		assert.equal(bed.test()?.failure, undefined);
		assert.deepEqual(bed.server.takeLog(), [
			"201 sensor.smart_gateway_last_readout unknown",
			"201 binary_sensor.smart_gateway_meter unknown",
		]);
	});

	it("show that the meter can't be read", () => {
		const bed = HubBed.served();
		bed.read(counter(1)).advance(MINUTE);
		bed.server.takeLog();
		bed.fail().advance(1000);
		assert.deepEqual(bed.server.takeLog(), [
			"200 sensor.smart_gateway_last_readout 2026-11-22T11:00:00Z",
			"200 binary_sensor.smart_gateway_meter off",
		]);
	});

	it("are sent once more when momentary values are too old, which are then unknown; counters stay", () => {
		const bed = HubBed.served();
		bed.read(READOUT).advance(MINUTE);
		const state = (key: string) => bed.server.states.get(`sensor.smart_gateway_${key}`)?.state;
		assert.notEqual(state("1_0_16_7_0"), "unknown");
		bed.fail(true).advance(1000);
		assert.deepEqual([state("1_0_1_8_0"), state("1_0_16_7_0")], ["123.4", "unknown"]);
		assert.equal(bed.server.states.get("binary_sensor.smart_gateway_meter")?.state, "off");
		bed.server.states.clear();
		bed.advance(20 * MINUTE);
		assert.deepEqual([state("1_0_1_8_0"), state("1_0_16_7_0")], ["123.4", "unknown"], "after a restart of the hub");
		bed.read(READOUT).advance(11_000);
		assert.notEqual(state("1_0_16_7_0"), "unknown");
	});
});

describe("The hub's schedule", () => {
	it("publishes at once, and then after a pause, with the newest values", () => {
		const bed = HubBed.served();
		for (let i = 1; i <= 300; i++) {
			bed.read(counter(i)).advance(1000);
		}
		const values = bed.server.takeLog().filter((line) => line.includes("1_8_0"));
		assert.equal(values.length, 300_000 / HUB_PAUSE_MS);
		assert.deepEqual(values.slice(0, 3), [
			"201 sensor.smart_gateway_1_0_1_8_0 1",
			"200 sensor.smart_gateway_1_0_1_8_0 10",
			"200 sensor.smart_gateway_1_0_1_8_0 20",
		]);
	});

	it("publishes a readout that comes while it sends another", () => {
		const bed = HubBed.served();
		bed.server.delayMs = 2000;
		bed.read(counter(1)).advance(3000);
		bed.read(counter(2)).advance(MINUTE);
		const values = bed.server.takeLog().filter((line) => line.includes("1_8_0"));
		assert.deepEqual(values, ["201 sensor.smart_gateway_1_0_1_8_0 1", "200 sensor.smart_gateway_1_0_1_8_0 2"]);
	});

	it("checks every five minutes that the hub still has its states, and sends all again if not", () => {
		const bed = HubBed.served();
		bed.read(counter(1)).advance(1000);
		bed.server.takeLog();
		bed.advance(3 * HUB_WATCH_MS);
		const watch = "200 sensor.smart_gateway_last_readout 2026-11-22T11:00:00Z";
		assert.deepEqual(bed.server.takeLog(), [watch, watch, watch]);
		bed.server.forget();
		bed.advance(HUB_WATCH_MS);
		assert.deepEqual(bed.server.takeLog(), [
			"201 sensor.smart_gateway_last_readout 2026-11-22T11:00:00Z",
			"200 sensor.smart_gateway_last_readout 2026-11-22T11:00:00Z",
			"201 binary_sensor.smart_gateway_meter on",
			"201 sensor.smart_gateway_1_0_1_8_0 1",
		]);
	});

	it("checks only the first entity: if the hub lacks another one, not everything is sent again", () => {
		const bed = HubBed.served();
		bed.read(counter(1)).advance(MINUTE);
		bed.server.takeLog();
		bed.server.states.delete("binary_sensor.smart_gateway_meter");
		bed.fail().advance(MINUTE);
		assert.deepEqual(bed.server.takeLog(), [
			"200 sensor.smart_gateway_last_readout 2026-11-22T11:00:00Z",
			"201 binary_sensor.smart_gateway_meter off",
		]);
	});

	it("checks more often for a while after a failure", () => {
		const bed = HubBed.served();
		bed.server.answer = (peer) => {
			peer.close();
			return true;
		};
		bed.read(counter(1)).advance(1000);
		bed.server.answer = undefined;
		bed.advance(HUB_ALERT_MS - 1000);
		const seen = bed.server.takeLog().filter((line) => line.includes("last_readout")).length;
		assert.ok(seen >= 9 && seen <= 10, `${seen} checks in ten minutes`);
		bed.advance(2 * HUB_WATCH_SOON_MS + HUB_WATCH_MS);
		assert.ok(bed.server.takeLog().length <= 2);
	});

	it("on battery publishes only after a readout, and repeats a failed attempt once", () => {
		const power = { cells: 3, batteryVoltage: () => 4.2, usbVoltage: () => 0, temperatureC: () => 20 };
		const bed = HubBed.served({ power });
		bed.read(counter(1));
		assert.equal(bed.hub.isSending, true);
		bed.advance(1000);
		assert.equal(bed.hub.isSending, false);
		// The meter, its readout, one of its values and the battery are sent once each.
		const taken = bed.server.takeLog();
		assert.ok(taken.length >= 4 && new Set(taken).size === taken.length, taken.join());
		bed.advance(HOUR);
		assert.deepEqual(bed.server.takeLog(), []);
		bed.world.servers.stop(ADDRESS, 8123);
		for (let i = 1; i <= 2; i++) {
			bed.read(counter(2)).advance(HOUR);
			assert.equal(bed.hub.output.failures, 2 * i);
		}
		assert.equal(bed.hub.isSending, false);
		bed.server.serve(8123);
		bed.read(counter(3)).advance(1000);
		assert.equal(bed.hub.state, "ok");
	});

	it("publishes again after a change of settings, and nothing while it is off", () => {
		const bed = HubBed.served({ enabled: false });
		bed.read(counter(1)).advance(HOUR);
		assert.deepEqual(bed.server.takeLog(), []);
		assert.equal(bed.hub.state, "off");
		bed.settings.enabled = true;
		bed.hub.settingsChanged();
		assert.equal(bed.hub.state, "waiting");
		bed.advance(3000);
		assert.equal(bed.server.takeLog().length, 3);
		bed.settings.enabled = false;
		bed.hub.settingsChanged();
		bed.advance(HOUR);
		assert.deepEqual(bed.server.takeLog(), []);
		assert.equal(bed.hub.deadlineMs, Number.POSITIVE_INFINITY);
	});

	it("waits for memory, and reports that to a test only", () => {
		const bed = HubBed.served();
		bed.hasMemory = false;
		bed.read(counter(1)).advance(MINUTE);
		assert.deepEqual(bed.server.takeLog(), []);
		assert.equal(bed.hub.output.failures, 0);
		assert.equal(bed.test()?.failure?.code, "no_memory");
		bed.hasMemory = true;
		bed.advance(MINUTE);
		assert.equal(bed.hub.state, "ok");
	});

	it("sends nothing more after it was stopped", () => {
		const bed = HubBed.served();
		bed.server.delayMs = 1000;
		bed.read(counter(1)).advance(500);
		bed.hub.whenStopping();
		bed.advance(HOUR);
		assert.equal(bed.server.connections, 1);
		assert.equal(bed.server.requests, 1);
		assert.deepEqual(bed.server.takeLog(), []);
	});
});

describe("Failures of the hub", () => {
	it("are retried after longer and longer pauses, with the newest values", () => {
		const bed = new HubBed();
		bed.read(counter(1));
		const times: number[] = [];
		for (let i = 0; i < 3600; i++) {
			const before = bed.hub.output.failures;
			bed.advance(1000);
			if (bed.hub.output.failures > before) times.push(i);
		}
		const gaps = times.slice(1).map((time, i) => time - times[i]);
		const expected = [10, 30, 120, 300, 900, 900, 900];
		for (const [i, gap] of gaps.entries()) {
			assert.ok(gap >= expected[i] * 0.5 - 1 && gap <= expected[i] * 1.5 + 1, `${gap} s, ${expected[i]}`);
		}
		assert.ok(gaps.length >= 5);
		assert.deepEqual(bed.events, ["unreachable"]);
		assert.equal(bed.hub.state, "unreachable");
		bed.server.serve(8123);
		bed.read(counter(2)).advance(23 * MINUTE);
		assert.deepEqual(bed.events, ["unreachable", "back"]);
		assert.deepEqual(
			bed.server.takeLog().filter((line) => line.includes("1_8_0")),
			["201 sensor.smart_gateway_1_0_1_8_0 2"],
		);
	});

	it("end the attempts, except for one an hour, if the token is rejected, until the settings are saved", () => {
		for (const [status, code] of [
			["401 Unauthorized", "token_rejected"],
			["403 Forbidden", "forbidden"],
		]) {
			const bed = HubBed.served();
			bed.server.answer = (peer) => {
				reply(peer, status);
				return true;
			};
			for (let i = 0; i < 120; i++) {
				bed.read(counter(i)).advance(MINUTE);
			}
			assert.equal(bed.server.requests, 2, "one at first, and one an hour later");
			assert.equal(bed.hub.state, code);
			assert.deepEqual(bed.events, [code]);
			bed.server.answer = undefined;
			bed.hub.settingsChanged();
			bed.advance(3000);
			assert.equal(bed.hub.state, "ok");
		}
	});

	it("end when the missing network is joined", () => {
		const bed = HubBed.served();
		bed.radio = { address: undefined, station: undefined };
		bed.read(counter(1)).advance(10 * MINUTE);
		assert.equal(bed.server.connections, 0);
		assert.equal(bed.hub.state, "no_network");
		bed.radio = { address: {}, station: undefined };
		bed.hub.whenNetworkChanged(true);
		bed.advance(3000);
		assert.equal(bed.hub.state, "ok");
	});

	for (const [name, answer, code, retcode] of [
		["redirects", "301 Moved Permanently", "redirected", 1],
		["has no such path", "404 Not Found", "not_found", 1],
		["is not Home Assistant", "405 Method Not Allowed", "not_found", 1],
		["rejects the state", "400 Bad Request", "rejected", 1],
		["replies neither 200 nor 201", "204 No Content", "rejected", 1],
		["starts", "503 Service Unavailable", "hub_unavailable", 1],
		["is behind a proxy that can't reach it", "502 Bad Gateway", "hub_unavailable", 1],
	] as const) {
		it(`are reported as ${code}, with the HTTP status, if the server ${name}`, () => {
			const bed = HubBed.served();
			bed.server.answer = (peer) => {
				reply(peer, answer, "", "Location: https://elsewhere.example/\r\n");
				return true;
			};
			bed.read(counter(1));
			const result = bed.test();
			assert.deepEqual([result?.failure?.code, result?.failure?.retcode], [code, retcode]);
			assert.equal(result?.status, Number(answer.slice(0, 3)));
			assert.equal(bed.hub.state, code);
			assert.equal(bed.server.connections, 1);
		});
	}

	it("in the middle of a publication cause everything to be sent again", () => {
		const bed = HubBed.served();
		bed.server.answer = (peer, request) => {
			if (request === 3) reply(peer, "503 Service Unavailable");
			return request === 3;
		};
		bed.read(READOUT).advance(MINUTE);
		const ids = bed.server.takeLog().map((line) => line.replace(/^\d+ \w+\.smart_gateway_/, "").split(" ")[0]);
		assert.deepEqual(ids, ["last_readout", "meter", "last_readout", "meter", "1_0_1_8_0", "1_0_16_7_0"]);
	});

	it("on a connection that was kept open only lead to a new connection", () => {
		const bed = HubBed.served();
		bed.server.answer = (peer, request) => {
			if (request !== 2) return false;
			peer.close();
			return true;
		};
		bed.read(counter(1)).advance(1000);
		assert.equal(bed.server.connections, 2);
		assert.equal(bed.hub.output.failures, 0);
		assert.equal(bed.server.takeLog().length, 3);
	});

	it("are not reported for a server that closes each connection", () => {
		const bed = HubBed.served();
		bed.server.answer = (peer) => {
			reply(peer, "200 OK", "", "Connection: close\r\n");
			peer.close();
			return true;
		};
		bed.read(READOUT).advance(5000);
		assert.equal(bed.server.connections, 4);
		assert.equal(bed.hub.state, "ok");
	});

	it("are reported if a whole publication takes too long because the server is slow", () => {
		const bed = HubBed.served();
		bed.server.delayMs = 7500;
		bed.read(Array.from({ length: 20 }, (_, i) => `1-0:${i + 21}.7.0(1*V)`).join("\r\n")).advance(HUB_BATCH_MS + 1000);
		assert.equal(bed.hub.state, "no_reply");
		assert.equal(bed.server.requests, 8);
	});
});

describe("A test of the hub", () => {
	it("reports that everything was accepted", () => {
		const bed = HubBed.served();
		bed.read(counter(1)).advance(1000);
		const result = bed.test();
		assert.deepEqual([result?.failure, result?.status], [undefined, 200]);
		assert.ok(result!.ms < 1000);
	});

	it("takes the same time for every failure of a connection, and reports its code", () => {
		const outcomes = new Map<string, string>();
		for (const [name, url, prepare] of [
			["no name", "http://nowhere.lan", () => {}],
			["refused", `http://${ADDRESS}:1`, () => {}],
			["silence", `http://${ADDRESS}:2`, (bed: HubBed) => bed.world.servers.serve(ADDRESS, 2, { fault: "lost" })],
			[
				"closed",
				`http://${ADDRESS}:3`,
				(bed: HubBed) => bed.world.servers.serve(ADDRESS, 3, { onConnection: (peer) => peer.close() }),
			],
			[
				"another protocol",
				`http://${ADDRESS}:4`,
				(bed: HubBed) => bed.world.servers.serve(ADDRESS, 4, { onConnection: (peer) => peer.send("220 hello\r\n") }),
			],
			["no TLS", `https://${ADDRESS}:5`, (bed: HubBed) => bed.world.servers.serve(ADDRESS, 5, { fault: "no TLS" })],
			["an address that can't be used", "http://[fd00::1]:8123", () => {}],
		] as const) {
			const bed = new HubBed({ url, certificate: OWN_CERTIFICATE.certificate });
			prepare(bed);
			const result = bed.test();
			assert.equal(result?.status, 0, name);
			assert.equal(result?.ms, HTTP_CONNECT_MS, name);
			outcomes.set(name, `${result?.failure?.retcode} ${result?.failure?.code}`);
		}
		assert.deepEqual(Object.fromEntries(outcomes), {
			"no name": "2 no_such_name",
			refused: "3 unreachable",
			silence: "3 timeout",
			closed: "3 closed",
			"another protocol": "3 no_http",
			"no TLS": "4 tls_failed",
			"an address that can't be used": "5 bad_url",
		});
	});

	it("is refused while another one is running, and right after one", () => {
		const bed = HubBed.served();
		bed.server.delayMs = 100;
		const results: string[] = [];
		const first = { finished: () => results.push("first") };
		assert.equal(bed.hub.test(first), true);
		assert.equal(bed.hub.test({ finished: () => results.push("second") }), false);
		bed.advance(2000);
		assert.deepEqual(results, ["first"]);
		assert.equal(bed.test(), undefined);
		bed.advance(TEST_PAUSE_MS);
		assert.ok(bed.test());
	});

	it("joins a publication that is already running, and gets its result", () => {
		const bed = HubBed.served();
		bed.server.delayMs = 500;
		bed.read(counter(1)).advance(700);
		assert.equal(bed.test()?.failure, undefined);
		assert.equal(bed.server.connections, 1);
	});

	it("does not wait for a pause or for the next hour", () => {
		const bed = HubBed.served({ token: "another" });
		bed.read(counter(1)).advance(1000);
		assert.equal(bed.hub.state, "token_rejected");
		const result = bed.test();
		assert.deepEqual([result?.failure?.code, result?.failure?.retcode, result?.status], ["token_rejected", 1, 401]);
		bed.settings.token = TOKEN;
		bed.advance(TEST_PAUSE_MS);
		assert.equal(bed.test()?.failure, undefined);
	});

	it("gets no result after it was cancelled, and the publication goes on", () => {
		const bed = HubBed.served();
		bed.read(counter(1));
		const test = { finished: () => assert.fail("the test was cancelled") };
		assert.equal(bed.hub.test(test), true);
		bed.hub.cancel(test);
		bed.advance(1000);
		assert.equal(bed.server.takeLog().length, 3);
	});

	it("ends when the hub is turned off", () => {
		const bed = HubBed.served();
		bed.server.delayMs = 5000;
		let finished = 0;
		bed.hub.test({ finished: () => finished++ });
		bed.advance(1000);
		bed.settings.enabled = false;
		bed.hub.settingsChanged();
		bed.advance(HTTP_CONNECT_MS);
		assert.equal(finished, 1);
	});
});

describe("The hub over TLS", () => {
	const url = "https://hub.lan:8123";
	const { certificate } = OWN_CERTIFICATE;

	it("publishes to a server with the right certificate, even over a second connection", () => {
		const bed = new HubBed({ url, certificate });
		bed.server.serve(8123, { certificate });
		bed.read(counter(1)).advance(1000);
		assert.equal(bed.hub.state, "ok");
		bed.read(counter(2)).advance(HUB_PAUSE_MS + 1000);
		assert.equal(bed.server.connections, 2);
	});

	it("sends the token to no server whose certificate is untrusted, expired or not configured", () => {
		const at = (names: string[], fromYear: number, toYear: number) =>
			makeCertificate({ names, validFromMs: Date.UTC(fromYear, 0, 1), validToMs: Date.UTC(toYear, 0, 1) }).certificate;
		const expired = at(["hub.lan"], 2020, 2022);
		for (const [shown, trusted, code] of [
			[at(["hub.lan"], 2026, 2036), certificate, "certificate_untrusted"],
			[expired, expired, "certificate_expired"],
			[certificate, undefined, "certificate_missing"],
		] as const) {
			const bed = new HubBed({ url, certificate: trusted });
			bed.server.serve(8123, { certificate: shown });
			bed.read(counter(1));
			const result = bed.test();
			assert.deepEqual([result?.failure?.code, result?.failure?.retcode, result?.status], [code, 4, 0]);
			assert.equal(bed.server.requests, 0);
		}
	});

	it("does not check dates while the clock is not set", () => {
		const old = makeCertificate({
			names: ["hub.lan"],
			validFromMs: Date.UTC(2020, 0, 1),
			validToMs: Date.UTC(2022, 0, 1),
		});
		const bed = new HubBed({ url, certificate: old.certificate, utcMs: undefined });
		bed.server.serve(8123, { certificate: old.certificate });
		assert.equal(bed.test()?.failure, undefined);
	});

	it("waits for the TLS permit, releases it, and reports only after half an hour that it did not get it", () => {
		const bed = new HubBed({ url, certificate });
		bed.server.serve(8123, { certificate });
		let isWanted = 0;
		const other: PermitClient = { permitGranted: () => {}, permitRequested: () => isWanted++ };
		assert.equal(bed.tlsPermit.request(other), true);
		bed.read(counter(1)).advance(1000);
		assert.equal(isWanted, 1);
		assert.equal(bed.server.connections, 0);
		assert.equal(bed.hub.isSending, true);
		bed.tlsPermit.release(other);
		bed.advance(1000);
		assert.equal(bed.hub.state, "ok");
		assert.equal(bed.tlsPermit.request(other), true, "the permit was released");
		bed.read(counter(2));
		const requests = bed.server.requests;
		bed.advance(HUB_PAUSE_MS + LACK_MS);
		assert.deepEqual([bed.hub.state, bed.hub.output.failures, isWanted], ["ok", 0, 2]);
		bed.advance(MINUTE);
		assert.equal(bed.hub.state, "no_memory");
		bed.tlsPermit.release(other);
		bed.advance(1000);
		assert.equal(bed.hub.state, "ok");
		assert.ok(bed.server.requests > requests);
	});

	it("keeps its place among those that wait for the TLS permit", () => {
		const bed = new HubBed({ url, certificate });
		bed.server.serve(8123, { certificate });
		const order: string[] = [];
		const client = (name: string): PermitClient => ({
			permitGranted: () => order.push(name),
			permitRequested: () => {},
		});
		const [holder, later] = [client("holder"), client("later")];
		bed.tlsPermit.request(holder);
		bed.read(counter(1)).advance(1000);
		bed.tlsPermit.request(later);
		bed.advance(2 * MINUTE);
		bed.tlsPermit.release(holder);
		assert.deepEqual(order, []);
		bed.advance(1000);
		assert.equal(bed.hub.state, "ok");
		assert.deepEqual(order, ["later"]);
	});

	it("waits for memory for a handshake, without a failure, and tries again", () => {
		const bed = new HubBed({ url, certificate });
		bed.server.serve(8123, { certificate });
		bed.world.servers.hasMemory = false;
		bed.read(counter(1)).advance(1000);
		assert.deepEqual([bed.hub.state, bed.hub.output.failures], ["waiting", 0]);
		bed.world.servers.hasMemory = true;
		bed.advance(MINUTE);
		assert.equal(bed.hub.state, "ok");
	});
});

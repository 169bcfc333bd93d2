/** The policy of MQTT on virtual time, with a simulated broker. */

import assert from "node:assert/strict";
import { type Put, put } from "../../modules/config/schema.js";
import { RESERVE } from "../../modules/io/memory.js";
import {
	MQTT_DISCOVERY,
	MQTT_DISCOVERY_PREFIX,
	MQTT_ENABLED,
	MQTT_PAUSE_SECS,
	MQTT_RETAINED,
	MQTT_TOPIC,
	MQTT_TOPICS,
	MQTT_URL,
	TOPICS_BOTH,
	TOPICS_JSON,
	TOPICS_VALUES,
} from "../../modules/parts/mqtt/fields.js";
import { MQTT_UP } from "../../modules/parts/mqtt/publisher.js";
import { lastingPair } from "../api/server-identity.js";
import { BASE, Bed, BLOCK, DISCOVERY_TOPIC, readoutOf, SENT_MS } from "./bed.js";
import { BROKER_ADDRESS, ScriptedBroker } from "./broker.js";

describe("MQTT", () => {
	let bed: Bed;
	afterEach(() => bed.stop());

	it("publishes its status, and no values before the first readout", () => {
		bed = new Bed().start();
		assert.equal(bed.service.publisher?.state, MQTT_UP);
		assert.deepEqual(bed.broker.published, [`${BASE}/status online`]);
		assert.equal(bed.service.isSending, false);
		bed.measured();
		assert.equal(bed.service.isSending, true);
		bed.advance(100);
		assert.deepEqual([...bed.broker.retained.keys()], [`${BASE}/status`, DISCOVERY_TOPIC]);
		assert.equal(bed.broker.last.has(`${BASE}/state`), false, "Home Assistant is not subscribed yet");
		bed.advance(SENT_MS);
		assert.equal(bed.service.isSending, false);
		assert.deepEqual([...bed.broker.retained.keys()], [`${BASE}/status`, DISCOVERY_TOPIC]);
		assert.equal(
			bed.broker.last.get(`${BASE}/state`),
			'{"time":"2026-11-22T10:00:00Z","meter":"on","problem":"off","problem_text":null,"meter_number":"TST5METER","1_0_1_8_0":1234.567,"1_0_2_8_0":1.000,"1_0_16_7_0":-421}',
		);
	});

	it("publishes the last readout when it is turned on", () => {
		bed = new Bed({ isSet: false });
		bed.outcomes.measured = readoutOf(BLOCK);
		bed.start();
		bed.set(put(MQTT_ENABLED, true), put(MQTT_URL, `mqtt://${BROKER_ADDRESS}`));
		bed.service.settingsChanged();
		bed.advance(SENT_MS);
		assert.match(bed.broker.last.get(`${BASE}/state`)!, /1234\.567/);
	});

	it("connects only for a readout on a device that sleeps, and disconnects when everything is sent", () => {
		const saving = { awakeUntilMs: 60_000 };
		bed = new Bed({ saving });
		bed.measured();
		// The device turns its radio on for this.
		assert.equal(bed.service.isSending, true);
		bed.start(5000);
		assert.equal(bed.service.isSending, false);
		assert.deepEqual([...bed.broker.retained.keys()], [`${BASE}/status`, DISCOVERY_TOPIC, `${BASE}/state`]);
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "online", "the will was not published");
		assert.deepEqual(
			bed.broker.sessions.map(({ isLeft }) => isLeft),
			[true],
		);
		bed.advance(600_000);
		assert.equal(bed.broker.sessions.length, 1, "nothing to send, no connection");
		bed.measured("1-0:1.8.0(1235*kWh)");
		assert.equal(bed.service.isSending, true);
		bed.advance(5000);
		assert.equal(bed.broker.sessions.length, 2);
		assert.match(bed.broker.last.get(`${BASE}/state`)!, /1235/);
		assert.equal(bed.service.isSending, false);
		// On USB power it stays connected.
		saving.awakeUntilMs = Number.POSITIVE_INFINITY;
		bed.measured("1-0:1.8.0(1236*kWh)").advance(60_000);
		assert.equal(bed.service.publisher?.state, MQTT_UP);
	});

	it("reports a missing broker on a device that sleeps, and does not keep it awake for another attempt", () => {
		bed = new Bed({ saving: { awakeUntilMs: 60_000 } });
		bed.world.servers.stop(BROKER_ADDRESS, 1883);
		bed.measured();
		bed.start(5000);
		assert.equal(bed.service.isSending, false);
		assert.deepEqual(bed.reports, ["unreachable"]);
	});

	const OWN = ["time 2026-11-22T10:00:00Z", "meter on", "problem off", "problem_text None", "meter_number TST5METER"];
	const EACH = [...OWN, "1_0_1_8_0 1234.567", "1_0_2_8_0 1.000", "1_0_16_7_0 -421"];
	for (const [topics, expected] of [
		[TOPICS_VALUES, EACH],
		[TOPICS_BOTH, ["state", ...EACH]],
	] as const) {
		it(`publishes ${topics}`, () => {
			bed = new Bed();
			bed.set(put(MQTT_TOPICS, topics));
			bed.start().publish();
			const lines = bed.broker.published.slice(2);
			assert.equal(lines.length, expected.length);
			for (const [i, line] of expected.entries()) assert.ok(lines[i].startsWith(`${BASE}/${line}`), lines[i]);
		});
	}

	it("publishes only the newest of many readouts, ten seconds apart", () => {
		bed = new Bed().start();
		for (let i = 0; i < 60; i++) {
			bed.measured(`1-0:1.8.0(${i}*kWh)`).advance(1000);
		}
		bed.advance(10_000);
		assert.equal(bed.broker.count(`${BASE}/state`), 7);
		assert.match(bed.broker.last.get(`${BASE}/state`)!, /"1_0_1_8_0":59\}/);
		assert.equal(bed.broker.count(DISCOVERY_TOPIC), 1);
	});

	it("sends a readout at once if it arrives within the last half second of the pause", () => {
		bed = new Bed().start();
		bed.measured().advance(SENT_MS + 20_000);
		const sentAfter = (ms: number, value: number) => {
			bed.advance(ms);
			bed.measured(`1-0:1.8.0(${value}*kWh)`).advance(1);
			return bed.broker.last.get(`${BASE}/state`)?.includes(`"1_0_1_8_0":${value}}`);
		};
		assert.equal(sentAfter(100, 1), true);
		assert.equal(sentAfter(9600, 2), true);
		assert.equal(sentAfter(9400, 3), false);
		bed.advance(600);
		assert.match(bed.broker.last.get(`${BASE}/state`)!, /"1_0_1_8_0":3\}/);
	});

	/** QoS of the readouts in the present session. */
	const qualities = () =>
		bed.broker.current!.packets.flatMap((one) =>
			one.cmd === "publish" && one.topic === `${BASE}/state` ? one.qos : [],
		);

	/** Time for which values wait after a first announcement. */
	const SUBSCRIBE_S = 3;

	it("publishes as often as its pause allows, with QoS 0 if the pause is shorter than ten seconds", () => {
		for (const [pauseSecs, count, qos] of [
			[1, 31, 0],
			[9, 4, 0],
			[10, 4, 1],
			[30, 2, 1],
		] as const) {
			bed = new Bed();
			bed.set(put(MQTT_PAUSE_SECS, pauseSecs), put(MQTT_TOPICS, TOPICS_BOTH));
			bed.start();
			// Only the last readout in the time after the announcement is sent.
			for (let second = 1 - SUBSCRIBE_S; second <= 30; second++) {
				bed.measured(`1-0:1.8.0(${second}*kWh)\r\n1-0:2.8.0(7*kWh)`).advance(1000);
				assert.equal(bed.service.publisher?.state, MQTT_UP);
			}
			assert.deepEqual(qualities(), new Array(count).fill(qos), `${pauseSecs} s`);
			assert.equal(bed.broker.count(`${BASE}/1_0_2_8_0`), count);
			// Status, announcement, and for each readout the text, two values, and the gateway's own.
			assert.equal(bed.service.publisher?.published, 2 + (1 + 2 + OWN.length) * count);
			// Discovery messages for Home Assistant are always acknowledged.
			const announcements = bed.broker.current!.packets.filter(
				(one) => one.cmd === "publish" && one.topic === DISCOVERY_TOPIC,
			);
			assert.deepEqual(
				announcements.map((one) => one.cmd === "publish" && one.qos),
				[1],
			);
			bed.stop();
		}
		bed = new Bed();
	});

	it("notices a dead broker even with messages that need no acknowledgement", () => {
		bed = new Bed();
		bed.set(put(MQTT_PAUSE_SECS, 1));
		bed.start();
		const second = (i: number) => {
			bed.measured(`1-0:1.8.0(${i}*kWh)`).advance(1000);
		};
		for (let i = 0; i < 300; i++) second(i);
		assert.deepEqual(bed.reports, []);
		const acknowledged = qualities().filter((qos) => qos === 1).length;
		assert.ok(acknowledged >= 5 && acknowledged <= 7, `${acknowledged} of ${qualities().length}`);
		bed.broker.acknowledges = 0;
		for (let i = 0; i < 70; i++) second(i);
		assert.deepEqual(bed.reports, ["silent"]);
	});

	it("publishes only the newest readout after a time without a connection", () => {
		bed = new Bed();
		bed.world.servers.stop("192.0.2.7", 1883);
		bed.start();
		bed.measured("1-0:1.8.0(1*kWh)").advance(60_000);
		bed.measured("1-0:1.8.0(2*kWh)");
		bed.restore();
		bed.untilMet();
		bed.advance(SENT_MS);
		assert.deepEqual(
			bed.broker.published.filter((line) => line.startsWith(`${BASE}/state`)),
			[
				`${BASE}/state {"time":"2026-11-22T10:00:00Z","meter":"on","problem":"off","problem_text":null,"meter_number":"TST5METER","1_0_1_8_0":2}`,
			],
		);
		assert.deepEqual(bed.reports, ["unreachable", ""]);
	});

	it("publishes an unacknowledged message again in the next session", () => {
		bed = new Bed().start();
		bed.broker.acknowledges = 1;
		bed.publish();
		assert.equal(bed.broker.count(`${BASE}/state`), 1);
		// The broker is silent: the session ends, and the next one begins.
		bed.broker.acknowledges = Number.POSITIVE_INFINITY;
		bed.untilMet();
		bed.advance(1000);
		assert.equal(bed.broker.count(`${BASE}/state`), 2);
		assert.deepEqual(bed.reports, ["silent", ""]);
		assert.equal(bed.service.isSending, false);
		// The will was published when the silent connection was closed.
		assert.ok(bed.broker.published.includes(`${BASE}/status offline`));
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "online");
	});

	it("publishes everything again one to ten seconds after Home Assistant has started", () => {
		const delays = new Set<number>();
		for (let seed = 1; seed <= 20; seed++) {
			bed = new Bed({ seed }).start();
			bed.publish();
			const before = bed.broker.published.length;
			bed.broker.publish("homeassistant/status", "offline");
			bed.advance(20_000);
			assert.equal(bed.broker.published.length, before);
			bed.broker.publish("homeassistant/status", "online", seed % 2 === 0 ? 0 : 1);
			const { time } = bed.world;
			const fromMs = time.nowMs;
			time.runWhile(() => bed.broker.published.length === before, fromMs + 20_000);
			const delayMs = time.nowMs - fromMs;
			assert.ok(delayMs >= 1000 && delayMs <= 10_100, `${delayMs} ms`);
			delays.add(delayMs);
			bed.advance(1000);
			assert.deepEqual(
				bed.broker.published.slice(before).map((line) => line.split(" ")[0]),
				[`${BASE}/status`, DISCOVERY_TOPIC, `${BASE}/state`],
			);
			const acks = bed.broker.current!.packets.filter(({ cmd }) => cmd === "puback");
			assert.equal(acks.length, seed % 2 === 0 ? 0 : 1);
			if (seed < 20) bed.stop();
		}
		assert.ok(delays.size > 10);
	});

	it("keeps the session alive, and notices a dead broker", () => {
		bed = new Bed().start();
		bed.advance(3_600_000);
		assert.equal(bed.broker.sessions.length, 1);
		const pings = bed.broker.current!.packets.filter(({ cmd }) => cmd === "pingreq").length;
		assert.ok(pings >= 79 && pings <= 81, `${pings} pings`);
		bed.broker.pings = false;
		bed.advance(45_000 + 20_000 + 100);
		assert.equal(bed.service.output.failure?.code, "silent");
		bed.broker.pings = true;
		bed.untilMet();
		bed.advance(1000);
		assert.equal(bed.service.output.failure, undefined);
	});

	/**
	 * Delays before that many attempts, ms. The broker accepts each connection but never answers; the gateway gives up
	 * after 20 s, which are subtracted.
	 */
	function waitsFor(attempts: number): number[] {
		return Array.from({ length: attempts }, (_, i) => bed.untilMet() - 20_000 + (i === 0 ? 980 : 0));
	}

	function expectWaits(waits: readonly number[], longestMs: number): void {
		for (const [i, wait] of waits.entries()) {
			const nominal = Math.min(10_000 * 2 ** i, longestMs);
			assert.ok(wait > nominal * 0.49 && wait < nominal * 1.51 + 100, `wait ${i}: ${wait}`);
		}
	}

	it("waits longer before each attempt, but less than a minute, and never exactly the same time", () => {
		bed = new Bed();
		bed.broker.greets = false;
		bed.start();
		const waits = waitsFor(12);
		expectWaits(waits, 36_000);
		assert.ok(new Set(waits.slice(8)).size > 2);
		assert.ok(Math.max(...waits) < 60_000);
		assert.deepEqual(bed.reports, ["silent"]);
	});

	it("waits for a given time before the first connection alone", () => {
		const waits = Array.from({ length: 5 }, (_, i) => {
			bed = new Bed({ startDelayMs: 2000 * i });
			bed.start(0);
			const waitMs = bed.untilMet();
			// Later networks are joined at once.
			bed.service.whenNetworkChanged(false);
			bed.advance(1000);
			bed.start(0);
			assert.ok(bed.untilMet() < 100);
			bed.stop();
			return waitMs;
		});
		for (const [i, waitMs] of waits.entries()) assert.ok(Math.abs(waitMs - 2000 * i) < 100, `${i}: ${waitMs}`);
	});

	it("does not wait at the start for its owner, nor on a device that sleeps", () => {
		bed = new Bed({ startDelayMs: 10_000 });
		bed.start(0);
		bed.service.settingsChanged();
		assert.ok(bed.untilMet() < 100);
		bed.stop();
		bed = new Bed({ startDelayMs: 10_000 });
		bed.start(0);
		assert.ok(bed.service.test({ finished: () => {} }));
		assert.ok(bed.untilMet() < 100);
		bed.stop();
		bed = new Bed({ startDelayMs: 10_000, saving: { awakeUntilMs: 1e9 } });
		bed.measured();
		bed.start(0);
		assert.ok(bed.untilMet() < 100);
	});

	it("is connected within a minute after the broker was away for a day", () => {
		for (let seed = 1; seed <= 10; seed++) {
			bed = new Bed({ seed }).start();
			bed.world.servers.stop(BROKER_ADDRESS, 1883);
			bed.broker.current!.peer.reset();
			bed.advance(86_400_000);
			bed.restore();
			const waitMs = bed.untilMet();
			assert.ok(waitMs < 60_000, `${waitMs} ms`);
			if (seed < 10) bed.stop();
		}
	});

	it("waits up to a quarter of an hour on a device that sleeps", () => {
		bed = new Bed({ saving: { awakeUntilMs: 1e9 } });
		bed.broker.greets = false;
		bed.measured();
		bed.start();
		expectWaits(waitsFor(10), 600_000);
	});

	it("starts again with short waits after a session that has lasted", () => {
		bed = new Bed();
		bed.broker.greets = false;
		bed.start();
		for (let i = 0; i < 5; i++) bed.untilMet();
		bed.advance(1000);
		bed.broker.greets = true;
		bed.untilMet();
		// A connection that is closed at once does not count.
		bed.advance(5000);
		bed.broker.current!.peer.reset();
		assert.ok(bed.untilMet() > 17_000);
		bed.advance(61_000);
		bed.broker.current!.peer.reset();
		assert.ok(bed.untilMet() < 16_000);
	});

	const REFUSALS = ["refused_version", "refused_id", "refused_busy", "refused_login", "refused_access"];
	for (const [i, code] of REFUSALS.entries()) {
		it(`reports the broker's refusal ${i + 1} (${code})${i === 2 ? "" : ", and does not try again soon"}`, () => {
			bed = new Bed();
			bed.setLogin("gateway", "wrong");
			bed.broker.returnCode = i + 1;
			bed.start();
			assert.equal(bed.service.output.failure?.code, code);
			const waitMs = bed.untilMet();
			if (i === 2) assert.ok(waitMs < 15_000);
			else assert.ok(waitMs > 2_800_000, `${waitMs} ms`);
			assert.deepEqual(bed.reports, [code]);
			// Changed settings are tried at once.
			bed.broker.returnCode = 0;
			bed.advance(1000);
			bed.setLogin("gateway", "right");
			bed.service.settingsChanged();
			assert.ok(bed.untilMet() < 1000);
			bed.advance(1000);
			assert.equal(bed.service.publisher?.state, MQTT_UP);
		});
	}

	it("removes its discovery message and publishes offline when it is turned off", () => {
		bed = new Bed().start().publish();
		bed.set(put(MQTT_ENABLED, false));
		bed.service.settingsChanged();
		bed.advance(1000);
		assert.equal(bed.broker.retained.has(DISCOVERY_TOPIC), false);
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "offline");
		assert.equal(bed.broker.sessions[0].isLeft, true);
		assert.equal(bed.service.publisher, undefined);
		bed.measured().advance(3_600_000);
		assert.equal(bed.broker.sessions.length, 1);
		// MQTT is enabled again.
		bed.set(put(MQTT_ENABLED, true));
		bed.service.settingsChanged();
		bed.advance(1000);
		bed.publish();
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "online");
		assert.ok(bed.broker.retained.has(DISCOVERY_TOPIC));
	});

	it("connects if settings were saved while it was off and without a network", () => {
		bed = new Bed({ isSet: false });
		bed.service.whenNetworkChanged(false);
		bed.service.settingsChanged();
		bed.advance(1000);
		bed.start();
		bed.set(put(MQTT_ENABLED, true), put(MQTT_URL, `mqtt://${BROKER_ADDRESS}`));
		bed.restore();
		bed.service.settingsChanged();
		bed.advance(60_000);
		assert.equal(bed.service.publisher?.state, MQTT_UP);
	});

	it("removes its discovery message even if it was turned off without a connection, but does not try for ever", () => {
		bed = new Bed().start().publish();
		bed.world.servers.stop("192.0.2.7", 1883);
		bed.broker.current!.peer.reset();
		bed.advance(5000);
		bed.set(put(MQTT_ENABLED, false));
		bed.service.settingsChanged();
		bed.advance(5000);
		bed.restore();
		bed.untilMet();
		bed.advance(1000);
		assert.equal(bed.broker.retained.has(DISCOVERY_TOPIC), false);
		assert.equal(bed.service.publisher, undefined);

		bed.set(put(MQTT_ENABLED, true));
		bed.service.settingsChanged();
		bed.advance(1000);
		bed.publish();
		bed.world.servers.stop("192.0.2.7", 1883);
		bed.broker.current!.peer.reset();
		bed.advance(1000);
		bed.set(put(MQTT_ENABLED, false));
		bed.service.settingsChanged();
		bed.advance(3_600_000);
		assert.equal(bed.service.publisher, undefined);
		bed.restore();
		const { length } = bed.broker.sessions;
		bed.advance(3_600_000);
		assert.equal(bed.broker.sessions.length, length);
	});

	it("removes the discovery message alone, and keeps publishing", () => {
		bed = new Bed().start().publish();
		bed.set(put(MQTT_DISCOVERY, false));
		bed.service.settingsChanged();
		bed.advance(1000);
		assert.equal(bed.broker.retained.has(DISCOVERY_TOPIC), false);
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "online");
		assert.equal(bed.service.publisher?.state, MQTT_UP);
		assert.equal(
			bed.broker.current!.packets.some(({ cmd }) => cmd === "subscribe"),
			false,
		);
	});

	it("changes to another prefix and another topic", () => {
		bed = new Bed().start().publish();
		bed.set(put(MQTT_DISCOVERY_PREFIX, "ha"), put(MQTT_TOPIC, "house/meter"));
		bed.service.settingsChanged();
		bed.advance(SENT_MS);
		assert.equal(bed.broker.retained.has(DISCOVERY_TOPIC), false);
		const payload = JSON.parse(bed.broker.retained.get("ha/device/smgw_virtual0001/config")!);
		assert.equal(payload.stat_t, "house/meter/virtual0001/state");
		assert.ok(bed.broker.last.has("house/meter/virtual0001/state"));
		// Subscribers of the old topics see them offline.
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "offline");
	});

	/** Retained topics below the base, without the status. */
	const retained = (base = BASE) =>
		[...bed.broker.retained.keys()]
			.filter((topic) => topic.startsWith(`${base}/`) && topic !== `${base}/status`)
			.map((topic) => topic.slice(base.length + 1));
	const LASTING = ["time", "meter_number", "1_0_1_8_0", "1_0_2_8_0"];

	it("has the broker retain only what stays true after the gateway is gone", () => {
		bed = new Bed();
		bed.set(put(MQTT_TOPICS, TOPICS_BOTH));
		bed.start().publish();
		assert.deepEqual(retained(), LASTING);
		for (const key of ["state", "meter", "problem", "1_0_16_7_0"])
			assert.ok(bed.broker.last.has(`${BASE}/${key}`), key);
	});

	it("empties retained topics that another topic, other topics or switching off leave behind", () => {
		const firmware = { latest: "0.0.0", progress: undefined };
		const change = (...puts: readonly Put[]) => {
			bed.set(...puts);
			bed.service.settingsChanged();
			bed.advance(SENT_MS);
		};
		bed = new Bed({ firmware });
		bed.set(put(MQTT_TOPICS, TOPICS_VALUES));
		bed.start().publish();
		assert.deepEqual(retained().sort(), [...LASTING, "update"].sort());
		change(put(MQTT_TOPIC, "house"));
		assert.deepEqual(retained(), []);
		assert.deepEqual(retained("house/virtual0001").sort(), [...LASTING, "update"].sort());
		change(put(MQTT_TOPICS, TOPICS_JSON));
		assert.deepEqual(retained("house/virtual0001"), ["update"]);
		change(put(MQTT_TOPICS, TOPICS_BOTH));
		assert.deepEqual(retained("house/virtual0001").sort(), [...LASTING, "update"].sort());
		change(put(MQTT_ENABLED, false));
		assert.deepEqual(retained("house/virtual0001"), []);
		assert.deepEqual([...bed.broker.retained.keys()], [`${BASE}/status`, "house/virtual0001/status"]);
		assert.equal(bed.broker.retained.get("house/virtual0001/status"), "offline");
	});

	it("empties them after a restart too, if there was no connection when the settings changed", () => {
		bed = new Bed();
		bed.set(put(MQTT_TOPICS, TOPICS_VALUES));
		bed.start().publish();
		const { storage } = bed.world;
		const { retained: left } = bed.broker;
		bed.stop();
		bed = new Bed({ storage, isSet: false });
		bed.set(put(MQTT_TOPICS, TOPICS_JSON));
		for (const [topic, payload] of left) bed.broker.retained.set(topic, payload);
		bed.start();
		assert.deepEqual(retained(), LASTING, "the keys are known from the first readout on");
		bed.publish();
		assert.deepEqual(retained(), []);
	});

	it("empties the state that an earlier firmware had the broker retain, once", () => {
		bed = new Bed().start().publish();
		const { storage } = bed.world;
		bed.set(put(MQTT_RETAINED, ""));
		bed.stop();
		for (const isFirst of [true, false]) {
			bed = new Bed({ storage, isSet: false });
			bed.broker.retained.set(`${BASE}/state`, "{}");
			bed.start().publish();
			assert.equal(bed.broker.published.filter((line) => line === `${BASE}/state `).length, Number(isFirst));
			assert.equal(bed.broker.retained.has(`${BASE}/state`), !isFirst);
			bed.stop();
		}
		bed = new Bed();
	});

	it("sends nothing without a network, and connects again when there is one", () => {
		bed = new Bed().start().publish();
		bed.service.whenNetworkChanged(false);
		bed.advance(1);
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "offline");
		bed.advance(3_600_000);
		assert.equal(bed.broker.sessions.length, 1);
		bed.start();
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "online");
		assert.equal(bed.broker.count(`${BASE}/state`), 2);
	});

	it("waits for memory, and holds none when everything is sent", () => {
		let has = false;
		let requests = 0;
		const suffices = (slots: number) => {
			requests = slots;
			return has;
		};
		bed = new Bed({ memory: { suffices } }).start(10_000);
		assert.equal(bed.broker.sessions.length, 0);
		has = true;
		bed.advance(3000);
		assert.equal(bed.service.publisher?.state, MQTT_UP);
		has = false;
		bed.measured().advance(10_000);
		assert.equal(bed.broker.count(`${BASE}/state`), 0);
		has = true;
		bed.advance(2000 + SENT_MS);
		assert.equal(bed.broker.count(`${BASE}/state`), 1);
		assert.equal(bed.service.isSending, false);
		bed.ledger.fits({ slots: 0, chunkBytes: 0 });
		assert.equal(requests, RESERVE.slots);
	});

	it("makes no message inside a call by others, but in the next tick", () => {
		bed = new Bed().start().publish();
		// Each message has a topic.
		let topics = 0;
		const { text } = bed.world;
		const encode = text.encode.bind(text);
		text.encode = (topic) => {
			topics++;
			return encode(topic);
		};
		const { service } = bed;
		const calls: Record<string, () => void> = {
			measured: () => bed.measured(),
			settingsChanged: () => service.settingsChanged(),
			test: () => service.test({ finished: () => {} }),
			permitted: () => service.permitted(),
			permitWanted: () => service.permitWanted(),
		};
		for (const [name, call] of Object.entries(calls)) {
			// A message is due, but waits for the end of the pause.
			for (let count = 0; count < 2; count++) {
				bed.measured().advance(1);
			}
			topics = 0;
			call();
			assert.equal(topics, 0, name);
			assert.equal(service.deadlineMs, bed.world.clock.monotonicMs(), name);
			bed.advance(20_000);
			assert.ok(topics > 0, name);
		}
	});

	it("shows at once that settings have changed", () => {
		bed = new Bed().start();
		assert.equal(bed.service.stateText, "ok");
		bed.service.settingsChanged();
		assert.equal(bed.service.stateText, "connecting");
		bed.advance(1000);
		assert.equal(bed.service.stateText, "ok");
	});

	it("connects once enough of the heap is free, and publishes with less", () => {
		let heapBytes = 20_000;
		const free = () => ({ slots: 1000, chunkBytes: 10_000, heapBytes });
		bed = new Bed({ memory: { suffices: () => true, free } }).start(10_000);
		assert.equal(bed.broker.sessions.length, 0);
		heapBytes = 40_000;
		bed.advance(3000);
		assert.equal(bed.service.publisher?.state, MQTT_UP);
		heapBytes = 20_000;
		bed.measured().advance(10_000);
		assert.equal(bed.broker.count(`${BASE}/state`), 1);
	});

	it("forgets the values of a previous meter, and removes them from Home Assistant once", () => {
		bed = new Bed().start();
		bed.measured().advance(11_000);
		bed.service.forgetMeter();
		bed.publish("1-0:1.8.0*255(5*kWh)\r\n1-0:32.7.0*255(230*V)");
		const first = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps;
		assert.deepEqual(first["1_0_16_7_0"], { p: "sensor" });
		assert.deepEqual(first["1_0_2_8_0"], { p: "sensor" });
		assert.equal(first["1_0_32_7_0"].dev_cla, "voltage");
		bed.broker.publish("homeassistant/status", "online");
		bed.advance(11_000);
		assert.deepEqual(Object.keys(JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps), [
			"time",
			"meter",
			"problem",
			"meter_number",
			"1_0_1_8_0",
			"1_0_32_7_0",
			"read",
			"identify",
		]);
	});

	it("does not remove values that a meter sends only now and then", () => {
		bed = new Bed().start();
		const short = "1-0:16.7.0*255(0.5*kW)";
		for (const block of [short, BLOCK, short, BLOCK, short]) {
			bed.measured(block).advance(11_000);
		}
		assert.equal(bed.broker.count(DISCOVERY_TOPIC), 2);
		assert.doesNotMatch(bed.broker.retained.get(DISCOVERY_TOPIC)!, /\{"p":"sensor"\}/);
		bed.broker.publish("homeassistant/status", "online");
		bed.advance(11_000);
		assert.doesNotMatch(bed.broker.retained.get(DISCOVERY_TOPIC)!, /\{"p":"sensor"\}/);
	});

	it("remembers after a restart what it has announced", () => {
		bed = new Bed().start().publish();
		const { storage } = bed.world;
		bed.stop();
		bed = new Bed({ storage, isSet: false }).start();
		bed.publish("1-0:1.8.0*255(5*kWh)", "ANOTHER");
		const { cmps } = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		assert.deepEqual(cmps["1_0_16_7_0"], { p: "sensor" });
	});

	it("reports a broker that reads nothing, publishes once it reads again, and reports one that sends without end", () => {
		bed = new Bed();
		bed.broker.isStuck = true;
		bed.start();
		bed.measured(Array.from({ length: 60 }, (_, i) => `1-0:${i + 1}.7.0*255(${i}*V)`).join("\r\n")).advance(30_000);
		assert.equal(bed.service.output.failure?.code, "silent");
		bed.broker.isStuck = false;
		bed.untilMet();
		bed.advance(SENT_MS);
		assert.equal(bed.broker.count(`${BASE}/state`), 1);
		for (let i = 0; i < 1000; i++) bed.broker.publish("homeassistant/status", "x");
		bed.advance(1000);
		assert.equal(bed.service.output.failure?.code, "no_mqtt");
	});

	describe("over TLS", () => {
		const own = lastingPair(BROKER_ADDRESS);

		function secureBed(server: object = {}): ScriptedBroker {
			bed = new Bed();
			bed.set(put(MQTT_URL, `mqtts://${BROKER_ADDRESS}`));
			bed.trust(own.certificate);
			return new ScriptedBroker(bed.world, 8883, { certificate: own.certificate, ...server });
		}

		it("lends the permit to another client after the message in flight, disconnects without its will, and connects again later", () => {
			const broker = secureBed();
			bed.start();
			assert.equal(bed.service.publisher?.state, MQTT_UP);
			const given: string[] = [];
			const hub = { permitGranted: () => given.push("given"), permitRequested: () => given.push("wanted") };
			bed.measured();
			assert.equal(bed.tlsPermit.request(hub), false);
			bed.advance(100);
			// The service requests the permit again at once, and the hub is notified of that.
			assert.deepEqual(given, ["given", "wanted"]);
			assert.equal(broker.sessions[0].isLeft, true);
			assert.equal(broker.retained.get(`${BASE}/status`), "online");
			bed.advance(60_000);
			assert.equal(broker.sessions.length, 1);
			bed.tlsPermit.release(hub);
			bed.advance(SENT_MS);
			assert.equal(broker.sessions.length, 2);
			assert.equal(broker.count(`${BASE}/state`), 1);
			assert.deepEqual(bed.reports, []);
		});

		it("resumes the previous TLS session", () => {
			const broker = secureBed();
			bed.start();
			broker.current!.peer.reset();
			// A new session would end here, because the certificate has expired.
			bed.world.time.setUTC(Date.UTC(2050, 0, 1));
			bed.advance(20_000);
			assert.equal(broker.sessions.length, 2);
			assert.equal(bed.world.servers.handshakes, 2);
		});

		it("reports a missing certificate", () => {
			bed = new Bed();
			bed.set(put(MQTT_URL, `mqtts://${BROKER_ADDRESS}`));
			bed.start();
			assert.equal(bed.service.output.failure?.code, "certificate_missing");
		});

		it("releases the permit when it fails", () => {
			const broker = secureBed({ fault: "no TLS" });
			bed.start();
			assert.equal(bed.service.output.failure?.code, "tls_failed");
			assert.equal(bed.tlsPermit.request({ permitGranted: () => {}, permitRequested: () => {} }), true);
			assert.equal(broker.sessions.length, 0);
		});
	});
});

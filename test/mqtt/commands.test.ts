/** Commands over MQTT: which are carried out, and which are ignored. */
import assert from "node:assert/strict";
import mqtt from "mqtt-packet";
import { put } from "../../modules/config/schema.js";
import { MQTT_COMMANDS, MQTT_DISCOVERY, MQTT_TOPIC } from "../../modules/parts/mqtt/fields.js";
import { MQTT_UP } from "../../modules/parts/mqtt/publisher.js";
import { BASE, Bed } from "./bed.js";

const TOPIC = `${BASE}/command`;

describe("Commands by MQTT", () => {
	let bed: Bed;
	beforeEach(() => {
		bed = new Bed();
		bed.set(put(MQTT_COMMANDS, true));
	});
	afterEach(() => bed.stop());

	const topics = () =>
		bed.broker.current!.packets.flatMap((packet) =>
			packet.cmd === "subscribe" ? packet.subscriptions.map(({ topic }) => topic) : [],
		);

	it("are not even subscribed to until the owner permits them", () => {
		bed.set(put(MQTT_COMMANDS, false));
		bed.start();
		assert.deepEqual(topics(), ["homeassistant/status"]);
		bed.broker.publish(TOPIC, "read");
		bed.advance(10_000);
		assert.deepEqual([bed.ran, bed.ignored], [[], []]);
		bed.set(put(MQTT_COMMANDS, true));
		bed.service.settingsChanged();
		bed.advance(10_000);
		assert.deepEqual(topics(), ["homeassistant/status", TOPIC]);
	});

	it("are carried out one after the other, two seconds apart", () => {
		bed.start();
		bed.broker.publish(TOPIC, "identify");
		bed.broker.publish(TOPIC, "read", 1);
		bed.broker.publish(TOPIC, "install");
		bed.advance(100);
		assert.deepEqual(bed.ran, ["read"]);
		bed.advance(2000);
		assert.deepEqual(bed.ran, ["read", "identify"]);
		bed.advance(2000);
		assert.deepEqual(bed.ran, ["read", "identify", "install"]);
		bed.advance(60_000);
		assert.equal(bed.ran.length, 3);
	});

	it("are limited in number", () => {
		bed.start();
		for (let i = 0; i < 60; i++) bed.broker.publish(TOPIC, "read");
		bed.advance(100);
		assert.equal(bed.service.publisher?.state, MQTT_UP);
		bed.advance(60_000);
		assert.deepEqual(bed.ran, ["read"]);
	});

	it("are ignored in every session if the broker has retained them", () => {
		for (let i = 0; i < 3; i++) {
			bed.start();
			const packet = { cmd: "publish", topic: TOPIC, payload: "install", qos: 0, dup: false, retain: true } as const;
			bed.broker.current!.peer.send(mqtt.generate(packet));
			bed.advance(10_000);
			bed.service.whenNetworkChanged(false);
		}
		assert.deepEqual([bed.ran, bed.ignored], [[], ["retained", "retained", "retained"]]);
	});

	it("are ignored if they are unknown", () => {
		bed.start();
		const bad = [
			"",
			"Read",
			"read ",
			"reading",
			"INSTALL",
			"install\0",
			"x".repeat(300),
			'{"command":"install"}',
			"\u00e4",
		];
		for (const payload of bad) bed.broker.publish(TOPIC, payload);
		bed.advance(10_000);
		assert.deepEqual([bed.ran, bed.ignored], [[], bad.map(() => "unknown")]);
		assert.equal(bed.service.publisher?.state, MQTT_UP);
		bed.broker.publish(`${BASE}/commands`, "read");
		bed.broker.publish("homeassistant/status", "read");
		bed.advance(10_000);
		assert.deepEqual([bed.ran, bed.ignored.length], [[], bad.length]);
	});

	it("arrive with the longest topic", () => {
		const topic = "t".repeat(64);
		bed.set(put(MQTT_TOPIC, topic));
		bed.start();
		bed.broker.publish(`${topic}/virtual0001/command`, "identify", 1);
		bed.advance(100);
		assert.deepEqual(bed.ran, ["identify"]);
	});

	it("still arrive when Home Assistant's discovery is off", () => {
		bed.set(put(MQTT_DISCOVERY, false));
		bed.start();
		assert.deepEqual(topics(), [TOPIC]);
		bed.broker.publish(TOPIC, "read");
		bed.advance(100);
		assert.deepEqual(bed.ran, ["read"]);
	});
});

/** Signed settings files by MQTT: retained by the broker, applied once. */
import assert from "node:assert/strict";
import mqtt from "mqtt-packet";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { OWN_CERTIFICATE } from "../hub/bed.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { eventsOf, keyOf, largestSettings, newSigner, SIGNER, signed, stateOf } from "./signed.js";

const TOPIC = "smgw/virtual0001/provision";
const ZONE = { "system/timezone": { timezone: "Europe/Warsaw" } };

describe("Signed settings files by MQTT", () => {
	let gateway: VirtualGateway;
	let broker: ScriptedBroker;
	const memory = { slots: 4000, chunkBytes: 60_000 };

	async function make(settingsKeys: string): Promise<void> {
		gateway = new VirtualGateway("client", {
			utcMs: START_UTC_MS,
			info: { settingsKeys },
			storage: new VirtualStorage(),
			memory: { suffices: (slots, chunkBytes) => slots <= memory.slots && chunkBytes <= memory.chunkBytes },
		});
		broker = new ScriptedBroker(gateway.world);
		await gateway.login();
		await gateway.write("mqtt", { enabled: true, url: `mqtt://${BROKER_ADDRESS}` });
		await gateway.pass(20_000);
	}
	beforeEach(() => {
		memory.chunkBytes = 60_000;
		return make(keyOf(SIGNER));
	});
	afterEach(() => gateway.stop());

	const topics = () =>
		broker.current!.packets.flatMap((packet) =>
			packet.cmd === "subscribe" ? packet.subscriptions.map(({ topic }) => topic) : [],
		);
	const send = async (payload: Buffer) => {
		broker.current!.peer.send(
			mqtt.generate({ cmd: "publish", topic: TOPIC, payload, qos: 1, dup: false, retain: true, messageId: 9 }),
		);
		await gateway.pass(5000);
	};
	const state = () => stateOf(gateway);
	const events = () => eventsOf(gateway);

	it("are subscribed to if the firmware trusts a signer, though commands are not permitted", async () => {
		assert.deepEqual(topics(), ["homeassistant/status", TOPIC]);
		await gateway.stop();
		await make("");
		assert.deepEqual(topics(), ["homeassistant/status"]);
	});

	it("are applied, and not again when the broker repeats them", async () => {
		await send(signed(ZONE, 3));
		assert.equal((await gateway.read("system/timezone")).timezone, "Europe/Warsaw");
		assert.deepEqual(await state(), ["applied", 3]);
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		await send(signed(ZONE, 3));
		assert.equal((await gateway.read("system/timezone")).timezone, "Europe/Berlin");
		assert.deepEqual(await state(), ["applied", 3]);
		assert.deepEqual(await events(), ["provision_applied 3 by mqtt"]);
		await send(signed(ZONE, 2));
		assert.deepEqual(await state(), ["provision_replay", 3]);
		// The session is still open.
		assert.equal((await gateway.read("system/status")).mqtt_state, "ok");
	});

	it("may have their greatest length, and change the broker itself", async () => {
		await send(signed(largestSettings(Buffer.from(OWN_CERTIFICATE.certificate).toString()), 1));
		assert.deepEqual(await state(), ["applied", 1]);
		const { url, cert_set } = await gateway.read("mqtt");
		assert.deepEqual([url, cert_set], ["mqtts://broker.example", true]);
	});

	it("are refused without a trusted signature, if they are too long, or if they are another text, and reported once", async () => {
		for (let i = 0; i < 3; i++) {
			await send(signed(ZONE, 1, "", newSigner()));
			assert.deepEqual(await state(), ["provision_bad_signature", 0]);
		}
		for (const bad of [Buffer.alloc(4501, 7), Buffer.alloc(16_000, 7), Buffer.from("{}")]) {
			await send(bad);
			assert.deepEqual(await state(), ["provision_invalid", 0]);
		}
		await send(Buffer.alloc(0));
		assert.equal((await gateway.read("system/status")).mqtt_state, "ok");
		assert.deepEqual(await events(), [
			"provision_refused provision_bad_signature by mqtt",
			"provision_refused provision_invalid by mqtt",
		]);
	});

	it("are reported if memory is short, and applied when they come again", async () => {
		memory.chunkBytes = 6000;
		await send(signed(ZONE, 1));
		assert.deepEqual(await state(), ["busy", 0]);
		memory.chunkBytes = 60_000;
		await send(signed(ZONE, 1));
		assert.deepEqual(await state(), ["applied", 1]);
	});
});

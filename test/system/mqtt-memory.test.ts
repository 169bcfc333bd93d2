/** What MQTT takes of XS's slots: off, connected and at rest, at work, and off again. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleGateway } from "../../hosts/node/bundle.js";
import { XSWorld } from "../../tools/bench/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { OWN_CERTIFICATE } from "../hub/bench.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { iecVectors } from "../vectors.js";

/** Longer than any time-out of a connection without a request. */
const REST_MS = 31_000;
/** Beside what there is while MQTT is off. */
const CONNECTED_LIMIT = 190;
const WORK_LIMIT = 330;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

describe("MQTT's slots in XS", function () {
	this.timeout(120_000);
	let folder = "";
	let xs: XSWorld;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "memory-"));
		await bundleGateway(join(folder, "gateway.js"));
		xs = await XSWorld.start({ script: join(folder, "gateway.js") });
		xs.world.serial.meter.connect(new IECMeter({ source: () => splitTelegram(longest.telegram) }));
		xs.world.advance(61_000);
		await xs.advance(1);
		await xs.login();
		assert.equal((await xs.request("iec62056/read")).status, 200);
	});
	after(async () => {
		await xs.stop();
		rmSync(folder, { recursive: true });
	});

	it("are few, and all given back", async function () {
		const broker = new ScriptedBroker(xs.world, 8883, { certificate: OWN_CERTIFICATE.certificate });
		await xs.advance(REST_MS);
		const before = await xs.slots();
		const tell = async (what: string, limit: number) => {
			const slots = (await xs.slots()) - before;
			this.test!.title += ` (${slots} ${what})`;
			assert.ok(slots <= limit, `${slots} slots ${what}`);
		};
		const cert = Buffer.from(OWN_CERTIFICATE.certificate).toString("latin1");
		const body = { enabled: true, url: `mqtts://${BROKER_ADDRESS}`, topics: "both", cert };
		assert.equal((await xs.request("mqtt", { method: "POST", body })).status, 200);
		await xs.until(() => broker.published.length > 0);
		await xs.advance(REST_MS);
		await tell("connected", CONNECTED_LIMIT);
		// In the middle of what it sends of a readout.
		broker.acknowledges = 3;
		assert.equal((await xs.request("iec62056/read")).status, 200);
		await xs.until(() => broker.acknowledges < 0);
		await tell("at work", WORK_LIMIT);
		broker.acknowledges = Number.POSITIVE_INFINITY;
		await xs.advance(120_000);
		assert.ok(broker.published.length > 20, `${broker.published.length} messages`);
		await tell("after it", CONNECTED_LIMIT);
		const off = { enabled: false, url: "", cert: "" };
		assert.equal((await xs.request("mqtt", { method: "POST", body: off })).status, 200);
		await xs.advance(REST_MS);
		await tell("off again", 30);
	});
});

/** What the metrics take of XS's slots while they wait for a client that does not read, and after that. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleGateway } from "../../hosts/node/bundle.js";
import { METRICS_REPLY_COST } from "../../modules/io/memory.js";
import { XSWorld } from "../../tools/bench/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { readMetrics } from "../api/metrics-text.js";
import { iecVectors } from "../vectors.js";

/** Longer than any time-out of a connection without a request. */
const REST_MS = 31_000;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

describe("The metrics' slots in XS", function () {
	this.timeout(60_000);
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

	it("are few while they wait for a client, with the longest capture held, and all given back", async function () {
		const { status, text } = await xs.request("metrics");
		assert.equal(status, 200);
		assert.ok(readMetrics(text).length > 20, text);
		await xs.advance(REST_MS);
		const before = await xs.slots();
		const client = xs.world.connect();
		await xs.advance(100);
		const connected = await xs.slots();
		client.paused = true;
		xs.send(client, "metrics");
		await xs.advance(500);
		const slots = (await xs.slots()) - connected;
		this.test!.title += ` (${slots}, and ${connected - before} for the connection)`;
		assert.ok(slots > 20 && slots <= METRICS_REPLY_COST.slots, `${slots} slots`);
		client.paused = false;
		await xs.advance(REST_MS);
		assert.ok(client.text.includes("gateway_info"), client.text);
		client.close();
		await xs.advance(REST_MS);
		assert.ok(Math.abs((await xs.slots()) - before) <= 2, `${await xs.slots()} after ${before}`);
	});
});

/** Slots of XS that firmware updates take, while idle and during an update. */
import assert from "node:assert/strict";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import type { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { makeFile, makeImage, makeSlots } from "../update/firmware-files.js";
import { REST_MS } from "./longest-readout.js";

/**
 * Limits of slots: idle, during the daily check for a newer firmware, and during an upload. Each part of the
 * update code holds an object with its dependencies. Uploads in pieces take three slots at rest.
 */
const AT_REST = 51;
const NOTICE = 32;
const AT_WORK = 150;

describe("The slots of updates in XS", function () {
	this.timeout(60_000);
	let xs: XSWorld;

	afterEach(() => xs.stop());

	async function start(slots?: VirtualSlots): Promise<void> {
		xs = await XSWorld.start(slots === undefined ? {} : { slots });
		await xs.advance(1);
		await xs.login();
		await xs.advance(REST_MS);
	}

	it("are few at rest", async function () {
		await start();
		const without = await xs.slots();
		await xs.stop();
		// Without keys the gateway makes no daily check.
		await start(makeSlots({ keys: [] }));
		const taken = (await xs.slots()) - without;
		await xs.stop();
		await start(makeSlots());
		const notice = (await xs.slots()) - without - taken;
		this.test!.title += ` (${taken}, and ${notice} for the daily check)`;
		assert.ok(taken <= AT_REST && notice <= NOTICE);
	});

	for (const packed of [false, true]) {
		it(`are few while a ${packed ? "packed" : "plain"} file is received, and all but 8 are released after an abort`, async function () {
			const slots = makeSlots();
			await start(slots);
			const file = makeFile(makeImage(200_000), { packed });
			const before = await xs.slots();
			const client = xs.world.connect();
			await xs.advance(100);
			const connected = await xs.slots();
			const headers = { Authorization: `Bearer ${xs.token}`, "Content-Length": String(file.length) };
			client.send(encodeRequest("/api/v1/system/ota", { method: "POST", headers }));
			let most = 0;
			for (let at = 0; at < file.length - 20_000; at += 20_000) {
				client.send(file.subarray(at, at + 20_000));
				await xs.advance(200);
				most = Math.max(most, (await xs.slots()) - connected);
			}
			this.test!.title += ` (${most})`;
			assert.ok(slots.flash.operations > 20, "the file reached the flash");
			assert.ok(most <= AT_WORK, `${most} slots`);
			client.close();
			await xs.advance(REST_MS);
			assert.equal(slots.openInflaters, 0);
			const left = (await xs.slots()) - before;
			assert.ok(left <= 8, `${left} slots stay`);
			// The next upload is accepted and starts.
			await xs.login();
			const reply = await xs.request("system/ota", { body: file });
			assert.equal(reply.status, 200, reply.text);
		});
	}
});

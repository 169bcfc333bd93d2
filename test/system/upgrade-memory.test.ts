/** Slots of XS that the check for newer firmware takes: idle, and while a server delays it. */

import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { UPGRADE_COST } from "../../modules/update/file-request.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { lastingPair } from "../api/server-identity.js";
import { makeFile, makeImage, makeSlots, VERSION } from "../update/firmware-files.js";

const ADDRESS = "192.0.2.9";
const HOST = "firmware.example";
/** Longer than any time-out of an idle connection, ms. */
const REST_MS = 31_000;
/** Slots of the daily timer's object, and of its task. */
const AT_REST = 32;

describe("The slots in XS of the check for newer firmware", function () {
	this.timeout(60_000);

	async function start(keys?: readonly []): Promise<[XSWorld, number]> {
		const xs = await XSWorld.start({ slots: makeSlots(keys === undefined ? {} : { keys }) });
		xs.world.advance(61_000);
		await xs.login();
		await xs.request("system/upgrade");
		await xs.advance(REST_MS);
		return [xs, await xs.slots()];
	}

	it("are few at rest and during the check, and all are released afterwards", async function () {
		const [without, none] = await start([]);
		await without.stop();
		const [xs, before] = await start();
		const { certificate } = lastingPair(HOST);
		const peers: VirtualClient[] = [];
		xs.world.names.set(HOST, ADDRESS);
		xs.world.servers.serve(ADDRESS, 443, { certificate, onConnection: (peer) => void peers.push(peer) });
		await xs.request("system/upgrade", { method: "POST", body: { upgrade_url: `https://${HOST}/x.ota` } });
		await xs.advance(1000);
		const idle = await xs.slots();
		await xs.advance(3000);
		const slots = (await xs.slots()) - idle;
		this.test!.title += ` (${before - none} and ${slots})`;
		assert.ok(before - none <= AT_REST, `${before - none} slots at rest`);
		assert.ok(slots > 50 && slots <= UPGRADE_COST.slots, `${slots} slots`);
		peers[0].send(`HTTP/1.1 206 Partial Content\r\nContent-Length: ${FRONT_LENGTH}\r\n\r\n`);
		peers[0].send(makeFile(makeImage()).subarray(0, FRONT_LENGTH));
		await xs.advance(1000);
		assert.equal((await xs.request("system/status")).json().upgrade_version, VERSION);
		await xs.advance(REST_MS);
		assert.ok(Math.abs((await xs.slots()) - before) <= 2, `${await xs.slots()} after ${before}`);
		await xs.stop();
	});
});

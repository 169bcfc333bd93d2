/**
 * Slots of XS that a backup takes in addition to the longest readout, while a client does not read the backup and while
 * the gateway restores it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { BACKUP_REPLY_COST } from "../../modules/parts/system/backup.js";
import { RESTORE_COST } from "../../modules/parts/system/restore.js";
import { LongestReadout, REST_MS } from "./longest-readout.js";

/** Slots of a request with a token and of its reply, which no claim counts. */
const REQUEST_SLOTS = 60;
/**
 * Slots by which applying a file exceeds what it takes when all of it was received, measured in the firmware on Linux
 * with 90 changed settings in 22 entries, and 126 slots while the longest entry is encoded.
 */
const CHANGE_SLOTS = 230;
const FILE = new URL("../../../test/vectors/backups/0.1.0.json", import.meta.url);

describe("A backup's slots in XS", function () {
	this.timeout(60_000);
	const bed = LongestReadout.use();

	it("are few while a client does not read it, and all are released afterwards", async function () {
		const { xs } = bed;
		assert.equal((await xs.request("system/backup")).status, 200);
		const { slots } = await bed.unread("system/backup", async (client) => {
			await xs.advance(REST_MS);
			assert.ok(client.text.includes('"mqtt":'), client.text);
		});
		this.test!.title += ` (${slots})`;
		assert.ok(slots > 20 && slots <= BACKUP_REPLY_COST.slots, `${slots} slots`);
	});
	it("are few while it is received, and all are released afterwards", async function () {
		const { xs } = bed;
		const body = Buffer.from(JSON.stringify(JSON.parse(readFileSync(FILE, "utf8"))));
		const { status } = await xs.request("system/backup", { method: "POST", body });
		assert.equal(status, 200);
		await xs.advance(REST_MS);
		const before = await xs.slots();
		const client = xs.world.connect();
		await xs.advance(100);
		const connected = await xs.slots();
		const request = Buffer.from(
			encodeRequest("/api/v1/system/backup", { body, headers: { Authorization: `Bearer ${xs.token}` } }),
		);
		client.send(request.subarray(0, -1));
		await xs.advance(500);
		const slots = (await xs.slots()) - connected;
		this.test!.title += ` (${slots})`;
		assert.ok(slots > 50 && slots <= RESTORE_COST.slots + REQUEST_SLOTS - CHANGE_SLOTS, `${slots} slots`);
		client.send(request.subarray(-1));
		assert.equal((await xs.reply(client)).status, 200);
		client.close();
		await xs.advance(REST_MS);
		assert.ok(Math.abs((await xs.slots()) - before) <= 2, `${await xs.slots()} after ${before}`);
	});
});

/**
 * The files of firmware-files.ts, uploaded to the whole gateway in XS. The gateway returns the right code for each,
 * keeps working, and leaks no slots.
 */
import assert from "node:assert/strict";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { checkFaults } from "../faults.js";
import { OPTIONS } from "../update/corruptions.js";
import { oddFile, refusalOf } from "./firmware-files.js";
import { type Mutator, runAll } from "./mutator.js";

/** Allowed growth of live slots. */
const SLOTS_MARGIN = 8;
/** Time within which every connection is closed, ms. */
const REST_MS = 62_000;
/** Largest piece received at once, bytes. */
const PIECE_LIMIT = 1460;

export async function fuzzFirmwareFilesInXS(seed: number, runs: number): Promise<void> {
	const slots = new VirtualSlots({ ...OPTIONS, seed });
	const xs = await XSWorld.start({ seed, slots });
	try {
		let alive: number | undefined;
		await runAll("firmware files in XS", seed, runs, async (mutator, run) => {
			// A session's token expires after half an hour.
			if (run % 50 === 0) await xs.login();
			const { file, code } = refused(mutator);
			assert.equal(await upload(xs, file, mutator), code, Buffer.from(file).toString("base64"));
			assert.equal(slots.openInflaters, 0);
			if (run !== 0 && run !== runs - 1) return;
			await xs.advance(REST_MS);
			const count = await xs.slots();
			alive ??= count;
			assert.ok(count <= alive + SLOTS_MARGIN, `${count} slots are alive, ${alive} at first`);
		});
		checkFaults();
	} finally {
		await xs.stop();
	}
}

/** A file to be refused, and its code if the length is known in advance. */
function refused(mutator: Mutator): { file: Uint8Array; code: string } {
	for (;;) {
		const odd = oddFile(mutator);
		const code = refusalOf(odd, odd.file.length);
		if (code !== "" && odd.file.length > 0) return { file: odd.file, code };
	}
}

/** Sends the file in pieces; returns the reply's code, which the status must show too. */
async function upload(xs: XSWorld, file: Uint8Array, mutator: Mutator): Promise<string> {
	const client = xs.world.connect();
	const headers = { Authorization: `Bearer ${xs.token}`, "Content-Length": String(file.length) };
	client.send(encodeRequest("/api/v1/system/ota", { method: "POST", headers }));
	for (let at = 0; at < file.length && !client.isClosed; ) {
		const count = 1 + mutator.random.below(PIECE_LIMIT);
		client.send(file.slice(at, at + count));
		at += count;
		if (mutator.random.oneIn(2)) await xs.advance(mutator.random.below(30));
	}
	const reply = await xs.reply(client);
	client.close();
	assert.equal(reply.status, 500, reply.text);
	const { error } = reply.json();
	const status = (await xs.request("system/status")).json();
	assert.deepEqual([status.ota_state, status.ota_last_error], ["idle", error]);
	return error;
}

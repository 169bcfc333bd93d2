/** A process that is killed while it changes settings loses at most the current change. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NodeText } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { FileStorage } from "../../hosts/node/storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { ConfigStore } from "../../modules/config/store.js";
import { IEC62056_BAUDRATE_MAX } from "../../modules/parts/meter/fields.js";

const WRITER = fileURLToPath(new URL("kill-writer.js", import.meta.url));
const KILLS = 12;
/** Longest life of the writer after its first change. */
const LIFE_MS = 150;
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe(`config/store when the process is killed (SEED=${SEED})`, function () {
	this.timeout(240_000);
	let folder = "";

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "kill-"));
	});
	after(() => rmSync(folder, { recursive: true }));

	it("has every change that was reported as made, and at most the next one", async function () {
		const random = new SeededRandom(SEED);
		const { initial, minimum, maximum } = IEC62056_BAUDRATE_MAX;
		let last = initial!;
		let changes = 0;
		for (let kill = 0; kill < KILLS; kill++) {
			const writer = spawn(process.execPath, [WRITER, folder], { stdio: ["ignore", "pipe", "inherit"] });
			let output = "";
			const lifeMs = random.next() % LIFE_MS;
			writer.stdout.on("data", (text) => {
				if (output === "") setTimeout(() => writer.kill("SIGKILL"), lifeMs);
				output += text;
			});
			await once(writer, "close");
			const lines = output.split("\n").slice(0, -1);
			changes += lines.length;
			last = Number(lines.at(-1) ?? last);
			const store = new ConfigStore(new FileStorage(folder), new NodeText(), ENTRIES);
			assert.deepEqual(store.damaged, []);
			const found = store.get(IEC62056_BAUDRATE_MAX);
			const next = last < maximum ? last + 1 : minimum;
			assert.ok(found === last || found === next, `${found} in flash after ${last} was made`);
			last = found;
		}
		this.test!.title += ` (${changes} changes, ${KILLS} kills)`;
		assert.ok(changes > KILLS);
	});
});

/**
 * The whole gateway in XS with arbitrary flash records. An exception at the start would recur at every start.
 */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { expectFaults } from "../faults.js";
import { flashRecords } from "./flash-records.js";
import { seedOfRun } from "./mutator.js";

const ROUNDS = 12;
const seed = seedOfRun();

describe(`The gateway in XS with arbitrary flash records with valid checksums (SEED=${seed})`, function () {
	this.timeout(60_000);

	it(`starts ${ROUNDS} times, even while flash refuses writes, and answers requests`, async () => {
		expectFaults(/^fault: flash: \w+: the flash refuses/);
		const random = new SeededRandom(seed);
		for (let round = 0; round < ROUNDS; round++) {
			const storage = new VirtualStorage();
			for (const [key, value] of flashRecords(random)) storage.set(key, value);
			// In every second round no password is stored, so that the label's password works.
			if (round % 2 === 0) storage.delete("access");
			if (round % 3 === 0) storage.refusals = Number.POSITIVE_INFINITY;
			const what = storage.keys().map((key) => `${key} ${Buffer.from(storage.get(key)!).toString("hex")}`);
			const xs = await XSWorld.start({ storage });
			try {
				assert.equal((await xs.request("system/challenge")).status, 200, what.join("\n"));
				if (round % 2 === 0) {
					await xs.login();
					assert.equal((await xs.request("system/status")).status, 200);
					assert.equal((await xs.request("system/tokens")).status, 200);
				}
			} finally {
				await xs.stop();
			}
		}
	});
});

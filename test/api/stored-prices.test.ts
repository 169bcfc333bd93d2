/** Prices that a firmware before windows, other media and dynamic prices has stored. Virtual time. */
import assert from "node:assert/strict";
import { crc16 } from "../../modules/bytes/crc16.js";
import { VirtualGateway } from "./virtual-gateway.js";

/** Entry of the settings (config/store.ts) as that firmware wrote it, without the checksum. */
const STORED = "010101001801503d030004dcec0004086c000139ac41a2741f00000000020003504c4e";

describe("prices stored by an older firmware", () => {
	it("are read unchanged", async () => {
		const body = Buffer.from(STORED, "hex");
		const check = crc16(body, 0, body.length);
		const gateway = new VirtualGateway();
		gateway.world.storage.set("prices", Uint8Array.of(...body, check & 255, check >> 8));
		await gateway.restartAndLogin();
		assert.deepEqual(await gateway.read("prices"), {
			periods: [
				{
					from: "2026-03-29",
					import_micro: 318_700,
					import_t2_micro: 264_300,
					export_micro: 80_300,
					base_micro: 154_800_000,
					base_per: "year",
				},
			],
			currency: "PLN",
		});
		await gateway.stop();
	});
});

/** The driver on a used coprocessor: a former coordinator, or a former member of another network or the same. */
import assert from "node:assert/strict";
import { ROLE_END_DEVICE, ROLE_ROUTER } from "../../modules/zigbee/radio.js";
import { NV_NETWORK_KEY, NV_NIB, NVMemory } from "../../tools/zigbee/nvram.js";
import { CoprocessorBed } from "./coprocessor-bed.js";
import { memoryDumps } from "./memory-dumps.js";

const MINUTE_MS = 60_000;
const AS_COORDINATOR = 9;
const DUMPS = Object.freeze(memoryDumps());

describe("Memory dumps of real chips", () => {
	for (const { name, nv, role, network, ...dump } of DUMPS) {
		it(`are read: ${name}`, () => {
			const { channel, panId, extendedPanId, shortAddress } = nv.network ?? {};
			const has = network && [network.channel, network.pan_id, network.extended_pan_id, network.short_address];
			const id = extendedPanId && Buffer.from(extendedPanId).reverse().toString("hex").toUpperCase();
			assert.deepEqual(nv.network && [channel, panId, id, shortAddress], has);
			assert.deepEqual(
				[nv.item(0x0003)?.[0], nv.isOnANetwork, nv.item(0x0087)?.[0]],
				[dump.startup_option, dump.is_on_a_network, role],
			);
		});
	}
});

for (const [name, role, state] of [
	["router", ROLE_ROUTER, 7],
	["end device", ROLE_END_DEVICE, 6],
] as const) {
	describe(`The ${name} on a used chip`, () => {
		/** Checks that the device is in the network and known to the coordinator. */
		const isIn = (bed: CoprocessorBed, coordinator = bed.radio.coordinator) => {
			assert.equal(bed.state, "joined");
			const { chip } = bed.radio;
			assert.deepEqual([bed.driver.network?.panId, chip.devState], [coordinator.network.panId, state]);
			assert.equal(chip.network?.channel, coordinator.network.channel);
			assert.equal(coordinator.members.at(-1), chip.ieee.toString("hex"));
			coordinator.isOpen = false;
		};

		it("joins another network", () => {
			const bed = new CoprocessorBed(role, {}).join().after(10_000);
			isIn(bed);
			bed.join(bed.radio.neighbour).after(30_000);
			isIn(bed, bed.radio.neighbour);
			assert.equal(bed.report(), 0);
		});

		it("joins again a network that it has left", () => {
			const bed = new CoprocessorBed(role, {}).join().after(10_000);
			isIn(bed);
			bed.leave().after(MINUTE_MS);
			assert.equal(bed.state, "not_joined");
			bed.join().after(10_000);
			isIn(bed);
			assert.equal(bed.radio.coordinator.members.length, 3);
		});

		it("joins again a network that it was removed from", () => {
			const bed = new CoprocessorBed(role, {}).join().after(10_000);
			isIn(bed);
			bed.remove().after(MINUTE_MS);
			assert.equal(bed.state, "not_joined");
			bed.join().after(10_000);
			isIn(bed);
			assert.equal(bed.report(), 0);
		});

		it("joins although the chip restarts after a search that found nothing", () => {
			for (let ms = 4000; ms < 8000; ms += 250) {
				const bed = new CoprocessorBed(role, {}).join();
				bed.radio.coordinator.isOpen = false;
				bed.after(ms);
				bed.radio.chip.restart(2);
				bed.after(30_000);
				assert.equal(bed.state, "joining");
				bed.radio.coordinator.isOpen = true;
				bed.after(2 * MINUTE_MS);
				isIn(bed);
				assert.ok(!bed.states.includes("foreign"), `after ${ms} ms: ${bed.states}`);
			}
		});

		for (const dump of DUMPS) {
			it(`joins with the memory ${dump.name}, and keeps nothing of the old network`, () => {
				const nv = new NVMemory(dump.nv.contents);
				const bed = new CoprocessorBed(role, { nv }).after(10_000);
				assert.equal(bed.state, "not_joined");
				bed.join().after(30_000);
				isIn(bed);
				assert.notEqual(bed.radio.chip.devState, AS_COORDINATOR);
				if (dump.network_key !== "") assert.deepEqual(bed.secrets(Buffer.from(dump.network_key, "hex")), []);
				bed.radio.chip.restart(0);
				bed.after(10_000);
				isIn(bed);
			});
		}

		it("has no key left when it is reset after leaving, whatever the chip's own reset does", () => {
			for (const length of [24, 21]) {
				const bed = new CoprocessorBed(role, {}).join().after(10_000);
				isIn(bed);
				const { chip, coordinator, nv } = bed.radio;
				const key = coordinator.networkKey;
				assert.ok(bed.secrets(key).length >= 3);
				nv.setItem(NV_NETWORK_KEY, nv.item(NV_NETWORK_KEY)!.subarray(0, length));
				nv.setItem(NV_NIB, Buffer.concat([nv.item(NV_NIB)!], length === 24 ? 116 : 110));
				// The chip is in reset from here on, so only the host's requests can have erased the keys.
				let left: readonly string[] | undefined;
				const restart = chip.setLines.bind(chip);
				chip.setLines = (reset, bootLoader) => {
					left ??= [...bed.secrets(key), ...bed.secrets(Buffer.from("key of one node ")), `${nv.item(NV_NIB)}`];
					restart(reset, bootLoader);
				};
				bed.leave().after(MINUTE_MS);
				assert.deepEqual(left, ["undefined"]);
			}
		});
	});
}

/**
 * The driver on the simulated coprocessor of tools/zigbee, over the gateway's link: both roles, with and without lines.
 */
import assert from "node:assert/strict";
import { ROLE_END_DEVICE, ROLE_ROUTER } from "../../modules/zigbee/radio.js";
import type { Faults } from "../../tools/zigbee/faults.js";
import { CoprocessorBed } from "./coprocessor-bed.js";

const MINUTE_MS = 60_000;

const FAULTS: Readonly<Record<string, Partial<Faults>>> = Object.freeze({
	"late answers": { lateMs: 2000 },
	"noise before each frame": { garbage: 30 },
	"frames in pieces": { pieceBytes: 1 },
	"a restart in place of an answer to a leave": { leaveRestarts: true },
	"all of these faults": { lateMs: 700, garbage: 9, pieceBytes: 3, leaveRestarts: true },
});

const ROLES = Object.freeze([
	["router", ROLE_ROUTER],
	["end device", ROLE_END_DEVICE],
] as const);

for (const [name, role] of ROLES) {
	for (const hasLines of [false, true]) {
		describe(`A simulated ${name}${hasLines ? " with a reset line" : ""}`, () => {
			const bed = () => new CoprocessorBed(role, { hasLines });
			const joined = () => {
				const made = bed().join().after(10_000);
				assert.equal(made.state, "joined");
				made.radio.coordinator.isOpen = false;
				return made;
			};

			it("is in no network at first, and joins none that is closed", () => {
				const made = bed();
				assert.equal(made.state, "not_joined");
				made.join();
				made.radio.coordinator.isOpen = false;
				made.after(4 * MINUTE_MS);
				assert.equal(made.state, "joining");
				made.after(2 * MINUTE_MS);
				assert.equal(made.state, "not_joined");
			});

			it("joins, reports, restarts by itself, leaves, and erases the key", () => {
				const made = joined();
				const { network, ieeeAddress, firmware } = made.driver;
				assert.deepEqual([network?.channel, network?.panId], [15, 0x1a62]);
				assert.deepEqual([ieeeAddress?.length, firmware], [8, "Z-Stack 3.x.0, 2025-03-21"]);
				assert.equal(made.radio.chip.role, role);
				assert.equal(made.report(), 0);
				assert.deepEqual(made.radio.coordinator.reports(0x0702), ["00042a010000"]);
				made.radio.chip.restart(2);
				made.after(5000);
				assert.deepEqual(made.states.slice(-2), ["starting", "joined"]);
				assert.deepEqual([made.radio.chip.isOpen, made.report()], [false, 0]);
				made.leave().after(20_000);
				assert.deepEqual([made.state, made.driver.owesLeave, made.radio.nv.network], ["not_joined", false, undefined]);
				assert.equal(made.radio.coordinator.members.at(-1)?.startsWith("-"), true);
				assert.deepEqual(made.secrets(made.radio.coordinator.networkKey), []);
			});

			it("is in its network again after it was turned off and on", () => {
				const made = joined();
				made.link.update((nowMs) => made.driver.stop(nowMs));
				made.after(MINUTE_MS);
				assert.equal(made.radio.chip.network, undefined, "the chip is off the air");
				made.link.update((nowMs) => made.driver.start(nowMs));
				made.after(5000);
				assert.deepEqual([made.state, made.report()], ["joined", 0]);
			});

			it("leaves even if that was requested while the chip was away", () => {
				const made = joined()
					.fault({ silent: true })
					.after(2 * MINUTE_MS);
				assert.equal(made.state, "silent");
				made.leave().after(2 * MINUTE_MS);
				assert.deepEqual([made.state, made.driver.owesLeave], ["silent", true]);
				made.fault({ silent: false }).after(2 * MINUTE_MS);
				assert.deepEqual([made.state, made.driver.owesLeave], ["not_joined", false]);
				assert.equal(made.radio.coordinator.members.at(-1)?.startsWith("-"), true);
			});

			for (const [what, faults] of Object.entries(FAULTS)) {
				it(`works despite ${what}`, () => {
					const made = bed()
						.fault(faults)
						.join()
						.after(5 * MINUTE_MS);
					assert.equal(made.state, "joined");
					made.radio.chip.restart(0);
					made.after(5 * MINUTE_MS);
					assert.equal(made.state, "joined");
					made.leave().after(2 * MINUTE_MS);
					assert.deepEqual([made.state, made.driver.owesLeave], ["not_joined", false]);
				});
			}

			it("is silent if the chip is dead, and recovers when it is back", () => {
				const made = joined().fault({ silent: true });
				made.states.length = 0;
				made
					.after(5 * MINUTE_MS)
					.fault({ silent: false })
					.after(MINUTE_MS);
				assert.deepEqual([made.states, made.report()], [["starting", "silent", "joined"], 0]);
			});

			it("continues after one or two lost answers", () => {
				for (let lost = 1; lost <= 2; lost++) {
					const made = joined();
					for (let i = 0; i < 5; i++) made.fault({ lostAnswers: lost }).after(MINUTE_MS);
					assert.deepEqual([made.state, made.report()], ["joined", 0]);
				}
			});

			it("joins despite a restart at any moment of the first 120 ms", () => {
				for (let ms = 0; ms < 120; ms += 3) {
					const made = bed().join().after(ms);
					made.radio.chip.restart(2);
					made.after(2 * MINUTE_MS);
					assert.equal(made.state, "joined", `after ${ms} ms`);
				}
			});

			it("reports the outcome of a frame", () => {
				const made = joined().fault({ confirms: [0xe9, 0], refusals: [0x10] });
				assert.deepEqual([made.report(), made.report(), made.report()], [0x10, 0xe9, 0]);
			});

			it("is not joined if the key exchange fails", () => {
				const made = bed()
					.fault({ keyExchangeFails: true })
					.join()
					.after(2 * MINUTE_MS);
				assert.deepEqual([made.state, made.states.includes("joined")], ["joining", false]);
				made.fault({ keyExchangeFails: false }).after(2 * MINUTE_MS);
				assert.equal(made.state, "joined");
			});

			it("is rejected if it is too old or not a ZNP, and accepted with other firmware", () => {
				for (const [build, firmware] of [
					["1.2", "Z-Stack 2.6.3"],
					["foreign", ""],
				] as const) {
					const made = bed();
					made.radio.chip.build = build;
					made.radio.chip.restart(0);
					made.link.update((nowMs) => made.driver.start(nowMs));
					made.after(2 * MINUTE_MS);
					assert.equal(made.state, "foreign", build);
					if (firmware !== "") assert.equal(made.driver.firmware, firmware);
					made.radio.chip.build = "3.0.x";
					made.radio.chip.restart(0);
					made.after(2 * MINUTE_MS);
					assert.deepEqual([made.state, made.driver.firmware], ["not_joined", "Z-Stack 3.0.x, 2025-03-21"]);
				}
			});

			if (role !== ROLE_END_DEVICE) return;
			it("loses its parent when that disappears, and is joined when it is back", () => {
				const made = joined();
				const { air } = made.radio.chip;
				made.states.length = 0;
				air.remove(made.radio.coordinator);
				made.after(5 * MINUTE_MS);
				assert.deepEqual([made.states, made.driver.network?.panId], [["parent_lost"], 0x1a62]);
				made.radio.chip.restart(0);
				made.after(5 * MINUTE_MS);
				assert.equal(made.state, "parent_lost");
				air.add(made.radio.coordinator);
				made.after(15 * MINUTE_MS);
				assert.deepEqual([made.state, made.report()], ["joined", 0]);
			});
		});
	}
}

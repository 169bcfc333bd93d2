/** Zigbee routes of a unit without a radio, and the effect of the map on readings. */
import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway, vectorOf } from "./gateway.js";

const MAP = "zigbee/map";
const PAIRS = ["07020000", "07020001", "07020400", "0B040505", "0B040508"];
export const DEFAULT_MAP = ["1.8.0", "2.8.0", "16.7.0", "32.7.0", "31.7.0"].map((obis, i) => ({
	obis,
	mapping_id: PAIRS[i],
}));
const NO_TEXT = [0, 1, true, null, [], ["1.8.0"], {}];

export function zigbeeChecks(gateway: () => TestGateway): void {
	describe("Zigbee without a radio", () => {
		it("is off and has no network", async () => {
			assert.deepEqual(await gateway().read("zigbee/config"), {
				enabled: false,
				joined: false,
				channel: 11,
				short_address: 65535,
				extended_pan_id: "0000000000000000",
				pan_id: 65535,
				state: "absent",
				role: "",
				ieee_address: "",
				coprocessor: "",
				joining_secs: 0,
				reported: [],
			});
		});
		it("can be turned off, with an empty reply, but can neither be turned on nor join", async () => {
			const reply = await gateway().post("zigbee/config", { enabled: false });
			assert.deepEqual([reply.status, reply.text], [200, ""]);
			isError(await gateway().post("zigbee/config", { enabled: true }), 501, "unsupported");
			isError(await gateway().post("zigbee/reset"), 501, "unsupported");
			for (const enabled of [0, 1, "true", null, [], {}])
				isError(await gateway().post("zigbee/config", { enabled }), 400, "invalid_field", "enabled");
			assert.equal((await gateway().read("zigbee/config")).enabled, false);
		});
	});

	describe("the Zigbee map", () => {
		const setMap = async (mapping: readonly JSONObject[]) => {
			const reply = await gateway().post(MAP, { mapping });
			assert.deepEqual([reply.status, reply.text], [200, ""], reply.text);
		};
		const refused = async (body: unknown, code: string, field: string) => {
			const before = await gateway().read(MAP);
			isError(await gateway().post(MAP, body), 400, code, field);
			assert.deepEqual(await gateway().read(MAP), before);
		};
		const one = (entry: unknown) => ({ mapping: [DEFAULT_MAP[0], entry, DEFAULT_MAP[1]] });
		const fresh = async () => {
			await gateway().restartAndLogin("zigbee_map");
		};

		before(fresh);
		after(fresh);

		it("has a code for each pair on a new unit", async () => {
			assert.deepEqual(await gateway().read(MAP), { mapping: DEFAULT_MAP });
		});
		it("keeps its order and accepts 0 to 16 entries", async () => {
			for (const count of [16, 15, 1, 0]) {
				const mapping = Array.from({ length: count }, (_, i) => ({ obis: `${99 - i}.8.0`, mapping_id: PAIRS[i % 5] }));
				await setMap(mapping);
				assert.deepEqual(await gateway().read(MAP), { mapping });
			}
			const mapping = Array.from({ length: 17 }, () => DEFAULT_MAP[0]);
			await refused({ mapping }, "invalid_field", "mapping");
		});
		it("shows codes in the shortest form for their mode, which can be posted back", async () => {
			for (const [obis, full, short, isFull] of [
				["1.8.0", "1-0:1.8.0", "1.8.0", false],
				["1-0:1.8.0", "1-0:1.8.0", "1.8.0", true],
				["0:1.8.0", "0:1.8.0", "1.8.0", true],
				["32.7", "1-0:32.7", "32.7", false],
				["1-0:32.7", "1-0:32.7", "32.7", true],
				["255-255:255.255.255", "255-255:255.255.255", "255.255.255", true],
				["01.08.00", "1-0:1.8.0", "1.8.0", false],
				["1-0:1.8.0*255", "1-0:1.8.0", "1.8.0", true],
			] as const) {
				for (const mode of [undefined, 0, 1]) {
					await setMap([{ obis, mode, mapping_id: "07020000" }]);
					const expected = (mode === undefined ? isFull : mode === 0) ? full : short;
					const shown = await gateway().read(MAP);
					assert.deepEqual(shown, { mapping: [{ obis: expected, mapping_id: "07020000" }] }, `${obis} ${mode}`);
					await setMap(shown.mapping);
					assert.deepEqual(await gateway().read(MAP), shown);
				}
			}
		});
		it("accepts the five pairs and the pair for none, in upper and lower case", async () => {
			for (const mapping_id of [...PAIRS, "00000000", "0b040505", "0B040508", "0b040508"]) {
				await setMap([{ obis: "1.8.0", mapping_id }]);
				assert.deepEqual(await gateway().read(MAP), {
					mapping: [{ obis: "1.8.0", mapping_id: mapping_id.toUpperCase() }],
				});
			}
			for (const bad of [
				...NO_TEXT,
				"",
				"0702000",
				"070200000",
				"07020002",
				"0B040500",
				"FFFFFFFF",
				"0702 000",
				"zzzzzzzz",
			])
				await refused(one({ obis: "1.8.0", mapping_id: bad }), "invalid_field", "mapping[1].mapping_id");
		});
		it("rejects anything but a code of a current value", async () => {
			for (const bad of [
				...NO_TEXT,
				"",
				"1",
				"1.",
				"1.8.0.0",
				"1.8.256",
				"1-1.8.0",
				"1-0:",
				"x",
				"1.8.0 ",
				"1,8,0",
				"C.1.0",
				"F.F",
				"1.8.0*01",
				"1-0:1.8.0&12",
				"1.8.0&255",
				"0.5.1.2",
				"1".repeat(28),
				"ä.8.0",
			])
				await refused(one({ obis: bad, mapping_id: "07020000" }), "invalid_field", "mapping[1].obis");
			for (const bad of [-1, 2, 0.5, "0", true, null, []])
				await refused(one({ obis: "1.8.0", mode: bad, mapping_id: "07020000" }), "invalid_field", "mapping[1].mode");
		});
		it("requires code and pair in every entry", async () => {
			await refused(one({ mapping_id: "07020000" }), "missing_field", "mapping[1].obis");
			await refused(one({ obis: "1.8.0" }), "missing_field", "mapping[1].mapping_id");
			await refused(one({}), "missing_field", "mapping[1].obis");
			for (const mapping of [null, 1, "x", {}, true, [1], [null], [[]], ["1.8.0"]])
				await refused({ mapping }, "invalid_field", "mapping");
			await setMap([{ obis: "1.8.0", mapping_id: "07020000", x: [1], en: null, code: {} }]);
		});
		it("determines the mapping_id of a reading", async () => {
			await gateway().connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			const readings = (await gateway().read("iec62056/read")).readings as JSONObject[];
			// A code without A and B, which default to 1-0.
			const obis = readings.find((one) => /^\d+\.\d+\.\d+$/.test(one.obis_long))?.obis;
			assert.ok(obis, JSON.stringify(readings));
			const idOf = async () => {
				const last = (await gateway().read("iec62056/last")).readings as JSONObject[];
				return last.find((one) => one.obis_long === obis)?.mapping_id;
			};
			for (const [mapping, expected] of [
				[[], "00000000"],
				[[{ obis, mapping_id: PAIRS[3] }], PAIRS[3]],
				[[{ obis, mode: 0, mapping_id: PAIRS[3] }], PAIRS[3]],
				[[{ obis: `1-0:${obis}`, mapping_id: PAIRS[2] }], PAIRS[2]],
				[[{ obis: `7-0:${obis}`, mapping_id: PAIRS[2] }], "00000000"],
				[[{ obis: `1-1:${obis}`, mapping_id: PAIRS[2] }], "00000000"],
				[[{ obis: `7-1:${obis}`, mode: 1, mapping_id: PAIRS[2] }], PAIRS[2]],
				[
					[
						{ obis, mapping_id: PAIRS[1] },
						{ obis: "99.99.99", mapping_id: PAIRS[1] },
					],
					"00000000",
				],
				[
					[
						{ obis: "99.99.99", mapping_id: PAIRS[1] },
						{ obis, mapping_id: PAIRS[1] },
					],
					PAIRS[1],
				],
				[
					[
						{ obis, mapping_id: PAIRS[1] },
						{ obis, mapping_id: "00000000" },
					],
					"00000000",
				],
				[
					[
						{ obis, mapping_id: PAIRS[1] },
						{ obis, mapping_id: PAIRS[4] },
					],
					PAIRS[4],
				],
			] as const) {
				await setMap(mapping);
				assert.equal(await idOf(), expected, JSON.stringify(mapping));
			}
		});
		it("survives a restart, even if it is empty; a damaged one becomes that of a new unit", async () => {
			for (const mapping of [[{ obis: "1-0:9.8.7", mapping_id: PAIRS[4] }], []]) {
				await setMap(mapping);
				await gateway().restartAndLogin();
				assert.deepEqual(await gateway().read(MAP), { mapping });
			}
			await fresh();
			assert.deepEqual(await gateway().read(MAP), { mapping: DEFAULT_MAP });
		});
	});
}

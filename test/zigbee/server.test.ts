import assert from "node:assert/strict";
import fc from "fast-check";
import { ZCL_LIMIT } from "../../modules/zigbee/radio.js";
import {
	BASIC,
	BridgeBed,
	decode,
	ELECTRICAL,
	IDENTIFY,
	METERING,
	PlayedClient,
	POWER_CONFIGURATION,
	readout,
} from "./bridge-bed.js";

const BLOCK = [
	"0.0.0(98765432)",
	"1-0:1.8.0(012345.679*kWh)",
	"2.8.0(2345*Wh)",
	"16.7.0(-0.250*kW)",
	"32.7.0(230.14*V)",
	"31.7.0(1.235*A)",
].join("\r\n");

function joined(): BridgeBed {
	const bed = new BridgeBed().join();
	bed.measure(BLOCK);
	bed.run(0);
	return bed;
}

describe("zigbee/server", () => {
	it("describes the device", () => {
		const bed = joined();
		assert.deepEqual(bed.read(BASIC, [0, 1, 2, 3, 7, 0xfffd, 0x4005]), {
			"0000": 8,
			"0001": 1,
			"0002": 3,
			"0003": 1,
			"0007": 4,
			fffd: 3,
			"4005": "status 86",
		});
		assert.deepEqual(bed.read(BASIC, [4, 6]), { "0004": "Smart-Meter Gateway project", "0006": "20260131" });
		assert.deepEqual(bed.read(BASIC, [5, 0x000d]), { "0005": "Meter gateway SLZB-06", "000d": "VIRTUAL0001" });
		assert.deepEqual(bed.read(BASIC, [0x4000]), { "4000": "1.2.345-release" });
	});

	it("has the meter's values as zigbee-herdsman and ZHA scale them", () => {
		const bed = joined();
		assert.deepEqual(bed.read(METERING, [0, 1, 0x0400, 0x0200, 0x0300]), {
			"0000": 12_345_679,
			"0001": 2345,
			"0400": -250,
			"0200": 0,
			"0300": 0,
		});
		assert.deepEqual(bed.read(METERING, [0x0301, 0x0302, 0x0303, 0x0304, 0x0306, 0x0100]), {
			"0301": 1,
			"0302": 1000,
			"0303": 0xfb,
			"0304": 0xfb,
			"0306": 0,
			"0100": "status 86",
		});
		assert.equal(`${bed.read(METERING, [0x0308])["0308"]}`, "98765432");
		assert.deepEqual(bed.read(ELECTRICAL, [0, 0x0505, 0x0508, 0x050b, 0x0905]), {
			"0000": 9,
			"0505": 2301,
			"0508": 124,
			"050b": -250,
			"0905": "status 86",
		});
		assert.deepEqual(bed.read(ELECTRICAL, [0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605]), {
			"0600": 1,
			"0601": 10,
			"0602": 1,
			"0603": 100,
			"0604": 1,
			"0605": 1,
		});
	});

	it("gives the identification of a meter without a number", () => {
		const bed = new BridgeBed().join();
		bed.bridge.measured(readout("1.8.0(1*kWh)"), bed.nowMs);
		bed.run(0);
		assert.equal(`${bed.read(METERING, [0x0308])["0308"]}`, "ABC5meter");
		bed.bridge.measured(readout("C.1.0(4711)", { meterId: Uint8Array.of(0x41) }), bed.nowMs);
		assert.equal(`${bed.read(METERING, [0x0308])["0308"]}`, "4711");
	});

	it("has Power Configuration on a battery unit", () => {
		const bed = new BridgeBed({ cells: 3 }).join();
		assert.deepEqual(bed.bridge.servers, [0, 1, 3, 0x0702, 0x0b04]);
		bed.bridge.batteryChanged(4.26, 77, bed.nowMs);
		bed.run(0);
		assert.deepEqual(bed.read(POWER_CONFIGURATION, [0x20, 0x21, 0x31, 0x33]), {
			"0020": 43,
			"0021": 154,
			"0031": 3,
			"0033": 3,
		});
		assert.deepEqual(bed.read(BASIC, [7]), { "0007": 3 });
		assert.equal(joined().ask(POWER_CONFIGURATION, "read", [{ attrId: 0x21 }])?.payload.statusCode, 0xc3);
	});

	it("puts as many attributes into a frame as fit", () => {
		const bed = joined();
		const answer = bed.ask(
			BASIC,
			"read",
			[4, 5, 0x4000, 0x000d, 0, 7].map((attrId) => ({ attrId })),
		);
		const statuses = answer?.payload.map(({ attrId, status }: { attrId: number; status: number }) => [attrId, status]);
		assert.deepEqual(statuses, [
			[4, 0],
			[5, 0],
			[0x4000, 0x89],
			[0x000d, 0],
		]);
		const many = bed.ask(
			BASIC,
			"read",
			Array.from({ length: 40 }, (_, id) => ({ attrId: 0x5000 + id })),
		);
		assert.equal(many?.payload.length, 25);
	});

	it("accepts writes to IdentifyTime only", () => {
		const bed = joined();
		const write = (command: string, payload: readonly object[], cluster = BASIC) =>
			bed.ask(cluster, command, payload)?.payload;
		assert.deepEqual(
			write("write", [
				{ attrId: 0x10, dataType: 0x42, attrData: "cellar" },
				{ attrId: 4, dataType: 0x42, attrData: "mine" },
				{ attrId: 0, dataType: 0x20, attrData: 1 },
			]),
			[
				{ status: 0x86, attrId: 0x10 },
				{ status: 0x88, attrId: 4 },
				{ status: 0x88, attrId: 0 },
			],
		);
		const seconds = { attrId: 0, dataType: 0x21, attrData: 12 };
		assert.deepEqual(write("write", [seconds], IDENTIFY), [{ status: 0 }]);
		assert.deepEqual(bed.identified, [12]);
		bed.nowMs += 2500;
		assert.deepEqual(bed.read(IDENTIFY, [0]), { "0000": 10 });
		assert.deepEqual(write("write", [{ ...seconds, dataType: 0x20 }], IDENTIFY), [{ status: 0x8d, attrId: 0 }]);
		const revision = { attrId: 0xfffd, dataType: 0x21, attrData: 9 };
		assert.deepEqual(write("writeUndiv", [seconds, revision], IDENTIFY), [{ status: 0x88, attrId: 0xfffd }]);
		assert.deepEqual(bed.identified, [12], "undivided: all or nothing");
		assert.equal(write("writeNoRsp", [{ ...seconds, attrData: 3 }, revision], IDENTIFY), undefined);
		assert.deepEqual(bed.identified, [12, 3]);
	});

	it("blinks on Identify, and answers queries meanwhile", () => {
		const bed = joined();
		const identify = (command: string, payload: object, more = {}) =>
			bed.ask(IDENTIFY, command, payload, { isCluster: true, ...more });
		assert.equal(identify("identifyQuery", {}), undefined);
		assert.equal(identify("identify", { identifytime: 5 }, { noDefault: false })?.payload.statusCode, 0);
		assert.equal(identify("identify", { identifytime: 5 }), undefined);
		assert.deepEqual(bed.identified, [5, 5]);
		bed.nowMs += 1000;
		const answer = identify("identifyQuery", {}, { isBroadcast: true, source: 0x1234, sourceEndpoint: 7 });
		assert.equal(answer?.command.name, "identifyQueryRsp");
		assert.deepEqual(answer?.payload, { timeout: 4 });
		assert.equal(identify("triggerEffect", { effectid: 2, effectvariant: 0 })?.payload.statusCode, 0x81);
		identify("identify", { identifytime: 0 });
		assert.equal(identify("identifyQuery", {}), undefined);
	});

	it("blinks no longer than requested", () => {
		const bed = joined();
		bed.ask(IDENTIFY, "identify", { identifytime: 5 }, { isCluster: true });
		bed.run(4900);
		assert.deepEqual(bed.identified, [5]);
		bed.run(200);
		assert.deepEqual(bed.identified, [5, 0]);
		bed.run(600_000);
		assert.deepEqual(bed.identified, [5, 0]);
		assert.deepEqual(bed.read(IDENTIFY, [0]), { "0000": 0 });
	});

	it("rejects Basic's reset, and everything that it does not know", () => {
		const bed = joined();
		const fact = bed.ask(BASIC, "resetFactDefault", {}, { isCluster: true });
		assert.deepEqual(fact?.payload, { cmdId: 0, statusCode: 0x81 });
		assert.equal(bed.ask(0x0006, "read", [{ attrId: 0 }])?.payload.statusCode, 0xc3);
		assert.equal(bed.ask(0x0006, "toggle", {}, { isCluster: true })?.payload.statusCode, 0xc3);
		assert.deepEqual(bed.ask(BASIC, "readStructured", [])?.payload, { cmdId: 0x0e, statusCode: 0x82 });
		const manufacturer = 0x115f;
		const read = bed.ask(BASIC, "read", [{ attrId: 0 }], { manufacturer });
		assert.deepEqual(read?.payload, { cmdId: 0, statusCode: 0x84 });
		const cluster = bed.give(BASIC, Uint8Array.of(0x05, 0x5f, 0x11, 9, 0x42));
		assert.equal(cluster?.toString("hex"), "1c5f11090b4283");
	});

	it("does not answer default responses, other answers, and unsupported broadcasts", () => {
		const bed = joined();
		assert.equal(bed.ask(BASIC, "defaultRsp", { cmdId: 0, statusCode: 0x86 }), undefined);
		assert.equal(bed.ask(METERING, "report", [{ attrId: 0, dataType: 0x20, attrData: 1 }]), undefined);
		assert.equal(bed.ask(METERING, "readRsp", [{ attrId: 0, status: 0x86 }], { toClient: true }), undefined);
		assert.equal(bed.ask(0x0006, "toggle", {}, { isCluster: true, isBroadcast: true }), undefined);
		assert.equal(bed.give(BASIC, Uint8Array.of(0x00, 1, 0x55))?.toString("hex"), "18010b5582");
		assert.equal(bed.give(BASIC, Uint8Array.of(0x00, 1, 0x55), { isBroadcast: true }), undefined);
		assert.equal(bed.give(BASIC, Uint8Array.of(0x02, 1, 0x00)), undefined, "frame type 2");
		assert.equal(bed.give(BASIC, Uint8Array.of(0x00, 1)), undefined, "cut short");
		assert.equal(bed.give(BASIC, Uint8Array.of(0x00, 1, 0x00, 4))?.toString("hex"), "18010b0080");
	});

	it("lists its attributes and commands", () => {
		const bed = joined();
		const list = bed.ask(ELECTRICAL, "discover", { startAttrId: 0, maxAttrIds: 5 })?.payload;
		assert.equal(list.discComplete, 0);
		assert.deepEqual(
			list.attrInfos.map(({ attrId, dataType }: Record<string, number>) => `${attrId?.toString(16)}:${dataType}`),
			["0:27", "505:33", "508:33", "50b:41", "600:33"],
		);
		assert.equal(bed.ask(ELECTRICAL, "discover", { startAttrId: 0x0601, maxAttrIds: 255 })?.payload.discComplete, 1);
		// Identify, extended: IdentifyTime can be written; Metering: import can be reported.
		assert.equal(bed.give(IDENTIFY, Uint8Array.of(0, 7, 0x15, 0, 0, 9))?.toString("hex"), "1807160100002103fdff2101");
		assert.equal(bed.give(METERING, Uint8Array.of(0, 7, 0x15, 0, 0, 1))?.toString("hex"), "180716000000" + "2505");
		assert.equal(bed.give(IDENTIFY, Uint8Array.of(0, 7, 0x11, 0, 9))?.toString("hex"), "180712010001");
		assert.equal(bed.give(IDENTIFY, Uint8Array.of(0, 7, 0x11, 0, 1))?.toString("hex"), "1807120000");
		assert.equal(bed.give(IDENTIFY, Uint8Array.of(0, 7, 0x13, 0, 9))?.toString("hex"), "1807140100");
		assert.equal(bed.give(BASIC, Uint8Array.of(0, 7, 0x11, 0, 9))?.toString("hex"), "18071201");
	});

	it("lists as many attributes as a frame holds, and the others in further frames", () => {
		const bed = joined();
		for (const [cluster, count] of [
			[BASIC, 11],
			[METERING, 12],
			[ELECTRICAL, 11],
		] as const) {
			const ids: number[] = [];
			for (let isComplete = 0; isComplete === 0; ) {
				const payload = bed.ask(cluster, "discover", { startAttrId: (ids.at(-1) ?? -1) + 1, maxAttrIds: 4 })?.payload;
				ids.push(...payload.attrInfos.map(({ attrId }: { attrId: number }) => attrId));
				isComplete = payload.discComplete;
			}
			assert.equal(ids.length, count);
			assert.deepEqual(
				ids,
				[...new Set(ids)].sort((a, b) => a - b),
			);
		}
	});

	it("names the error of each report setting", () => {
		const bed = joined();
		const setting = { attrId: 0x0400, dataType: 0x2a, minRepIntval: 10, maxRepIntval: 600, repChange: 5 };
		assert.deepEqual(bed.configure(METERING, [setting]), [{ status: 0 }]);
		const wrong = [
			{ ...setting, attrId: 0x0999 },
			{ ...setting, attrId: 0x0300, dataType: 0x30 },
			{ ...setting, dataType: 0x29 },
			{ ...setting, minRepIntval: 601 },
			{ ...setting, attrId: 0, dataType: 0x25, repChange: 100 },
		];
		assert.deepEqual(
			bed.configure(METERING, wrong).map(({ status, direction, attrId }) => [status, direction, attrId]),
			[
				[0x86, 0, 0x0999],
				[0x8c, 0, 0x0300],
				[0x8d, 0, 0x0400],
				[0x87, 0, 0x0400],
			],
		);
		assert.deepEqual(bed.configure(METERING, [setting], { source: 0x1234 }), [
			{ status: 0x7e, direction: 0, attrId: 0x0400 },
		]);
		const discovered = bed.give(METERING, Uint8Array.of(0, 8, 0x08, 0, 0, 4, 0, 1, 0, 0, 0, 2, 0, 0, 3, 1, 0, 4));
		assert.equal(
			discovered?.toString("hex"),
			["180809", "000000042a0a005802050000", "00000100250a002c010a0000000000", "8b000002", "8c000003", "8c010004"].join(
				"",
			),
		);
		const toUs = bed.give(METERING, Uint8Array.of(0, 9, 0x06, 1, 0, 4, 60, 0));
		assert.equal(toUs?.toString("hex"), "1809078c010004");
	});

	it("passes a server's frames to the client of their cluster, and answers them in the direction from client to server", () => {
		const client = new PlayedClient();
		const bed = new BridgeBed({ clients: [client] }).join();
		assert.deepEqual(bed.bridge.clients, [0x000a]);
		assert.deepEqual(client.got.splice(0), ["joined"]);
		assert.equal(
			bed.give(0x000a, Uint8Array.of(0x08, 5, 0x00, 0, 0, 1, 0))?.toString("hex"),
			"10050100000021341201" + "0086",
		);
		assert.equal(bed.give(0x000a, Uint8Array.of(0x18, 6, 0x0c, 0, 0, 9))?.toString("hex"), "10060d01000021fdff21");
		assert.equal(bed.give(0x000a, Uint8Array.of(0x00, 7, 0x00, 0, 0))?.toString("hex"), "18070b00c3");
		assert.equal(bed.give(0x000a, Uint8Array.of(0x08, 8, 0x02, 0, 0, 0x21, 1, 1))?.toString("hex"), "100804880000");
		assert.equal(
			bed.give(0x000a, Uint8Array.of(0x08, 8, 0x06, 0, 0, 0, 0x21, 1, 0, 1, 0, 1, 0))?.toString("hex"),
			"1008078c000000",
		);
		assert.deepEqual(client.got, []);
		assert.equal(bed.give(0x000a, Uint8Array.of(0x18, 1, 0x01, 0, 0, 0)), undefined);
		assert.equal(bed.give(0x000a, Uint8Array.of(0x08, 2, 0x0b, 0, 0x86)), undefined);
		assert.equal(bed.give(0x000a, Uint8Array.of(0x19, 3, 0x42, 1, 2)), undefined);
		assert.equal(
			bed.give(0x000a, Uint8Array.of(0x09, 4, 0x43))?.toString("hex"),
			"10040b4300",
			"with a default response",
		);
		assert.deepEqual(client.got, ["0/1 000000 0/1", "0/11 0086 0/1", "1/66 0102 0/1", "1/67  0/1"]);
		assert.equal(
			bed.give(0x0019, Uint8Array.of(0x09, 4, 0x00))?.toString("hex"),
			"10040b00c3",
			"there is no such client",
		);
	});

	it("survives any frame, sends at most one answer to it, and continues", () => {
		const bed = new BridgeBed({ clients: [new PlayedClient()], cells: 3 }).join();
		const cluster = fc.constantFrom(0, 1, 3, 0x0702, 0x0b04, 0x000a, 0x0019, 0x0006);
		const header = fc.tuple(fc.integer({ min: 0, max: 31 }), fc.nat(255), fc.integer({ min: 0, max: 0x18 }));
		const garbage = fc.oneof(
			fc.uint8Array({ maxLength: 120 }),
			fc.tuple(header, fc.uint8Array({ maxLength: 110 })).map(([head, rest]) => Uint8Array.of(...head, ...rest)),
		);
		fc.assert(
			fc.property(cluster, garbage, fc.boolean(), (id, bytes, isBroadcast) => {
				const answer = bed.give(id, bytes, { isBroadcast, source: 0x4711 });
				if (answer !== undefined) assert.ok(answer.length >= 4 && answer.length <= ZCL_LIMIT);
			}),
			{ numRuns: 5000 },
		);
		assert.deepEqual(bed.read(BASIC, [0]), { "0000": 8 });
		assert.equal(decode(BASIC, Buffer.from("18010b0081", "hex")).command.name, "defaultRsp");
	});
});

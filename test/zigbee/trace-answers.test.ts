/**
 * Replays zigbee-herdsman's interview and configuration of a prototype against our unit: attributes, types and statuses
 * must agree.
 */
import assert from "node:assert/strict";
import { BridgeBed, decode, type Frame } from "./bridge-bed.js";
import { trace, traceIncoming } from "./trace.js";

/**
 * AF_DATA_REQUEST_EXT (MT API). CLUSTER_AT and FRAME_AT are the places of cluster and ZCL frame in it, in hex digits.
 */
const REQUEST = "2402";
const CLUSTER_AT = 4 + 2 * 13;
const FRAME_AT = 4 + 2 * 20;

/** Identifier, status and type of each attribute; the payload of other commands. */
function shapeOf({ command, payload }: Frame): unknown {
	if (command.name !== "readRsp") return { command: command.name, payload };
	return payload.map(({ attrId, status, dataType }: Record<string, number>) => ({ attrId, status, dataType }));
}

describe("zigbee/bridge", () => {
	it("answers zigbee-herdsman like the prototype that it has accepted", () => {
		const answers = new Map<string, Frame>();
		for (const { fromChip, body } of trace()) {
			if (fromChip || !body.startsWith(REQUEST)) continue;
			const zcl = Buffer.from(body.slice(FRAME_AT), "hex");
			if (zcl[0] !== 0x18 || zcl[2] === 0x0a) continue;
			const cluster = Buffer.from(body.slice(CLUSTER_AT, CLUSTER_AT + 4), "hex").readUInt16LE();
			answers.set(`${cluster}/${zcl[1]}`, decode(cluster, zcl));
		}
		const bed = new BridgeBed().join();
		bed.measure("1.8.0(1*kWh)\r\n2.8.0(1*kWh)\r\n16.7.0(1*W)\r\n32.7.0(1*V)\r\n31.7.0(1*A)");
		bed.run(0);
		let compared = 0;
		for (const { cluster, source, endpoint, zcl } of traceIncoming()) {
			const id = Number.parseInt(cluster, 16);
			const frame = Buffer.from(zcl, "hex");
			const expected = answers.get(`${id}/${frame[1]}`);
			if (expected === undefined) continue;
			const answer = bed.give(id, frame, { source, sourceEndpoint: endpoint });
			if (bed.chip.isSending) bed.run(0);
			assert.ok(answer, zcl);
			assert.deepEqual(shapeOf(decode(id, answer)), shapeOf(expected), zcl);
			compared++;
		}
		assert.ok(compared > 15, `${compared} questions`);
	});
});

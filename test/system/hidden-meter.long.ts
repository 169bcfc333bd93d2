/** Enters a whole PIN with both engines of `npm start`; they run in parallel because they run in real time. */
import assert from "node:assert/strict";
import type { EngineName } from "../api/process-gateway.js";
import { enterPIN, sendsAll, withHiddenMeter } from "./hidden-meter.js";

const open = (engine: EngineName) =>
	withHiddenMeter(engine, { pin: "0815", needsInf: true }, async (gateway, { display }) => {
		await enterPIN(gateway, { pin: "0815", inf: 8 });
		assert.equal(await sendsAll(gateway), true);
		assert.deepEqual([display.entered, display.switched], [["0815"], ["InF"]]);
	});

describe("The PIN of a meter and its InF, at a pseudo-terminal", function () {
	this.timeout(180_000);
	it("make the meter send all values, with either engine", async () => {
		await Promise.all((["node", "xs"] as const).map(open));
	});
});

/** Tests both engines of the simulator against the host contract. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../hosts/node/bundle.js";
import { SimulatedButton } from "../../../hosts/node/button.js";
import { XSEngine } from "../../../hosts/node/engine-xs.js";
import { NodeTimers } from "../../../hosts/node/platform.js";
import { findXSWorker } from "../../../hosts/node/xs-worker.js";
import { conformance, makeHost } from "../conformance.js";
import { CheckRunner } from "../portable/check.js";
import { checks } from "../portable/checks.js";

conformance("engine node", async (world) => {
	const button = new SimulatedButton(new NodeTimers());
	new CheckRunner(makeHost(world, button), checks).start();
	return { stop: async () => {}, press: () => button.press() };
});

describe("XS", () => {
	let folder = "";
	let script = "";

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "conformance-"));
		script = join(folder, "checks.js");
		await bundle(fileURLToPath(new URL("../portable/main.js", import.meta.url)), script);
	});
	after(() => rmSync(folder, { recursive: true }));

	conformance("engine xs", async (world) => {
		const program = findXSWorker();
		if (!program) throw new Error("the XS engine is not installed: npm could not build @agoric/xsnap");
		const button = new SimulatedButton(new NodeTimers());
		const engine = new XSEngine({
			host: makeHost(world, button),
			program,
			script,
			onCrash: (message) => world.trace(`check failed: ${message}`),
		});
		await engine.start();
		return { stop: () => engine.stop(), press: () => button.press() };
	});
});

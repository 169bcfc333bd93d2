/** Both engines of the bench against the host contract. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../hosts/node/bundle.js";
import { XSEngine } from "../../../hosts/node/engine-xs.js";
import { findXSWorker } from "../../../hosts/node/xs-worker.js";
import { conformance, makeHost } from "../conformance.js";
import { CheckRunner } from "../portable/check.js";
import { checks } from "../portable/checks.js";

conformance("engine node", async (world) => {
	new CheckRunner(makeHost(world), checks).start();
	return { stop: async () => {} };
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
		const engine = new XSEngine({
			host: makeHost(world),
			program,
			script,
			onCrash: (message) => world.trace(`check failed: ${message}`),
		});
		await engine.start();
		return engine;
	});
});

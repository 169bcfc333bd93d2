/** The XS engine: its measurements, and firmware that fails. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../../hosts/node/bundle.js";
import { SimulatedButton } from "../../../hosts/node/button.js";
import { XSEngine } from "../../../hosts/node/engine-xs.js";
import { createHost } from "../../../hosts/node/host.js";
import { NodeTimers } from "../../../hosts/node/platform.js";
import { findXSWorker } from "../../../hosts/node/xs-worker.js";

describe("XSEngine", function () {
	this.timeout(120_000);
	let folder = "";
	let script = "";
	let traces: string[] = [];
	let waiting: (() => void) | undefined;
	let crash = "";
	let running: XSEngine | undefined;

	function makeEngine(source?: string): XSEngine {
		const program = findXSWorker();
		assert.ok(program, "the XS engine is not installed: npm could not build @agoric/xsnap");
		if (source !== undefined) writeFileSync(script, source);
		const host = createHost({
			stateFolder: join(folder, "state"),
			resourcesFolder: folder,
			factory: { serial: "020000000001", labelPassword: "secret", accessPointKey: "access-point-key" },
			firmwareVersion: "1.0.0",
			builtUtcMs: 0,
			meterPath: join(folder, "no-port"),
			httpPort: 0,
			httpsPort: undefined,
			button: new SimulatedButton(new NodeTimers()),
			accessPoint: false,
			utcMs: 0,
			trace: (message) => {
				traces.push(message);
				waiting?.();
			},
		});
		const engine = new XSEngine({
			host,
			program,
			script,
			onCrash: (message) => {
				crash = message;
				waiting?.();
			},
		});
		running = engine;
		return engine;
	}

	async function until(condition: () => boolean): Promise<void> {
		while (!condition()) await new Promise<void>((resolve) => (waiting = resolve));
	}

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "engine-"));
		script = join(folder, "script.js");
		traces = [];
		crash = "";
	});
	afterEach(async () => {
		await running?.stop();
		rmSync(folder, { recursive: true });
	});

	it("keeps no slot of closed objects, however often they are opened", async () => {
		await bundle(fileURLToPath(new URL("../portable/churn.js", import.meta.url)), script);
		const engine = makeEngine();
		await engine.start();
		assert.ok(engine.baseline > 1000, `baseline ${engine.baseline}`);
		await until(() => traces.includes("round 100"));
		const early = await engine.heap();
		assert.ok(early > engine.baseline, "a running firmware has slots");
		const steps = engine.steps();
		await until(() => traces.includes("round 400"));
		const growth = (await engine.heap()) - early;
		assert.ok(growth < 100, `300 rounds left ${growth} slots`);
		assert.ok(engine.steps() > steps + 300 * 100, "steps are counted");
	});

	it("reports an exception from an event, and continues", async () => {
		const engine = makeEngine(`globalThis.handleCommand = (message) => {
			const kind = new Uint8Array(message)[0];
			if (kind === 2) throw new RangeError("no way");
		};`);
		await engine.start();
		await engine.stop();
		assert.deepEqual(traces, ["fault: escaped: RangeError: no way"]);
		assert.equal(crash, "");
	});

	it("shows where an exception was thrown", async () => {
		await bundle(fileURLToPath(new URL("../portable/main.js", import.meta.url)), script);
		const engine = makeEngine();
		await engine.start();
		await until(() => traces.length > 0);
		assert.match(traces[0], /^check failed: no such check\n.*\n.* at .*script\.js:\d+/s);
	});

	it("does not start with a script that handles no events", async () => {
		const engine = makeEngine("0;");
		await assert.rejects(engine.start(), /no function/);
	});

	it("does not start with firmware that throws", async () => {
		const engine = makeEngine(`globalThis.handleCommand = (message) => {
			if (new Uint8Array(message)[0] === 1) throw new Error("at start");
		};`);
		await assert.rejects(engine.start(), /at start/);
	});

	it("reports a stack overflow of the firmware", async () => {
		const engine = makeEngine("const deeper = (n) => deeper(n + 1) + 1; globalThis.handleCommand = () => deeper(0);");
		await assert.rejects(engine.start(), /stack overflow/);
		assert.match(crash, /^The XS engine has ended: stack overflow$/);
		await assert.rejects(engine.heap(), /has ended/);
	});

	it("rejects invalid commands, and continues", async () => {
		const engine = makeEngine(`globalThis.handleCommand = (message) => {
			if (new Uint8Array(message)[0] !== 1) return;
			const said = [];
			for (const bytes of [[], [99, 0, 0, 0, 0], [6, 9, 0, 0, 0, 1, 0, 0, 0], [6], [7, 1, 0, 0, 0, 5], [1, 1, 0, 0, 0]]) {
				said.push(new Uint8Array(issueCommand(new Uint8Array(bytes).buffer))[0]);
			}
			const text = new TextEncoder().encode(said.join());
			const trace = new Uint8Array(5 + text.length);
			trace[0] = 18;
			trace.set(text, 5);
			issueCommand(trace.buffer);
		};`);
		await engine.start();
		assert.match(traces[0], /^[23](,[23]){5}$/);
	});

	it("gives up firmware that never returns from an event", async () => {
		const engine = makeEngine("globalThis.handleCommand = (message) => { while (new Uint8Array(message)[0] === 1); };");
		await assert.rejects(engine.start(), /one event took too many steps/);
		assert.match(crash, /one event took too many steps/);
	});

	it("is killed if the firmware does not stop in time", async () => {
		// This runs for a minute in few metered steps, because the engine searches through ten million characters in one
		// step.
		const busy = "const end = Date.now() + 60000; while (Date.now() < end) text.indexOf('y');";
		const engine = makeEngine(`const text = "x".repeat(1e7);
			globalThis.handleCommand = (message) => { if (new Uint8Array(message)[0] === 2) { ${busy} } };`);
		await engine.start();
		await engine.stop();
		assert.equal(crash, "");
	});
});

describe("findXSWorker", () => {
	it("finds nothing if the package is not installed", () => {
		assert.equal(findXSWorker(pathToFileURL(join(tmpdir(), "nowhere.js")).href), undefined);
	});
});

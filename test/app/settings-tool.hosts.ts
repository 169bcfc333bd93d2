/**
 * `npm run ota -- send-settings` and `npm start -- --console` on both engines, over two pseudo-terminals that carry log
 * lines beside the packets.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openPseudoTerminal } from "../../tools/meter/pseudo-terminal.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { CERTIFICATE, settingsKeyFile } from "../provision/engines.js";
import { eventsOf, largestSettings, newSigner, signed } from "../provision/signed.js";

const OTA = fileURLToPath(new URL("../../tools/ota.js", import.meta.url));
const LOG = Buffer.from("mqtt: no connection");

async function runTool(...args: string[]): Promise<{ code: number; out: string; errors: string }> {
	const child = spawn(process.execPath, [OTA, "send-settings", ...args], { stdio: ["ignore", "pipe", "pipe"] });
	let [out, errors] = ["", ""];
	child.stdout.on("data", (text) => (out += text));
	child.stderr.on("data", (text) => (errors += text));
	const [code] = await once(child, "close");
	return { code, out, errors };
}

for (const [engine, mode] of [
	["node", "client"],
	["xs", "ap"],
] satisfies [EngineName, "client" | "ap"][]) {
	describe(`npm run ota -- send-settings, with a gateway on ${engine} (${mode})`, function () {
		this.timeout(120_000);
		let folder = "";
		let gateway: ProcessGateway;
		let near: Awaited<ReturnType<typeof openPseudoTerminal>>;
		let far: typeof near;

		before(async () => {
			folder = mkdtempSync(join(tmpdir(), "console-"));
			near = await openPseudoTerminal();
			far = await openPseudoTerminal();
			near.onData((bytes) => far.write(bytes));
			far.onData((bytes) => near.write(Buffer.concat([LOG, bytes, LOG])));
			const args = ["--settings-key", settingsKeyFile(folder), "--console", far.path];
			gateway = await ProcessGateway.start(engine, { mode, args });
		});
		after(async () => {
			await gateway?.stop();
			await near?.close();
			await far?.close();
			rmSync(folder, { recursive: true });
		});

		const send = (name: string, file: Uint8Array) => {
			const path = join(folder, name);
			writeFileSync(path, file);
			return runTool(path, "--port", near.path);
		};

		it("applies the largest file, and says why it refuses others", async () => {
			const { code, out, errors } = await send("largest.smgs", signed(largestSettings(CERTIFICATE), 3));
			assert.deepEqual([code, errors], [0, ""], errors);
			assert.match(
				out,
				/^Sending 4500 bytes to \S+ …\n(\d+ of 4500 bytes\n)+The gateway has applied the settings\.\n$/,
			);
			const replayed = await send("largest.smgs", signed(largestSettings(CERTIFICATE), 3));
			assert.equal(replayed.code, 1);
			assert.match(replayed.errors, /^provision_replay: The counter of the file is not higher .*\.\n$/);
			const foreign = await send("foreign.smgs", signed({}, 4, "", newSigner()));
			assert.equal(foreign.code, 1);
			assert.match(
				foreign.errors,
				/^provision_bad_signature: No key that this gateway trusts has signed the file\.\n$/,
			);
			await gateway.login();
			const { counter } = await gateway.read("provision");
			const { entries } = await gateway.read("dlms/obis");
			assert.deepEqual([counter, entries.length], [3, 24]);
			assert.deepEqual(await eventsOf(gateway), [
				"provision_applied 3 by console",
				"provision_refused provision_replay by console",
				"provision_refused provision_bad_signature by console",
			]);
		});

		it("reports a missing port, and a file of another kind", async () => {
			const path = join(folder, "other.json");
			writeFileSync(path, "{}");
			const noFile = await runTool(path, "--port", near.path);
			assert.deepEqual([noFile.code, noFile.out], [1, ""]);
			assert.match(
				noFile.errors,
				/other\.json is not a signed settings file: make one with npm run ota -- sign-settings\.\n$/,
			);
			writeFileSync(path, signed({}, 9));
			const noPort = await runTool(path, "--port", join(folder, "none"));
			assert.equal(noPort.code, 1);
			assert.match(noPort.errors, /^The serial port \S+none can't be opened: .* Choose another with --port\.\n$/);
			assert.equal((await runTool(path)).code, 2);
		});
	});
}

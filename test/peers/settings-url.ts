/** Signed settings files by HTTPS from OpenSSL's own server, signed by the command of docs/fleet.md. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { serverIdentity } from "../api/server-identity.js";
import { freePort, run } from "./peer.js";

const HOST = "127.0.0.1";
const FILE = "cellar.smgs";
const OTA = join(import.meta.dirname, "..", "..", "tools", "ota.js");

export interface SettingsBed {
	readonly folder: string;
	readonly gateway: ProcessGateway;
	readonly server: ChildProcess;
	readonly url: string;
}

export async function prepareSettingsURL(engine: EngineName): Promise<SettingsBed> {
	await run("openssl", ["version"]);
	const folder = mkdtempSync(join(tmpdir(), "settings-url-"));
	await run("node", [OTA, "keygen", join(folder, "key")]);
	const { cert, key } = serverIdentity(HOST);
	writeFileSync(join(folder, "server.pem"), cert);
	writeFileSync(join(folder, "server.key"), key);
	const port = await freePort();
	// It serves the files of its folder, by HTTP/1.0 without a length.
	const options = ["-accept", String(port), "-cert", "server.pem", "-key", "server.key", "-WWW", "-quiet"];
	const server = spawn("openssl", ["s_server", ...options], { cwd: folder, stdio: "ignore" });
	const gateway = await ProcessGateway.start(engine, { args: ["--settings-key", join(folder, "key.pub")] });
	await gateway.login();
	return { folder, gateway, server, url: `https://${HOST}:${port}/${FILE}` };
}

export async function endSettingsURL({ folder, gateway, server }: SettingsBed): Promise<void> {
	await gateway.stop();
	server.kill("SIGKILL");
	rmSync(folder, { recursive: true });
}

async function sign({ folder }: SettingsBed, timezone: string, counter: number): Promise<void> {
	const settings = { backup: 1, settings: { "system/timezone": { timezone } } };
	writeFileSync(join(folder, "cellar.json"), JSON.stringify(settings));
	const options = ["--counter", String(counter), "--key", join(folder, "key"), "--out", join(folder, FILE)];
	await run("node", [OTA, "sign-settings", join(folder, "cellar.json"), ...options]);
}

/** Lets the gateway fetch, and waits for the result of the URL. */
async function fetchFile({ folder, gateway, url }: SettingsBed): Promise<string> {
	await gateway.write("provision", { url, cert: readFileSync(join(folder, "server.pem"), "utf8") });
	for (let i = 0; i < 200; i++) {
		const { url_state } = await gateway.read("provision");
		if (url_state !== "waiting") return url_state;
		await gateway.pass(100);
	}
	return "waiting";
}

/** Time zone, counter and state, once the counter or the state is as expected. */
async function resultOf({ gateway }: SettingsBed, state: string, counter: number) {
	for (let i = 0; i < 100; i++) {
		const found = await gateway.read("provision");
		if (found.state === state && found.counter === counter) break;
		await gateway.pass(100);
	}
	const { counter: last, state: lastState } = await gateway.read("provision");
	return [lastState, last, (await gateway.read("system/timezone")).timezone];
}

export const settingsURLCases = [
	{
		name: "has no file yet",
		run: async (bed: SettingsBed) => {
			assert.notEqual(await fetchFile(bed), "ok");
			assert.equal((await resultOf(bed, "none", 0))[1], 0);
		},
	},
	{
		name: "gives a file, which is applied",
		run: async (bed: SettingsBed) => {
			await sign(bed, "Europe/Warsaw", 5);
			assert.equal(await fetchFile(bed), "ok");
			assert.deepEqual(await resultOf(bed, "applied", 5), ["applied", 5, "Europe/Warsaw"]);
		},
	},
	{
		name: "gives a damaged file, which changes nothing",
		run: async (bed: SettingsBed) => {
			await sign(bed, "Europe/Berlin", 6);
			const path = join(bed.folder, FILE);
			const file = readFileSync(path);
			file[60] ^= 1;
			writeFileSync(path, file);
			assert.equal(await fetchFile(bed), "ok");
			const result = await resultOf(bed, "provision_bad_signature", 5);
			assert.deepEqual(result, ["provision_bad_signature", 5, "Europe/Warsaw"]);
		},
	},
];

/**
 * Runs the scripts of docs/integrations.md, for curl, OpenSSL, Python and Node, over HTTPS with a verified
 * certificate. Jinja from PyPI evaluates the page's sensors for Home Assistant.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isError, type JSONObject } from "../api/gateway.js";
import { installPython, PEER_SOURCES, run } from "./peer.js";
import { endReadingBench, numbersOf, PAGE_HOST, type ReadingBench, shell, startReadingBench } from "./reading-bench.js";
import { template } from "./templates.js";

const PACKAGES = ["jinja2==3.1.6", "markupsafe==3.0.2", "pyyaml==6.0.2"];
const DAY_S = 86_400;
/** Time in which closed connections free their places, ms. Earlier, the gateway would close a stream for a new one. */
const PLACES_MS = 3000;
/** Limit of the script that follows the events, ms; it waits 30 s before it reopens a closed stream. */
const FOLLOW_LIMIT_MS = 90_000;

interface Bench extends ReadingBench {
	/** Folder of the Python packages. */
	readonly packages: string;
}

export async function prepareScripts(): Promise<Bench> {
	return { packages: await installPython("jinja", PACKAGES), ...(await startReadingBench()) };
}

export const endScripts = endReadingBench;

/** A file of the page, with this gateway's values. */
function filled(name: string, { authority, token }: Bench): string {
	return template(name, { [PAGE_HOST]: authority, TOKEN: token });
}

/** Runs a file of the page in the folder that contains gateway.pem. */
function runFile(name: string, command: string, bench: Bench): Promise<string> {
	writeFileSync(join(bench.folder, name), filled(name, bench));
	return shell(bench.folder, `${command} ${name}`);
}

/** Parses the lines "code number unit …" that both scripts print. */
function printed(text: string): Record<string, number> {
	const [first, ...lines] = text.trim().split("\n");
	assert.match(first, /^read at \d{4}-\d\d-\d\dT/);
	return Object.fromEntries(lines.map((line) => line.split(" ")).map(([code, number]) => [code, Number(number)]));
}

/** Home Assistant's sensors for this reply: name -> available, value. */
async function sensors(bench: Bench, reply: JSONObject): Promise<Record<string, [string, string]>> {
	const config = join(bench.folder, "home-assistant.yaml");
	const json = join(bench.folder, "reply.json");
	writeFileSync(config, filled("home-assistant.yaml", bench));
	writeFileSync(json, JSON.stringify(reply));
	const script = join(PEER_SOURCES, "python", "render_sensors.py");
	return JSON.parse(await run("python3", [script, config, json], { PYTHONPATH: bench.packages }));
}

export const scriptCases = [
	{
		name: "curl reads the last readout and the history, and trusts the gateway's certificate",
		async run(bench: Bench) {
			assert.deepEqual(JSON.parse(await shell(bench.folder, filled("read.sh", bench))), bench.last);
			assert.match(readFileSync(join(bench.folder, "days.csv"), "utf8"), /^start,end,/);
		},
	},
	{
		name: "curl accepts the gateway's pinned key, and rejects another one",
		async run(bench: Bench) {
			assert.deepEqual(JSON.parse(await shell(bench.folder, filled("pinned.sh", bench))), bench.last);
			const other = filled("pinned.sh", bench).replace('"sha256//$PIN"', `"sha256//${"A".repeat(43)}="`);
			await assert.rejects(shell(bench.folder, other));
		},
	},
	{
		name: "the read-only token can't change settings",
		async run({ gateway, token }: Bench) {
			isError(await gateway.post("iec62056/schedule", { enabled: false }, { token }), 403, "forbidden_scope");
		},
	},
	{
		name: "Python's script prints the values",
		async run(bench: Bench) {
			assert.deepEqual(printed(await runFile("read_last.py", "python3", bench)), numbersOf(bench.last));
		},
	},
	{
		name: "Node's script prints the values",
		async run(bench: Bench) {
			assert.deepEqual(printed(await runFile("read-last.mjs", "node", bench)), numbersOf(bench.last));
		},
	},
	{
		name: "Node's script that follows the events shows each readout",
		async run(bench: Bench) {
			const { folder, gateway } = bench;
			writeFileSync(join(folder, "follow.mjs"), filled("follow.mjs", bench));
			await gateway.pass(PLACES_MS);
			const child = spawn(process.execPath, ["follow.mjs"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
			const ended = once(child, "exit");
			const lines = on(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(FOLLOW_LIMIT_MS) });
			const next = async () => (await lines.next()).value[0];
			const shown = ({ localtime, readings }: JSONObject) => `${localtime} ${numbersOf({ readings })["16.7.0"]} kW`;
			try {
				assert.equal(await next(), shown(bench.last));
				await gateway.pass(PLACES_MS);
				const second = await gateway.read("iec62056/read");
				assert.equal(await next(), shown(second));
			} finally {
				child.kill("SIGTERM");
				await ended;
			}
		},
	},
	{
		name: "Home Assistant's sensors have the values, and are unavailable if the readout is a day old",
		async run(bench: Bench) {
			const numbers = numbersOf(bench.last);
			assert.deepEqual(await sensors(bench, bench.last), {
				"Energy import": ["True", String(numbers["1.8.0"])],
				"Energy export": ["True", String(numbers["2.8.0"])],
				Power: ["True", String(numbers["16.7.0"])],
			});
			const old = { ...bench.last, timestamp: bench.last.timestamp - DAY_S };
			for (const [available] of Object.values(await sensors(bench, old))) assert.equal(available, "False");
		},
	},
	{
		name: "Python, Node and curl accept a certificate from an authority that was made as in docs/integrations.md",
		async run(bench: Bench) {
			const { authority, folder, gateway } = bench;
			const [address] = authority.split(":");
			const making = template("authority.sh", {
				"192.168.1.40": address,
				"smgw-a1b2c3": gateway.hostname.replace(/\.local$/, ""),
			});
			await shell(folder, `GATEWAY=https://${authority} ADMIN=${gateway.token}\n${making}`);
			const home = readFileSync(join(folder, "home.pem"), "utf8");
			await gateway.rebooted(home);
			await gateway.login();
			await gateway.read("iec62056/read");
			const numbers = numbersOf(await gateway.read("iec62056/last"));
			writeFileSync(join(folder, "gateway.pem"), home);
			assert.deepEqual(printed(await runFile("read_last.py", "python3", bench)), numbers);
			assert.deepEqual(printed(await runFile("read-last.mjs", "node", bench)), numbers);
			assert.deepEqual(numbersOf(JSON.parse(await shell(folder, filled("read.sh", bench)))), numbers);
		},
	},
];

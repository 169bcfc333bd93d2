/**
 * Runs the scripts of docs/integrations.md, for curl, OpenSSL, Python and Node, over HTTPS with a verified
 * certificate. Jinja from PyPI evaluates the page's sensors for Home Assistant.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { on } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pypi } from "../../tools/release/peers.js";
import { isError, type JSONObject } from "../api/gateway.js";
import { endChild, installPython, PEER_SOURCES, run } from "./peer.js";
import { endReadingBed, numbersOf, PAGE_HOST, type ReadingBed, shell, startReadingBed } from "./reading-bed.js";
import { template } from "./templates.js";

const PACKAGES = [pypi("jinja2"), "markupsafe==3.0.2", "pyyaml==6.0.2"];
const DAY_S = 86_400;
/** Time in which closed connections free their places, ms. Earlier, the gateway would close a stream for a new one. */
const PLACES_MS = 3000;
/** Limit of the script that follows the events, ms; it waits 30 s before it reopens a closed stream. */
const FOLLOW_LIMIT_MS = 90_000;

interface Bed extends ReadingBed {
	/** Folder of the Python packages. */
	readonly packages: string;
}

/** Folder of the packages that evaluate Home Assistant's templates. Throws PeerMissing. */
export const installJinja = () => installPython("jinja", PACKAGES);

export async function prepareScripts(): Promise<Bed> {
	return { packages: await installJinja(), ...(await startReadingBed()) };
}

export const endScripts = endReadingBed;

/** A file of the page, with this gateway's values. */
export function filled(name: string, { authority, token }: ReadingBed): string {
	return template(name, { [PAGE_HOST]: authority, TOKEN: token });
}

/** Runs a file of the page in the folder that contains gateway.pem. */
function runFile(name: string, command: string, bed: Bed): Promise<string> {
	writeFileSync(join(bed.folder, name), filled(name, bed));
	return shell(bed.folder, `${command} ${name}`);
}

/** Parses the lines "code number unit …" that both scripts print. */
function printed(text: string): Record<string, number> {
	const [first, ...lines] = text.trim().split("\n");
	assert.match(first, /^read at \d{4}-\d\d-\d\dT/);
	return Object.fromEntries(lines.map((line) => line.split(" ")).map(([code, number]) => [code, Number(number)]));
}

/** Home Assistant's sensors for this reply: name -> available, value. */
export async function sensors(bed: Bed, reply: JSONObject): Promise<Record<string, [string, string]>> {
	const config = join(bed.folder, "home-assistant.yaml");
	const json = join(bed.folder, "reply.json");
	writeFileSync(config, filled("home-assistant.yaml", bed));
	writeFileSync(json, JSON.stringify(reply));
	const script = join(PEER_SOURCES, "python", "render_sensors.py");
	return JSON.parse(await run("python3", [script, config, json], { PYTHONPATH: bed.packages }));
}

/** Power in W, from a meter that sends kW. */
const wattsOf = (numbers: Record<string, number>) => Number((numbers["16.7.0"] * 1000).toFixed(1));

export const scriptCases = [
	{
		name: "curl reads the last readout and the history, and trusts the gateway's certificate",
		async run(bed: Bed) {
			assert.deepEqual(JSON.parse(await shell(bed.folder, filled("read.sh", bed))), bed.last);
			assert.match(readFileSync(join(bed.folder, "days.csv"), "utf8"), /^start,end,/);
		},
	},
	{
		name: "curl accepts the gateway's pinned key, and rejects another one",
		async run(bed: Bed) {
			assert.deepEqual(JSON.parse(await shell(bed.folder, filled("pinned.sh", bed))), bed.last);
			const other = filled("pinned.sh", bed).replace('"sha256//$PIN"', `"sha256//${"A".repeat(43)}="`);
			await assert.rejects(shell(bed.folder, other));
		},
	},
	{
		name: "the read-only token can't change settings",
		async run({ gateway, token }: Bed) {
			isError(await gateway.post("iec62056/schedule", { enabled: false }, { token }), 403, "forbidden_scope");
		},
	},
	{
		name: "Python's script prints the values",
		async run(bed: Bed) {
			assert.deepEqual(printed(await runFile("read_last.py", "python3", bed)), numbersOf(bed.last));
		},
	},
	{
		name: "Node's script prints the values",
		async run(bed: Bed) {
			assert.deepEqual(printed(await runFile("read-last.mjs", "node", bed)), numbersOf(bed.last));
		},
	},
	{
		name: "Node's script that follows the events shows each readout",
		async run(bed: Bed) {
			const { folder, gateway } = bed;
			writeFileSync(join(folder, "follow.mjs"), filled("follow.mjs", bed));
			await gateway.pass(PLACES_MS);
			const child = spawn(process.execPath, ["follow.mjs"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
			const lines = on(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(FOLLOW_LIMIT_MS) });
			const next = async () => (await lines.next()).value[0];
			const shown = ({ localtime, readings }: JSONObject) => `${localtime} ${wattsOf(numbersOf({ readings }))} W`;
			try {
				assert.equal(await next(), shown(bed.last));
				await gateway.pass(PLACES_MS);
				const second = await gateway.read("iec62056/read");
				assert.equal(await next(), shown(second));
			} finally {
				await endChild(child);
			}
		},
	},
	{
		name: "Home Assistant's sensors have the values, and are unavailable if the readout is a day old",
		async run(bed: Bed) {
			const numbers = numbersOf(bed.last);
			assert.deepEqual(await sensors(bed, bed.last), {
				"Energy import": ["True", String(numbers["1.8.0"])],
				"Energy export": ["True", String(numbers["2.8.0"])],
				Power: ["True", wattsOf(numbers).toFixed(1)],
			});
			const old = { ...bed.last, timestamp: bed.last.timestamp - DAY_S };
			for (const [available] of Object.values(await sensors(bed, old))) assert.equal(available, "False");
		},
	},
	{
		name: "Python, Node and curl accept a certificate from an authority that was made as in docs/integrations.md",
		async run(bed: Bed) {
			const { authority, folder, gateway } = bed;
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
			assert.deepEqual(printed(await runFile("read_last.py", "python3", bed)), numbers);
			assert.deepEqual(printed(await runFile("read-last.mjs", "node", bed)), numbers);
			assert.deepEqual(numbersOf(JSON.parse(await shell(folder, filled("read.sh", bed)))), numbers);
		},
	},
];

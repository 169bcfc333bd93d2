/** Node-RED, from npm, without its editor: the flows of docs/integrations.md with our gateway and a broker. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONObject } from "../api/gateway.js";
import { endChild, installNode } from "./peer.js";
import {
	type BrokerBed,
	brokerBed,
	numbersOf,
	PAGE_BROKER,
	PAGE_HOST,
	READER_PASSWORD,
	whilePublishing,
} from "./reading-bed.js";
import { template } from "./templates.js";

const SEEN_LIMIT_MS = 60_000;
/** A function node that logs the payload. */
const SAY = 'node.warn("SEEN " + JSON.stringify(msg.payload)); return null;';

interface Bed extends BrokerBed {
	readonly program: string;
}

export async function prepareNodeRED(): Promise<Bed> {
	const folder = await installNode("node-red", ["node-red@4.1.15"]);
	return { ...(await brokerBed()), program: join(folder, "node_modules", "node-red", "red.js") };
}

/** Runs flows with the user's values in their nodes; meanwhile `use` runs, with a function that awaits a log line. */
async function withFlows(
	{ program }: Bed,
	flows: JSONObject[],
	typed: JSONObject,
	use: (logged: (pattern: RegExp) => Promise<string>) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "node-red-"));
	const spoken = flows.map((node) =>
		node.type === "debug"
			? { id: node.id, z: node.z, type: "function", name: node.name, func: SAY, outputs: 0, wires: [] }
			: node,
	);
	writeFileSync(join(folder, "flows.json"), JSON.stringify(spoken));
	writeFileSync(join(folder, "flows_cred.json"), JSON.stringify(typed));
	const settings = {
		...{
			flowFile: "flows.json",
			credentialSecret: false,
			disableEditor: true,
			httpAdminRoot: false,
			httpNodeRoot: false,
		},
		...{ uiHost: "127.0.0.1", uiPort: 0 },
	};
	writeFileSync(join(folder, "settings.cjs"), `module.exports = ${JSON.stringify(settings)};\n`);
	const child: ChildProcess = spawn(process.execPath, [program, "-s", join(folder, "settings.cjs"), "-u", folder], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	let log = "";
	for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => (log += bytes.toString()));
	try {
		await use(async (pattern) => {
			const limit = Date.now() + SEEN_LIMIT_MS;
			for (;;) {
				const found = pattern.exec(log);
				if (found !== null) return found[1] ?? found[0];
				assert.ok(Date.now() < limit && child.exitCode === null, `${pattern} is not in:\n${log}`);
				await sleep(100);
			}
		});
	} finally {
		await endChild(child);
		rmSync(folder, { recursive: true, force: true });
	}
}

const flowsOf = (name: string, words: Record<string, string>): JSONObject[] => JSON.parse(template(name, words));

export const nodeREDCases = [
	{
		name: "the flow over MQTT gets the power",
		async run(bed: Bed) {
			const { broker, gateway, state } = bed;
			const flows = flowsOf("node-red-mqtt.json", { [PAGE_BROKER]: "127.0.0.1", '"1883"': `"${broker.port}"` });
			const typed = { "smgw-broker": { user: "reader", password: READER_PASSWORD } };
			await withFlows(bed, flows, typed, async (logged) => {
				assert.equal(Number(await whilePublishing(gateway, () => logged(/SEEN (.*)/))), state["16_7_0"]);
			});
		},
	},
	{
		name: "the flow over HTTP gets all numbers, and verifies the gateway's certificate",
		async run(bed: Bed) {
			const { authority, folder, last, token } = bed;
			const words = { [PAGE_HOST]: authority, "/data/gateway.pem": join(folder, "gateway.pem") };
			await withFlows(
				bed,
				flowsOf("node-red-http.json", words),
				{ "smgw-last": { password: token } },
				async (logged) => {
					assert.deepEqual(JSON.parse(await logged(/SEEN (.*)/)), numbersOf(last));
				},
			);
		},
	},
	{
		name: "the flow over HTTP rejects another certificate",
		async run(bed: Bed) {
			const words = { [PAGE_HOST]: bed.authority, "/data/gateway.pem": "" };
			const typed = { "smgw-last": { password: bed.token } };
			await withFlows(bed, flowsOf("node-red-http.json", words), typed, async (logged) => {
				await logged(/self-signed certificate/);
			});
		},
	},
	{
		name: "the flow over HTTP reports a wrong token",
		async run(bed: Bed) {
			const words = { [PAGE_HOST]: bed.authority, "/data/gateway.pem": join(bed.folder, "gateway.pem") };
			await withFlows(
				bed,
				flowsOf("node-red-http.json", words),
				{ "smgw-last": { password: "wrong" } },
				async (logged) => {
					await logged(/\[error\] \[function:numbers by code\] \w.*token.*\./i);
				},
			);
		},
	},
];

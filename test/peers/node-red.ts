/** Node-RED, from npm, without its editor: the flows of docs/integrations.md with our gateway and a broker. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { npm } from "../../tools/release/peers.js";
import type { JSONObject } from "../api/gateway.js";
import { installForNewerNode, nodeOf } from "./newer-node.js";
import { endChild } from "./peer.js";
import { type BrokerBed, brokerBed, PAGE_HOST } from "./reading-bed.js";
import { template } from "./templates.js";

const SEEN_LIMIT_MS = 60_000;
/** A function node that logs its name and the payload. */
const SAY = 'node.warn("SEEN " + node.name + " " + JSON.stringify(msg.payload)); return null;';

interface Bed extends BrokerBed {
	/** Folder of Node-RED. */
	readonly home: string;
}

/** Its folder. Throws PeerMissing. */
export const installNodeRED = () => installForNewerNode("node-red", [npm("node-red")]);

export async function prepareNodeRED(): Promise<Bed> {
	return { home: await installNodeRED(), ...(await brokerBed()) };
}

export interface Flows {
	/** Everything that Node-RED has printed. */
	log(): string;
	end(): Promise<void>;
}

/** Runs flows with the user's values in their nodes. */
export function startFlows(home: string, flows: JSONObject[], typed: JSONObject): Flows {
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
	const program = join(home, "node_modules", "node-red", "red.js");
	const child: ChildProcess = spawn(nodeOf(home), [program, "-s", join(folder, "settings.cjs"), "-u", folder], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	let log = "";
	for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => (log += bytes.toString()));
	return {
		log: () => log,
		end: async () => {
			await endChild(child);
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Runs the flow over HTTP until its log has this line. */
async function untilLogged(
	{ home, authority }: Bed,
	certificate: string,
	password: string,
	pattern: RegExp,
): Promise<void> {
	const words = { [PAGE_HOST]: authority, "/data/gateway.pem": certificate };
	const flows = startFlows(home, flowsOf("node-red-http.json", words), { "smgw-last": { password } });
	try {
		const limit = Date.now() + SEEN_LIMIT_MS;
		while (!pattern.test(flows.log())) {
			assert.ok(Date.now() < limit, `${pattern} is not in:\n${flows.log()}`);
			await sleep(100);
		}
	} finally {
		await flows.end();
	}
}

export const flowsOf = (name: string, words: Record<string, string>): JSONObject[] => JSON.parse(template(name, words));

export const nodeREDCases = [
	{
		name: "the flow over HTTP rejects another certificate",
		run: (bed: Bed) => untilLogged(bed, "", bed.token, /self-signed certificate/),
	},
	{
		name: "the flow over HTTP reports a wrong token",
		run: (bed: Bed) =>
			untilLogged(
				bed,
				join(bed.folder, "gateway.pem"),
				"wrong",
				/\[error\] \[function:numbers by code\] \w.*token.*\./i,
			),
	},
];

/** Programs from PyPI open diagnostic reports and other messages sealed by our HPKE. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { NodeCrypto, NodeText } from "../../hosts/node/platform.js";
import { Sealer } from "../../modules/hpke/sealer.js";
import { pypi } from "../../tools/release/peers.js";
import { openWhole, privateKeyFile, REPORT_KEY } from "../api/report-key.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { installPython, PEER_SOURCES, run } from "./peer.js";

const PACKAGES = ["cryptography==50.0.2", "cffi==2.1.1", "pycparser==3.12", pypi("pyhpke")];
const SCRIPT = join(PEER_SOURCES, "python", "open_report.py");

export const prepareHPKE = () => installPython("hpke", PACKAGES);

async function opened(folder: string, kind: "report" | "message", file: Uint8Array): Promise<string> {
	const path = join(folder, kind);
	writeFileSync(path, file);
	return run("python3", [SCRIPT, kind, path, privateKeyFile(folder)], { PYTHONPATH: folder });
}

export const hpkeCases = [
	{
		name: "pyhpke 0.6.5 opens a report of our gateway",
		async run(folder: string): Promise<void> {
			const gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, info: { reportKey: REPORT_KEY } });
			await gateway.login();
			const headers = { Authorization: `Bearer ${gateway.token}` };
			const { body } = gateway.world.request("/api/v1/system/diagnostic", { headers });
			await gateway.stop();
			assert.equal(await opened(folder, "report", body), (await openWhole(body)).text);
		},
	},
	{
		name: "cryptography 50.0.2 opens a message that we have sealed",
		async run(folder: string): Promise<void> {
			const text = new NodeText();
			const world = { crypto: new NodeCrypto(), text };
			const sealer = new Sealer(world, Buffer.from(REPORT_KEY, "hex"), text.encode("smart meter"));
			const message = sealer.seal(new Uint8Array(0), text.encode("Zähler"));
			assert.equal(await opened(folder, "message", Buffer.concat([sealer.encapsulated, message])), "Zähler");
		},
	},
];

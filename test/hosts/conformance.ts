/**
 * The suite that every host is held against. `run` runs a firmware on a host; for each check it gets a fresh host
 * with a pseudo-terminal as the meter's port and free network ports.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Identity, makeIdentity } from "../../hosts/node/certificate.js";
import { loadFactoryData } from "../../hosts/node/factory.js";
import { createHost } from "../../hosts/node/host.js";
import type { Host } from "../../modules/io/host.js";
import { openPseudoTerminal } from "../../tools/meter/pseudo-terminal.js";
import { runPeer } from "./peers.js";
import { pattern } from "./portable/check.js";
import { checks } from "./portable/checks.js";

/** Starts the check that `host.info.board` names; gives what ends it. */
export type Run = (host: Host) => Promise<{ stop(): Promise<void> }>;

export function conformance(name: string, run: Run): void {
	describe(`The host contract, ${name}`, function () {
		this.timeout(20_000);
		for (const check of checks) it(check.name, () => runCheck(check.name, run));
	});
}

async function runCheck(name: string, run: Run): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "conformance-"));
	const line = await openPseudoTerminal();
	const peers: Promise<void>[] = [];
	let verdict: (text: string) => void = () => {};
	const judged = new Promise<string>((resolve) => {
		verdict = resolve;
	});
	const trace = (message: string) => {
		const [, script, number] = /^peer (\S+) (\d+)$/.exec(message) ?? [];
		if (script) peers.push(runPeer(script, Number(number), line));
		else if (/^check |^an exception/.test(message)) verdict(message);
	};
	const host = makeHost(folder, line.path, trace, await makeIdentity("gateway", Date.now()));
	const runner = await run({ ...host, info: { ...host.info, board: name } });
	try {
		const text = await judged;
		if (text !== "check passed") throw new Error(text);
		await Promise.all(peers);
	} finally {
		await runner.stop();
		await line.close();
		rmSync(folder, { recursive: true });
	}
}

function makeHost(folder: string, meterPath: string, trace: (message: string) => void, identity: Identity): Host {
	const resourcesFolder = join(folder, "resources");
	mkdirSync(resourcesFolder);
	writeFileSync(join(resourcesFolder, "sample.bin"), pattern(5000));
	writeFileSync(join(folder, "secret"), "");
	return createHost({
		stateFolder: join(folder, "state"),
		resourcesFolder,
		factory: loadFactoryData(join(folder, "state"), "label password"),
		firmwareVersion: "1.2.3",
		meterPath,
		httpPort: 0,
		httpsPort: 0,
		accessPoint: false,
		identity,
		utcMs: 1_700_000_000_000,
		trace,
		onListenFailed: trace,
	});
}

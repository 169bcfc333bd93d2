/**
 * The suite that every host is held against. `run` runs the firmware of the portable checks; each check gets a fresh
 * world with a pseudo-terminal as the meter's port and free network ports.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Identity, loadIdentity } from "../../hosts/node/certificate.js";
import { type FactoryData, loadFactoryData } from "../../hosts/node/factory.js";
import { createHost, hostnameOf } from "../../hosts/node/host.js";
import type { Host } from "../../modules/io/host.js";
import { openPseudoTerminal } from "../../tools/meter/pseudo-terminal.js";
import { certificateFiles } from "./certificate-files.js";
import { runPeer } from "./peers.js";
import { pattern } from "./portable/check.js";
import { checks } from "./portable/checks.js";

/** What a check is run with. */
export interface CheckWorld {
	/** The check's name; the firmware finds it by `host.info.board`. */
	readonly check: string;
	/** For flash, certificate and factory data. */
	readonly stateFolder: string;
	readonly identity: Identity;
	readonly factory: FactoryData;
	/** The pseudo-terminal that the meter's port is. */
	readonly meterPath: string;
	/** To be told each line that the firmware traces. */
	trace(message: string): void;
}

/** Starts the check; gives what ends it. */
export type Run = (world: CheckWorld) => Promise<{ stop(): Promise<void> }>;

/** What the checks expect of `info` and of the clock. */
export const VERSION = "1.2.3";
export const START_UTC_MS = 1_700_000_000_000;
const LABEL_PASSWORD = "label password";

/** What the checks expect among the resources. */
export function writeResources(folder: string): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "sample.bin"), pattern(5000));
	for (const [name, contents] of Object.entries(certificateFiles())) writeFileSync(join(folder, name), contents);
}

export function conformance(name: string, run: Run): void {
	describe(`The host contract, ${name}`, function () {
		this.timeout(20_000);
		for (const check of checks) it(check.name, () => runCheck(check.name, run));
	});
}

async function runCheck(check: string, run: Run): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "conformance-"));
	const stateFolder = join(folder, "state");
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
	const factory = loadFactoryData(stateFolder, LABEL_PASSWORD);
	const identity = loadIdentity(stateFolder, hostnameOf(factory), START_UTC_MS);
	const runner = await run({ check, stateFolder, identity, factory, meterPath: line.path, trace });
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

/** The bench's host for a check. */
export function makeHost({ check, stateFolder, identity, factory, meterPath, trace }: CheckWorld): Host {
	const resourcesFolder = join(stateFolder, "resources");
	writeResources(resourcesFolder);
	writeFileSync(join(stateFolder, "secret"), "");
	const host = createHost({
		stateFolder,
		resourcesFolder,
		factory,
		firmwareVersion: VERSION,
		builtUtcMs: START_UTC_MS,
		meterPath,
		httpPort: 0,
		httpsPort: 0,
		accessPoint: false,
		identity,
		utcMs: START_UTC_MS,
		trace,
		onListenFailed: trace,
	});
	return { ...host, info: { ...host.info, board: check } };
}

/**
 * The conformance suite for every host. `run` runs the firmware of the portable checks; each check has new
 * dependencies, with a pseudo-terminal as the meter's port and free network ports.
 */

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { type FactoryData, loadFactoryData } from "../../hosts/node/factory.js";
import { createHost } from "../../hosts/node/host.js";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { startSlots } from "../../hosts/node/slots.js";
import { ERASE_SIZE } from "../../modules/io/flash.js";
import type { ButtonPort, Host } from "../../modules/io/host.js";
import type { LinePort } from "../../tools/meter/line-port.js";
import { openPseudoTerminal } from "../../tools/meter/pseudo-terminal.js";
import { certificateFiles } from "./certificate-files.js";
import { clientIdentities } from "./client-files.js";
import { runPeer } from "./peers.js";
import { AFTER_RESTART, type Check, pattern } from "./portable/check.js";
import { checks } from "./portable/checks.js";
import { HANG_UP } from "./portable/coprocessor-checks.js";
import { IMAGE_VERSION, STREAMS, UPDATE_KEY, unpacked } from "./portable/update-checks.js";
import { endServers, runServer } from "./servers.js";

export interface CheckDeps {
	/** The check's name, which the firmware gets as `host.info.board`. */
	readonly check: string;
	/** Folder for flash and factory data. */
	readonly stateFolder: string;
	/** Folder that `writeResources` has filled. */
	readonly resourcesFolder: string;
	readonly factory: FactoryData;
	/** Path of the meter's port. */
	readonly meterPath: string;
	/** Stand-in for the coprocessor: its TCP port, and the state of its lines. */
	readonly coprocessor: CoprocessorStandIn;
	/** Called with each traced line. */
	trace(message: string): void;
}

export interface CoprocessorStandIn {
	readonly port: number;
	setLines(reset: boolean): void;
	close(): void;
}

/** Starts a stand-in that behaves as coprocessor-checks.ts requires. */
async function startCoprocessor(): Promise<CoprocessorStandIn> {
	let isInReset = false;
	const server = createServer((socket) => {
		socket.on("error", () => {});
		socket.on("data", (bytes) => {
			if (bytes.includes(HANG_UP)) socket.destroy();
			else if (!isInReset) socket.write(bytes);
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const setLines = (reset: boolean) => {
		isInReset = reset;
	};
	return { port: (server.address() as AddressInfo).port, setLines, close: () => server.close() };
}

/** A running check. */
export interface Running {
	stop(): Promise<void>;
	/** Presses the unit's button briefly; present if the host has a button. */
	press?(): void;
}

export type Run = (deps: CheckDeps) => Promise<Running>;

/** Version that `info` must contain. */
export const VERSION = "1.2.3";
export const START_UTC_MS = 1_700_000_000_000;
export const TIME_SERVERS = "time.example,192.0.2.1:1123";
export const UPDATE_KEY_HEX = Buffer.from(pattern(UPDATE_KEY)).toString("hex");
const LABEL_PASSWORD = "label password";
/** File beside the folders for state and resources, which the firmware must not read. */
const SECRET = "secret";
const MULTICAST_LIMIT_MS = 1000;
const hasMulticast = await tryMulticast();

/** Writes the resources that the checks expect. */
export function writeResources(folder: string): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "sample.bin"), pattern(5000));
	const streams = STREAMS.map((length) => Buffer.from(Array.from({ length }, (_, at) => unpacked(at))));
	const packed = streams.map((bytes) => deflateSync(bytes, { windowBits: 12 }));
	writeFileSync(join(folder, "packed.bin"), Buffer.concat(packed));
	writeFileSync(join(folder, "packed-32k.bin"), deflateSync(streams[0]));
	const image = makeSimulatorImage({ version: IMAGE_VERSION, securityLevel: 3, size: 2 * ERASE_SIZE });
	writeFileSync(join(folder, "image.bin"), image);
	const files = { ...certificateFiles(), ...clientIdentities().files };
	for (const [name, contents] of Object.entries(files)) writeFileSync(join(folder, name), contents);
}

export function conformance(name: string, run: Run): void {
	describe(`The host contract, ${name}`, function () {
		this.timeout(120_000);
		let folder = "";
		let resourcesFolder = "";

		before(() => {
			folder = mkdtempSync(join(tmpdir(), "resources-"));
			resourcesFolder = join(folder, "resources");
			writeResources(resourcesFolder);
			writeFileSync(join(folder, SECRET), "");
		});
		after(() => rmSync(folder, { recursive: true }));

		for (const check of checks) {
			// Without a function, mocha reports the check as not run.
			if (check.needsMulticast && !hasMulticast) it(`${check.name}: not run, this computer delivers no multicast`);
			else it(check.name, () => runCheck(check, resourcesFolder, run));
		}
	});
}

/** Returns whether a program on this computer receives its own datagrams to a group. */
function tryMulticast(): Promise<boolean> {
	const group = "224.0.0.251";
	const socket = createSocket("udp4");
	return new Promise<boolean>((resolve) => {
		const late = setTimeout(resolve, MULTICAST_LIMIT_MS, false);
		socket.on("message", () => resolve(true));
		socket.on("close", () => clearTimeout(late));
		socket.bind(0, () => {
			try {
				socket.addMembership(group);
			} catch {
				resolve(false);
			}
			socket.send("x", socket.address().port, group, (error) => error && resolve(false));
		});
	}).finally(() => socket.close());
}

async function runCheck({ name, afterRestart }: Check, resourcesFolder: string, run: Run): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "conformance-"));
	const stateFolder = join(folder, "state");
	const line = await openPseudoTerminal();
	const factory = loadFactoryData(stateFolder, LABEL_PASSWORD);
	const coprocessor = await startCoprocessor();
	const deps = { stateFolder, resourcesFolder, factory, meterPath: line.path, coprocessor };
	try {
		await runOnce(name, deps, line, run);
		if (afterRestart) await runOnce(name + AFTER_RESTART, deps, line, run);
	} finally {
		coprocessor.close();
		await line.close();
		rmSync(folder, { recursive: true });
	}
}

async function runOnce(
	check: string,
	deps: Omit<CheckDeps, "check" | "trace">,
	line: LinePort,
	run: Run,
): Promise<void> {
	const peers: Promise<void>[] = [];
	let verdict: (text: string) => void = () => {};
	const judged = new Promise<string>((resolve) => {
		verdict = resolve;
	});
	const trace = (message: string) => {
		const [, script, number] = /^peer (\S+) (\d+)$/.exec(message) ?? [];
		if (script === "press") peers.push(started.then((running) => running.press!()));
		else if (script) peers.push(runServer(script, Number(number)) ?? runPeer(script, Number(number), line));
		else if (/^check |^an exception/.test(message)) verdict(message);
	};
	let starts: (running: Running) => void = () => {};
	const started = new Promise<Running>((resolve) => {
		starts = resolve;
	});
	const runner = await run({ ...deps, check, trace });
	starts(runner);
	try {
		const text = await judged;
		if (text !== "check passed") throw new Error(text);
		await Promise.all(peers);
	} finally {
		await runner.stop();
		endServers();
	}
}

/** The simulator's host for a check. */
export function makeHost(deps: CheckDeps, button: ButtonPort): Host {
	const { check, stateFolder, resourcesFolder, factory, meterPath, coprocessor, trace } = deps;
	writeFileSync(join(stateFolder, SECRET), "");
	const host = createHost({
		stateFolder,
		resourcesFolder,
		factory,
		firmwareVersion: VERSION,
		builtUtcMs: START_UTC_MS,
		meterPath,
		coprocessor: `tcp://127.0.0.1:${coprocessor.port}`,
		setCoprocessorLines: (reset) => coprocessor.setLines(reset),
		httpPort: 0,
		httpsPort: 0,
		accessPoint: false,
		timeServers: TIME_SERVERS,
		update: startSlots({ stateFolder, keys: [UPDATE_KEY_HEX], restart: () => {} }),
		button,
		utcMs: START_UTC_MS,
		trace,
		onListenFailed: trace,
	});
	return { ...host, info: { ...host.info, board: check } };
}

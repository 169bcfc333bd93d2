/**
 * OpenMUC's j62056 (Fraunhofer ISE), from Maven Central, as the reader of our simulated meter. Its serial library
 * jRxTx needs a native part that is not published. Therefore java/, which comes first in the class path, replaces the
 * one class that opens ports (SerialPortBuilder). All else is unchanged.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { download, PEER_SOURCES, PEERS_FOLDER, plainSets, run, withMeter } from "./peer.js";

const MAVEN = "https://repo1.maven.org/maven2/org/openmuc";
const JARS = [
	[`${MAVEN}/j62056/2.2.0/j62056-2.2.0.jar`, "8b116805b99d20598f42e80d8ff1bf1e4982e6c9773369402782b688d6bc57c9"],
	[`${MAVEN}/jrxtx/1.0.1/jrxtx-1.0.1.jar`, "a518bd07d367fc128a9e99dc489b021d8479a1d2181ade19bc5ae1dd35cdd386"],
] as const;

const vector = (name: string) => vectorPath("iec62056-21", name);

/** Compiles the reader; returns its class path. */
export async function prepareOpenMUC(): Promise<string> {
	const jars: string[] = [];
	for (const [url, sha256] of JARS) jars.push(await download(url, sha256));
	const classes = join(PEERS_FOLDER, "openmuc-classes");
	mkdirSync(classes, { recursive: true });
	const sources = ["org/openmuc/jrxtx/SerialPortBuilder.java", "ReadMeter.java"].map((name) =>
		join(PEER_SOURCES, "java", name),
	);
	await run("javac", ["-d", classes, "-cp", jars.join(":"), ...sources]);
	return [classes, ...jars].join(":");
}

export interface OpenMUCCase {
	readonly name: string;
	run(classPath: string): Promise<void>;
}

/** Reads the telegram of a file and compares each data set. */
async function readFile(classPath: string, file: string, meter: string[], how: string[] = ["read"]): Promise<void> {
	const expected = readTelegram(file);
	const output = await withMeter(["--telegram", file, ...meter], (path) =>
		run("java", ["-cp", classPath, "ReadMeter", path, ...how]),
	);
	const [ident, ...sets] = output.split("\n").filter(Boolean);
	const [, maker, meterId, enhanced] = ident.split("\t");
	const line = Buffer.from(expected).toString("latin1").split("\r\n")[0];
	assert.equal(`/${maker}${line[4]}${[...enhanced].map((w) => `\\${w}`).join("")}${meterId}`, line);
	assert.deepEqual(
		sets.map((set) => {
			const [, address, value, unit] = set.split("\t");
			return { address, value, unit };
		}),
		plainSets(expected),
	);
}

/** A file with the same block under another identification. */
function renamed(file: string, name: string, z: string): string {
	const telegram = readTelegram(file);
	telegram[4] = z.charCodeAt(0);
	const path = join(PEERS_FOLDER, name);
	writeFileSync(path, telegram);
	return path;
}

const ZMF100 = "landis-gyr-zmf100-m26-padded-left";
const LK13 = "logarex-lk13-history";

export const openMUCCases: OpenMUCCase[] = [
	{
		name: "mode C, 9600 Bd, speed change on a paced line",
		run: (classPath) => readFile(classPath, vector(LK13), ["--baud-pace"]),
	},
	{
		name: "mode C, 4800 Bd, with a check character of 01",
		run: (classPath) => readFile(classPath, vector(ZMF100), ["--baud-pace"]),
	},
	{
		name: "mode C with its own device address",
		run: (classPath) => readFile(classPath, vector(LK13), ["--address", "0012345"], ["read", "12345"]),
	},
	{
		name: "mode C with another device address is not answered",
		async run(classPath) {
			const read = readFile(classPath, vector(LK13), ["--address", "12345"], ["read", "12346"]);
			await assert.rejects(read, /nothing received/);
		},
	},
	{
		name: "mode B, 2400 Bd, on a paced line",
		run: (classPath) => readFile(classPath, renamed(vector(ZMF100), "mode-b.bin", "C"), ["--baud-pace"]),
	},
	{
		name: "mode A",
		run: (classPath) => readFile(classPath, renamed(vector(ZMF100), "mode-a.bin", "X"), []),
	},
	{
		name: "mode D, 2400 Bd, on a paced line",
		run: (classPath) => readFile(classPath, vector("ebz-dd3-push"), ["--baud-pace"], ["listen", "2400"]),
	},
	{
		name: "mode D, 9600 Bd, on a paced line",
		run: (classPath) =>
			readFile(classPath, vector("hager-ehz161wa-push"), ["--baud-pace", "--baud", "9600"], ["listen", "9600"]),
	},
	{
		name: "a wrong check is detected",
		run: (classPath) => assert.rejects(readFile(classPath, vector(LK13), ["--wrong-bcc", "1"]), /BCC.*does not match/),
	},
	{
		name: "the built-in household",
		async run(classPath) {
			const output = await withMeter(["--baud-pace", "--baud", "19200"], (path) =>
				run("java", ["-cp", classPath, "ReadMeter", path, "read"]),
			);
			assert.match(output, /^ident\tGWS\tHOUSE-3P\t\n/);
			assert.match(output, /\nset\t1\.8\.0\t0\d{5}\.\d{3}\tkWh\n/);
			assert.match(output, /\nset\t72\.7\.0\t2\d\d\.\d\tV\n/);
		},
	},
];

/**
 * Gurux' `gurux.dlms` for Java, from Maven Central, as a DLMS meter on a pseudo-terminal. The few lines in java/ give
 * it objects and keys. It does not check invocation counters. The server of the Python package 1.0.203 does not work:
 * its `initialize` and `handleRequest` call missing functions.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openPseudoTerminal } from "../../tools/meter/pseudo-terminal.js";
import { download, PEER_SOURCES, PEERS_FOLDER, run } from "./peer.js";

const MAVEN = "https://repo1.maven.org/maven2/org/gurux";
const JARS = [
	[
		`${MAVEN}/gurux.dlms/4.0.47/gurux.dlms-4.0.47.jar`,
		"ffa0ad4027cb3ab6d1402bc4d50dc513cbc34568bcbb69bdb31d7b4da9d944e4",
	],
	[
		`${MAVEN}/gurux.common/1.0.17/gurux.common-1.0.17.jar`,
		"97232801599dab6eae237b6a027685a1a9b5474e5803d5bdb51d6e8e6da5ea71",
	],
] as const;

/** Longer than the smallest APDU size of the server. */
const LONG_TEXT =
	"0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 and so on up to this point";

/** Contents of the server's objects: class, `A.B.C.D.E.F`, value as decimal or text, unit. */
export const guruxObjects = [
	{ classId: 8, code: "0.0.1.0.0.255", value: "2026-06-21T18:30:00+00:00", unit: "" },
	{ classId: 1, code: "0.0.42.0.0.255", value: "GWS0000048151623", unit: "" },
	{ classId: 1, code: "0.0.96.1.0.255", value: "48151623", unit: "" },
	{ classId: 1, code: "0.0.96.1.1.255", value: LONG_TEXT, unit: "" },
	{ classId: 1, code: "0.0.43.1.0.255", value: "0", unit: "" },
	{ classId: 3, code: "1.0.1.8.0.255", value: "12572239", unit: "Wh" },
	{ classId: 3, code: "1.0.2.8.0.255", value: "9007199254740.993", unit: "Wh" },
	{ classId: 3, code: "1.0.16.7.0.255", value: "-1234", unit: "W" },
	{ classId: 3, code: "1.0.32.7.0.255", value: "230.4", unit: "V" },
	{ classId: 3, code: "1.0.52.7.0.255", value: "231.5", unit: "V" },
	{ classId: 4, code: "1.0.1.6.0.255", value: "3702", unit: "W" },
] as const;

const PROGRAMS = ["ServeMeter.java", "ServeYear.java"];

/** Compiles the servers; returns their class path. */
export async function prepareGuruxServer(): Promise<string> {
	const jars: string[] = [];
	for (const [url, sha256] of JARS) jars.push(await download(url, sha256));
	const classes = join(PEERS_FOLDER, "gurux-classes");
	mkdirSync(classes, { recursive: true });
	const sources = PROGRAMS.map((name) => join(PEER_SOURCES, "java", name));
	await run("javac", ["-d", classes, "-cp", jars.join(":"), ...sources]);
	return [classes, ...jars].join(":");
}

/** Runs the server with these options (see ServeMeter.java) while `use` runs, which gets its pseudo-terminal's path. */
export async function withGuruxServer<T>(
	classPath: string,
	options: readonly string[],
	use: (path: string) => Promise<T>,
): Promise<T> {
	const port = await openPseudoTerminal();
	// The server's clock uses the computer's time zone.
	const args = ["-Duser.timezone=UTC", "-cp", classPath, "ServeMeter", ...options];
	const server = spawn("java", args, { stdio: ["pipe", "pipe", "inherit"] });
	try {
		const ended = once(server, "exit").then(([code]) => Promise.reject(new Error(`Gurux' server: exit code ${code}`)));
		ended.catch(() => {});
		// The server prints a byte when it listens.
		await Promise.race([once(server.stdout, "data"), ended]);
		port.onData((bytes) => server.stdin.write(bytes));
		server.stdout.on("data", (bytes: Buffer) => port.write(bytes));
		return await Promise.race([use(port.path), ended]);
	} finally {
		server.kill("SIGKILL");
		await port.close();
	}
}

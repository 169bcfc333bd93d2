/** Programs in Java with libraries from Maven Central. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PEER_SOURCES, PEERS_FOLDER, PeerMissing, run } from "./peer.js";

const BUILD_LIMIT_MS = 300_000;
/** The oldest Java on which the libraries run. hawkBit's Spring reads no newer classes. */
const RELEASE = "11";

/**
 * Fetches the libraries of java/NAME.xml and compiles `program` of java/peer; returns the class path. Throws
 * PeerMissing if they can't be fetched.
 */
export async function installJava(name: string, program: string): Promise<string> {
	const folder = join(PEERS_FOLDER, name);
	const [jars, classes, built] = ["jars", "classes", "built.txt"].map((one) => join(folder, one));
	const classPath = [classes, join(jars, "*")].join(":");
	if (existsSync(built)) return classPath;
	mkdirSync(classes, { recursive: true });
	const pom = join(PEER_SOURCES, "java", `${name}.xml`);
	try {
		const goal = ["dependency:copy-dependencies", `-DoutputDirectory=${jars}`, "-DincludeScope=runtime"];
		await run("mvn", ["-q", "-B", "-f", pom, ...goal], {}, BUILD_LIMIT_MS);
	} catch (error) {
		if (error instanceof PeerMissing) throw error;
		throw new PeerMissing(`Maven could not fetch ${name}: ${(error as Error).message}`);
	}
	const source = join(PEER_SOURCES, "java", "peer", `${program}.java`);
	await run("javac", ["--release", RELEASE, "-d", classes, "-cp", join(jars, "*"), source]);
	writeFileSync(built, "");
	return classPath;
}

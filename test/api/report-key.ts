/** A manufacturer's key for tests of the diagnostic report, and its use on a gateway's reports. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pointOf } from "../../tools/ota/keys.js";
import { openReport, type Report } from "../../tools/report/open.js";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** The public key in the form of `HostInfo.reportKey`. */
export const REPORT_KEY = Buffer.from(pointOf(publicKey)).toString("hex");

export const REPORT_PRIVATE_KEY = privateKey;

/** Writes the public key into this folder, for `--report-key`. */
export function publicKeyFile(folder: string): string {
	const path = join(folder, "report.pem.pub");
	writeFileSync(path, publicKey.export({ type: "spki", format: "pem" }));
	return path;
}

/** Writes the private key into this folder. */
export function privateKeyFile(folder: string): string {
	const path = join(folder, "report.pem");
	writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
	return path;
}

/** Opens a report, which must be complete. */
export async function openWhole(file: Uint8Array): Promise<Report> {
	const report = await openReport(Buffer.from(file), privateKey);
	assert.equal(report.problem, "");
	return report;
}

/** The lines of each section, by its name. */
export function sectionsOf(text: string): Map<string, string[]> {
	const sections = new Map<string, string[]>();
	let lines: string[] = [];
	assert.ok(text.endsWith("\n"), "the last line is not terminated");
	for (const line of text.slice(0, -1).split("\n")) {
		const name = /^\[(\w+)\]$/.exec(line)?.[1];
		if (name === undefined) lines.push(line);
		else {
			assert.ok(!sections.has(name), `${name} twice`);
			lines = [];
			sections.set(name, lines);
		}
	}
	return sections;
}

/** Vulnerability statements of a release, and the scan, with OSV's replies as its documentation shows them. */
import assert from "node:assert/strict";
import { IDF_TAG } from "../../tools/doctor/checks.js";
import { makeSBOM, pagePackages } from "../../tools/release/sbom.js";
import { scan } from "../../tools/release/scan.js";
import {
	type Assessment,
	checkAssessments,
	makeVEX,
	readAssessments,
	type SBOM,
	unassessed,
} from "../../tools/release/vex.js";
import { ROOT } from "../../tools/sdk/sdk.js";

const BUILT_UTC_MS = Date.UTC(2026, 10, 27);
const SOURCES = { root: ROOT, sdk: undefined, idf: undefined };
const sbom: SBOM = JSON.parse(makeSBOM(SOURCES, "1.2.3", BUILT_UTC_MS));
const ROW: Assessment = {
	id: "CVE-2030-1",
	source: "https://nvd.nist.gov/vuln/detail/CVE-2030-1",
	component: "preact",
	state: "not_affected",
	justification: "code_not_reachable",
	detail: "The function is not called.",
	assessed: "2026-11-27",
};
const PREACT = sbom.components.find(({ name }) => name === "preact")!["bom-ref"];

/** Answers as OSV does: an object for each query, with `vulns` where there are any. */
function osv(found: Readonly<Record<string, readonly string[]>>) {
	return async (address: string, body: string) => {
		assert.equal(address, "https://api.osv.dev/v1/querybatch");
		const { queries } = JSON.parse(body) as { queries: { package: { purl: string } }[] };
		const results = queries.map(({ package: { purl } }) => {
			const ids = Object.entries(found).find(([name]) => purl.startsWith(`pkg:npm/${name}@`))?.[1];
			return ids === undefined ? {} : { vulns: ids.map((id) => ({ id, modified: "2026-11-01T00:00:00.000000Z" })) };
		});
		return JSON.stringify({ results });
	};
}

describe("The vulnerability statements of a release", () => {
	it("have each assessed one, with a link to its component in the SBOM", () => {
		const rows = readAssessments(ROOT, sbom);
		assert.ok(rows.length > 0);
		const { bomFormat, specVersion, metadata, vulnerabilities } = JSON.parse(makeVEX(sbom, rows, []));
		assert.deepEqual([bomFormat, specVersion], ["CycloneDX", "1.6"]);
		assert.equal(metadata.timestamp, new Date(BUILT_UTC_MS).toISOString());
		assert.equal(vulnerabilities.length, rows.length);
		const bluetooth = vulnerabilities.find(({ id }: { id: string }) => id === "CVE-2025-27840");
		assert.deepEqual(
			[bluetooth.analysis.state, bluetooth.analysis.justification],
			["not_affected", "code_not_present"],
		);
		const serial = sbom.serialNumber.replace("urn:uuid:", "");
		assert.deepEqual(bluetooth.affects, [{ ref: `urn:cdx:${serial}/1#ESP-IDF` }]);
		assert.equal(makeVEX(sbom, rows, []), makeVEX(sbom, rows, []));
	});

	it("speak of the ESP-IDF that the documents ask for", () => {
		const named = readAssessments(ROOT, sbom).flatMap(({ detail }) => detail.match(/(?<=ESP-IDF )v[\d.]*\d/) ?? []);
		assert.deepEqual([...new Set(named)], [IDF_TAG]);
	});

	it("refuse rows that say too little", () => {
		const check = (change: Partial<Assessment>) => checkAssessments([{ ...ROW, ...change }], sbom, "file");
		check({});
		for (const [change, reason] of [
			[{ component: "leftpad" }, /names leftpad, which the SBOM lacks/],
			[{ state: "fine" }, /unknown state "fine"/],
			[{ justification: "trust me" }, /unknown justification "trust me"/],
			[{ detail: "" }, /needs a detail/],
			[{ assessed: "today" }, /YYYY-MM-DD/],
			[{ assessed: "2026-09-27" }, /more than 60 days ago/],
		] as const)
			assert.throws(() => check(change), reason);
		const { justification: _, ...bare } = ROW;
		assert.throws(() => checkAssessments([bare], sbom, "file"), /CVE-2030-1 needs a justification/);
		assert.throws(() => checkAssessments([ROW, ROW], sbom, "file"), /occurs twice for preact/);
	});
});

describe("The scan of an SBOM", () => {
	it("finds the vulnerabilities of packages, and names the components that OSV does not know", async () => {
		const { findings, unknown, skipped } = await scan(sbom, osv({ preact: ["CVE-2030-1", "GHSA-xxxx-yyyy-zzzz"] }));
		assert.equal(skipped, "");
		assert.deepEqual(findings, [
			{ id: "CVE-2030-1", ref: PREACT },
			{ id: "GHSA-xxxx-yyyy-zzzz", ref: PREACT },
		]);
		assert.ok(unknown.includes("Mbed TLS") && unknown.includes("ESP-IDF"));
		assert.equal(unknown.length, sbom.components.length - pagePackages(ROOT).length);
	});

	it("leaves those in triage that nobody has assessed, under any of their ids", async () => {
		const { findings } = await scan(sbom, osv({ preact: ["CVE-2030-1", "GHSA-xxxx-yyyy-zzzz", "GHSA-new"] }));
		const open = unassessed([{ ...ROW, aliases: ["GHSA-xxxx-yyyy-zzzz"] }], findings, sbom);
		assert.deepEqual(open, [{ id: "GHSA-new", ref: PREACT }]);
		assert.equal(unassessed([{ ...ROW, component: "ESP-IDF" }], findings, sbom).length, 3);
		const { vulnerabilities } = JSON.parse(makeVEX(sbom, [ROW], open));
		const states = vulnerabilities.map((one: { id: string; analysis: { state: string } }) => [
			one.id,
			one.analysis.state,
		]);
		assert.deepEqual(states.sort(), [
			["CVE-2030-1", "not_affected"],
			["GHSA-new", "in_triage"],
		]);
	});

	it("is skipped with the reason if OSV can't be reached, or answers something else", async () => {
		const offline = async () => {
			throw new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND api.osv.dev") });
		};
		const { findings, skipped } = await scan(sbom, offline);
		assert.deepEqual(findings, []);
		assert.equal(skipped, "fetch failed: getaddrinfo ENOTFOUND api.osv.dev");
		for (const answer of ["<html>", "{}", '{"results":[]}'])
			assert.notEqual((await scan(sbom, async () => answer)).skipped, "", answer);
	});
});

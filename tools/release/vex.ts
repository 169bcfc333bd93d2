/**
 * Makes the vulnerability statements of a release (VEX, CycloneDX 1.6), in a file beside the SBOM. They refer to
 * components of the SBOM. vulnerabilities.json contains the vulnerabilities that were assessed. Other vulnerabilities
 * that a scan finds are stated as "in triage".
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";

export interface Assessment {
	readonly id: string;
	/** Other ids of the same vulnerability, such as GHSA-…. */
	readonly aliases?: readonly string[];
	readonly source: string;
	/** Name of the affected component in the SBOM. */
	readonly component: string;
	readonly state: string;
	/** Reason why the firmware is not affected. Required for `not_affected`. */
	readonly justification?: string;
	readonly detail: string;
	/** Day of the assessment, YYYY-MM-DD. */
	readonly assessed: string;
}

export interface Finding {
	readonly id: string;
	/** `bom-ref` of the component. */
	readonly ref: string;
}

export interface SBOM {
	readonly serialNumber: string;
	readonly version: number;
	readonly metadata: { readonly timestamp: string; readonly component: object };
	readonly components: readonly {
		readonly "bom-ref": string;
		readonly name: string;
		readonly version: string;
		readonly purl?: string;
	}[];
}

/** Longest time since an assessment, days: new versions of a fault's description may have come since. */
const ASSESSED_DAYS = 60;
const DAY_MS = 86_400_000;
const OSV = "https://osv.dev/vulnerability/";

/** Reads the assessments. If a row is incomplete, throws an Error with a message for the user. */
export function readAssessments(root: string, sbom: SBOM): readonly Assessment[] {
	const file = join("tools", "release", "vulnerabilities.json");
	const rows: readonly Assessment[] = JSON.parse(readFileSync(join(root, file), "utf8"));
	checkAssessments(rows, sbom, file);
	return rows;
}

export function checkAssessments(rows: readonly Assessment[], { components, metadata }: SBOM, file: string): void {
	const seen = new Set<string>();
	for (const { id, component, state, justification, detail, assessed } of rows) {
		const wrong = (what: string) => new Error(`${file}: ${id} ${what}.`);
		if (seen.has(`${id} ${component}`)) throw wrong(`occurs twice for ${component}`);
		seen.add(`${id} ${component}`);
		if (!components.some(({ name }) => name === component)) throw wrong(`names ${component}, which the SBOM lacks`);
		if (!isOneOf(Enums.Vulnerability.AnalysisState, state)) throw wrong(`has the unknown state "${state}"`);
		if (justification !== undefined && !isOneOf(Enums.Vulnerability.AnalysisJustification, justification))
			throw wrong(`has the unknown justification "${justification}"`);
		if (state === "not_affected" && justification === undefined) throw wrong("needs a justification");
		if (!detail) throw wrong("needs a detail: what it is, and why the state is that");
		if (!/^\d{4}-\d\d-\d\d$/.test(assessed)) throw wrong("needs the day of the assessment, YYYY-MM-DD");
		if (Date.parse(metadata.timestamp) > Date.parse(assessed) + ASSESSED_DAYS * DAY_MS)
			throw wrong(
				`was assessed on ${assessed}, more than ${ASSESSED_DAYS} days ago: read its source again, and set the day`,
			);
	}
}

export function unassessed(rows: readonly Assessment[], findings: readonly Finding[], { components }: SBOM): Finding[] {
	return findings.filter(({ id, ref }) => {
		const name = components.find((one) => one["bom-ref"] === ref)?.name;
		return !rows.some((row) => row.component === name && (row.id === id || row.aliases?.includes(id)));
	});
}

/** Makes the file. `open` lists the findings that nobody has assessed yet. */
export function makeVEX(sbom: SBOM, rows: readonly Assessment[], open: readonly Finding[]): string {
	const bom = new Models.Bom({ metadata: new Models.Metadata({ timestamp: new Date(sbom.metadata.timestamp) }) });
	for (const row of rows) {
		const { "bom-ref": ref } = sbom.components.find(({ name }) => name === row.component)!;
		bom.vulnerabilities.add(
			statement(sbom, ref, {
				id: row.id,
				source: row.source,
				updated: new Date(row.assessed),
				state: row.state,
				justification: row.justification,
				detail: row.detail,
			}),
		);
	}
	for (const { id, ref } of open)
		bom.vulnerabilities.add(statement(sbom, ref, { id, source: OSV + id, state: "in_triage" }));
	const spec = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
	return `${new Serialize.JsonSerializer(spec).serialize(bom, { sortLists: true, space: "\t" })}\n`;
}

interface Statement {
	readonly id: string;
	readonly source: string;
	readonly updated?: Date;
	readonly state: string;
	readonly justification?: string | undefined;
	readonly detail?: string;
}

function statement(sbom: SBOM, ref: string, { id, source, updated, state, justification, detail }: Statement) {
	const serial = sbom.serialNumber.replace("urn:uuid:", "");
	const link = new Models.BomLinkElement(`urn:cdx:${serial}/${sbom.version}#${encodeURIComponent(ref)}`);
	return new Models.Vulnerability.Vulnerability({
		// The reference is not random, because the same input must give the same file.
		bomRef: `${id} ${ref}`,
		id,
		source: new Models.Vulnerability.Source({ name: new URL(source).hostname, url: source }),
		...(updated === undefined ? {} : { updated }),
		analysis: new Models.Vulnerability.Analysis({
			state: state as Enums.Vulnerability.AnalysisState,
			...(justification === undefined
				? {}
				: { justification: justification as Enums.Vulnerability.AnalysisJustification }),
			...(detail === undefined ? {} : { detail }),
		}),
		affects: new Models.Vulnerability.AffectRepository([new Models.Vulnerability.Affect(link)]),
	});
}

function isOneOf(values: Readonly<Record<string, string>>, value: string): boolean {
	return Object.values(values).includes(value);
}

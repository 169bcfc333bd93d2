/**
 * Looks up known vulnerabilities of the components in an SBOM at OSV
 * (https://google.github.io/osv.dev/post-v1-querybatch/). It looks up those components whose package URL has an
 * ecosystem that OSV covers. If OSV does not answer, there are no findings, and the result says so.
 */
import type { Finding, SBOM } from "./vex.js";

const ADDRESS = "https://api.osv.dev/v1/querybatch";
const LIMIT_MS = 20_000;
/** Package URLs of the ecosystems that OSV looks up by version. */
const KNOWN = /^pkg:npm\//;

export interface Scan {
	readonly findings: readonly Finding[];
	/** Names of the components that OSV cannot look up. A person must assess them. */
	readonly unknown: readonly string[];
	/** Reason why there is no result, or "" if there is one. */
	readonly skipped: string;
}

/** Sends a request and returns the answer. Throws if there is none. */
export type Ask = (address: string, body: string) => Promise<string>;

interface Reply {
	readonly results: readonly {
		readonly vulns?: readonly { readonly id: string }[];
		readonly next_page_token?: string;
	}[];
}

export async function scan({ components }: SBOM, ask: Ask = post): Promise<Scan> {
	const asked = components.filter(({ purl }) => purl !== undefined && KNOWN.test(purl));
	const unknown = components.filter((one) => !asked.includes(one)).map(({ name }) => name);
	const queries = asked.map(({ purl }) => ({ package: { purl } }));
	try {
		const { results } = JSON.parse(await ask(ADDRESS, JSON.stringify({ queries }))) as Reply;
		if (results?.length !== asked.length) throw new Error("its answer has another number of results");
		if (results.some(({ next_page_token }) => next_page_token !== undefined))
			throw new Error("its answer has more pages than one");
		const findings = results.flatMap(({ vulns = [] }, index) =>
			vulns.map(({ id }) => ({ id, ref: asked[index]["bom-ref"] })),
		);
		return { findings, unknown, skipped: "" };
	} catch (error) {
		const { message, cause } = error as Error;
		return { findings: [], unknown, skipped: cause instanceof Error ? `${message}: ${cause.message}` : message };
	}
}

async function post(address: string, body: string): Promise<string> {
	const reply = await fetch(address, { method: "POST", body, signal: AbortSignal.timeout(LIMIT_MS) });
	if (!reply.ok) throw new Error(`it answers ${reply.status}`);
	return reply.text();
}

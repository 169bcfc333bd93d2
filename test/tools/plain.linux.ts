/**
 * Compares the firmware before and after its reduction (tools/sdk): the same requests must get the same replies. A
 * fault of the reduced firmware alone is a fault of the build.
 */
import assert from "node:assert/strict";
import { DOCUMENT } from "../../tools/api/document.js";
import { buildFirmware } from "../../tools/sdk/linux.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { iecVectors } from "../vectors.js";

/**
 * Parts left out of both firmwares: with all parts, the unreduced one would have more names than the 8192 of the SDK's
 * linker.
 */
const LEFT_OUT = ["hawkbit", "provision", "backfill", "tic", "kmp", "mbus", "amis"];

const { paths } = DOCUMENT;
/** Settings: the test reads all, and sends each a value that is refused with a message. */
const SETTINGS = Object.keys(paths)
	.filter((path) => paths[path].get !== undefined && paths[path].post !== undefined)
	// The certificate differs between processes.
	.filter((path) => !path.endsWith("/certificate"))
	.map((path) => path.replace("/api/v1/", ""));
const TELEGRAMS = iecVectors()
	.filter(({ telegram }) => telegram.length > 300)
	.slice(0, 3);
/** These include names of built-ins that would crash the machine if they were looked up (tools/sdk/stripped.ts). */
const BODIES = [
	...["{", "[]", '{"enabled":7}', '{"no_such":null}', '{"enabled":false,"enabled":true}'],
	...['{"__proto__":7}', '{"constructor":{"prototype":null}}', '{"size":1,"description":"","RegExp":[]}'],
];
/** Members that depend on the time or the process; in the metrics, all numbers. */
const OF_THE_MOMENT = /"(\w*time\w*|utc|created|serial\w*|hostname)":("[^"]*"|[^,}]*)|^(gateway|smartmeter)_.*$/gm;

async function collectReplies(): Promise<string[]> {
	const gateway = await ProcessGateway.start("linux", { mode: "ap", args: ["--without", LEFT_OUT.join()] });
	const replies: string[] = [];
	const sendRequest = async (method: string, path: string, body?: string) => {
		const headers = body === undefined ? {} : { "Content-Type": "application/json" };
		const { status, text } = await gateway.request(method, path, { body, headers });
		replies.push(
			`${method} ${path} ${body ?? ""} ${status} ${text.replaceAll(OF_THE_MOMENT, '"$1"').replaceAll(/smgw[-/]\w+/g, "smgw")}`,
		);
	};
	try {
		await gateway.login();
		for (const path of SETTINGS) {
			await sendRequest("GET", path);
			for (const body of BODIES) await sendRequest("POST", path, body);
		}
		for (const { telegram } of TELEGRAMS) {
			await gateway.connectMeter({ telegram });
			await sendRequest("GET", "iec62056/read");
		}
		for (const path of [
			"system/version",
			"meter/history",
			"meter/protocol?x=1",
			"metrics",
			"no/such",
			"__proto__?__proto__=1",
		])
			await sendRequest("GET", path);
		await sendRequest("GET", "/");
	} finally {
		await gateway.stop();
	}
	return replies;
}

describe("The unreduced firmware", function () {
	this.timeout(300_000);

	it("gives the same replies as the reduced one", async () => {
		const smaller = await collectReplies();
		process.env["GATEWAY_PLAIN"] = "all";
		try {
			await buildFirmware({ main: "hosts/linux/main", without: LEFT_OUT });
			const plain = await collectReplies();
			assert.ok(smaller.length > 50 && smaller.some((line) => line.includes("readings")), `${smaller.length}`);
			for (const [index, line] of plain.entries()) assert.equal(smaller[index], line);
		} finally {
			delete process.env["GATEWAY_PLAIN"];
		}
	});
});

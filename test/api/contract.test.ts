/** One suite, three worlds: the API on virtual time, and as `npm start` runs it with each engine. */
import assert from "node:assert/strict";
import { accessChecks } from "./access-checks.js";
import { bodyChecks } from "./body-checks.js";
import type { TestGateway } from "./gateway.js";
import { meterChecks } from "./meter-checks.js";
import { ProcessGateway } from "./process-gateway.js";
import { accessPointChecks, plainHTTPChecks, routingChecks } from "./routing-checks.js";
import { settingsChecks } from "./settings-checks.js";
import { VirtualGateway } from "./virtual-gateway.js";

/** A stack in what the gateway traces: an exception that its guard caught. */
const MISTAKE = /^\s+at /m;

type Mode = "client" | "ap";
type Checks = (gateway: () => TestGateway) => void;

const WORLDS: readonly { name: string; start(mode: Mode): Promise<TestGateway> }[] = [
	{ name: "on virtual time", start: async (mode) => new VirtualGateway(mode) },
	{ name: "in a process, engine node", start: (mode) => ProcessGateway.start("node", { mode }) },
	{ name: "in a process, engine xs", start: (mode) => ProcessGateway.start("xs", { mode }) },
];

for (const { name, start } of WORLDS) {
	describe(`The API ${name}`, function () {
		this.timeout(30_000);
		suite(
			() => start("client"),
			[settingsChecks, routingChecks, plainHTTPChecks, accessChecks, bodyChecks, meterChecks],
		);

		describe("in access point mode", () => {
			suite(() => start("ap"), [accessPointChecks]);
		});
	});
}

function suite(start: () => Promise<TestGateway>, checks: readonly Checks[]): void {
	let gateway: TestGateway | undefined;

	before(async () => {
		gateway = await start();
	});
	beforeEach(() => gateway?.reset());
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
	});
	after(async () => {
		await gateway?.stop();
		assert.doesNotMatch(gateway?.diagnosis ?? "", MISTAKE, "the gateway made a mistake of its own");
	});

	for (const check of checks) check(() => gateway!);
}

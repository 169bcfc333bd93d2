/** The black-box suite of the API, for any world that the gateway runs in. */
import assert from "node:assert/strict";
import { accessChecks } from "./access-checks.js";
import { bodyChecks } from "./body-checks.js";
import type { TestGateway } from "./gateway.js";
import { meterChecks } from "./meter-checks.js";
import { accessPointChecks, plainHTTPChecks, routingChecks } from "./routing-checks.js";
import { settingsChecks } from "./settings-checks.js";

/** A stack in what the gateway traces: an exception that its guard caught. */
const MISTAKE = /^\s+at /m;

export type Mode = "client" | "ap";
type Checks = (gateway: () => TestGateway) => void;

/** `start` gives a gateway on new flash, in that mode. */
export function contract(name: string, start: (mode: Mode) => Promise<TestGateway>): void {
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

/**
 * The black-box test suite of the API, for every build of the gateway: `npm start` with either engine, firmware on
 * Linux, and the gateway in virtual time.
 */
import { accessChecks } from "./access-checks.js";
import { backupChecks } from "./backup-checks.js";
import { bodyChecks } from "./body-checks.js";
import { canaryChecks } from "./canary-checks.js";
import { certificateChecks } from "./certificate-checks.js";
import { clockChecks } from "./clock-checks.js";
import { crowdChecks } from "./crowd-checks.js";
import { dlmsChecks } from "./dlms-checks.js";
import type { TestGateway } from "./gateway.js";
import { historyChecks } from "./history-checks.js";
import { hubChecks } from "./hub-checks.js";
import { liveChecks } from "./live-checks.js";
import { meterChecks } from "./meter-checks.js";
import { mqttChecks } from "./mqtt-checks.js";
import { networkChecks } from "./network-checks.js";
import { pageChecks, plainPageChecks } from "./page-checks.js";
import { passwordChecks, plainPasswordChecks } from "./password-checks.js";
import { pricesChecks } from "./prices-checks.js";
import { accessPointChecks, plainHTTPChecks, routingChecks } from "./routing-checks.js";
import { scheduleChecks } from "./schedule-checks.js";
import { settingsChecks } from "./settings-checks.js";
import { systemChecks } from "./system-checks.js";
import { tokenChecks } from "./token-checks.js";
import { transitionChecks } from "./transition-checks.js";
import { walkErrorChecks } from "./walk-error-checks.js";
import { walkFieldChecks } from "./walk-field-checks.js";
import { walkLimitChecks } from "./walk-limit-checks.js";
import { walkOrderChecks, walkPlainChecks } from "./walk-order-checks.js";
import { walkRouteChecks } from "./walk-route-checks.js";
import { zigbeeChecks } from "./zigbee-checks.js";

export type Mode = "client" | "ap";
export type Checks = (gateway: () => TestGateway) => void;

/** Parts of the suite that can run in parallel, in files of their own. */
export const PARTS = {
	basics: {
		client: [
			settingsChecks,
			systemChecks,
			certificateChecks,
			clockChecks,
			routingChecks,
			pageChecks,
			plainHTTPChecks,
			accessChecks,
			crowdChecks,
			bodyChecks,
		],
		ap: [accessPointChecks, plainPageChecks, plainPasswordChecks],
	},
	meter: {
		client: [
			meterChecks,
			liveChecks,
			historyChecks,
			passwordChecks,
			tokenChecks,
			transitionChecks,
			scheduleChecks,
			dlmsChecks,
			zigbeeChecks,
			pricesChecks,
		],
		ap: [],
	},
	peers: {
		client: [hubChecks, mqttChecks, backupChecks, networkChecks, canaryChecks],
		ap: [],
	},
	eachRoute: {
		client: [walkErrorChecks, walkLimitChecks, walkOrderChecks, walkFieldChecks, walkRouteChecks],
		ap: [walkPlainChecks],
	},
	/** A short check that the API answers and the meter is read. */
	smoke: { client: [settingsChecks, pageChecks, historyChecks], ap: [] },
} satisfies Record<string, { client: readonly Checks[]; ap: readonly Checks[] }>;

export type Part = keyof typeof PARTS;
const WHOLE: readonly Part[] = ["basics", "meter", "peers", "eachRoute"];

/**
 * Defines the suite. `start` starts a gateway with empty flash in the given mode. Without `parts` the whole suite runs.
 */
export function contract(name: string, start: (mode: Mode) => Promise<TestGateway>, parts = WHOLE): void {
	const checksOf = (mode: Mode): readonly Checks[] => parts.flatMap((part): readonly Checks[] => PARTS[part][mode]);

	describe(`The API ${name}`, function () {
		this.timeout(120_000);
		suite(() => start("client"), checksOf("client"));
		if (checksOf("ap").length > 0) describe("in access point mode", () => suite(() => start("ap"), checksOf("ap")));
	});
}

/** Defines the tests of a gateway that `start` starts. */
export function suite(start: () => Promise<TestGateway>, checks: readonly Checks[]): void {
	let gateway: TestGateway | undefined;

	before(async () => {
		gateway = await start();
	});
	beforeEach(() => gateway?.reset());
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
	});
	after(async () => {
		gateway?.checkTraces();
		await gateway?.stop();
	});

	for (const check of checks) check(() => gateway!);
}

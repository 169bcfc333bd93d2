import type { TestGateway } from "./gateway.js";
import { noRadioChecks } from "./network-checks.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

describe("The API without a radio", () => {
	let gateway: TestGateway;

	before(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, radio: false });
	});
	after(() => gateway.stop());

	noRadioChecks(() => gateway);
});

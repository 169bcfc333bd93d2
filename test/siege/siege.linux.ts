/** The firmware on Linux, its native core among strangers: for seconds each. Minutes of it are in siege.long.ts. */
import { ProcessGateway } from "../api/process-gateway.js";
import { ATTACKS } from "./attacks.js";
import { besiege } from "./check.js";

const MS = 10_000;

describe("The firmware on Linux under siege", function () {
	this.timeout(120_000);
	let gateway: ProcessGateway;
	before(async () => {
		gateway = await ProcessGateway.start("linux", { mode: "ap" });
		await gateway.connectMeter({ telegram: Buffer.from("/XXX5T\r\n\r\n1-0:1.8.0(000123.45*kWh)\r\n!\r\n") });
	});
	after(() => gateway?.stop());

	for (const [what, names] of [
		...Object.keys(ATTACKS).map((name) => [name, [name]] as const),
		["all at once", Object.keys(ATTACKS)] as const,
	])
		it(`serves its owner among ${what}`, async function () {
			this.test!.title += ` (${await besiege(gateway, names, MS)})`;
		});
});

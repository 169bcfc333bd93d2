/** Memory that the firmware takes with Ethernet on the microcontroller, measured as in memory.linux.ts. */
import { ProcessGateway } from "../api/process-gateway.js";
import { CABLED, probe } from "./memory-limits.js";

describe("Memory of the firmware on Linux, with a cable", function () {
	this.timeout(120_000);
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await ProcessGateway.loggedIn("linux", { args: ["--cable"] });
		await gateway.untilNetwork((status) => status.interface === "ethernet");
		await gateway.post("system/logout");
	});
	after(() => gateway?.stop());

	it("is small once Ethernet has an address", async function () {
		await probe(gateway, this, CABLED);
	});
});

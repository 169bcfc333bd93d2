/** The firmware on Linux without all that can be left out: the SDK's linker accepts it, and it starts and reads. */
import assert from "node:assert/strict";
import { OMISSIONS } from "../../tools/sdk/omissions.js";
import { isError, vectorOf } from "./gateway.js";
import { ProcessGateway } from "./process-gateway.js";

/** The radio is left out by --zigbee none, which is the default here. */
const NAMES = Object.keys(OMISSIONS).filter((name) => name !== "zigbee");

describe("The firmware on Linux without some parts and protocols", function () {
	this.timeout(600_000);
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await ProcessGateway.loggedIn("linux", { isAhead: true, args: ["--without", NAMES.join(",")] });
	});
	after(() => gateway?.stop());

	it("starts, serves the page, and lists its omissions in the version", async () => {
		assert.equal((await gateway.read("system/status"))["without"], NAMES.join(" "));
		assert.equal((await gateway.get("/")).status, 200);
	});

	it("refuses routes and protocols that were left out", async () => {
		isError(await gateway.get("mqtt"), 404, "not_found");
		isError(await gateway.post("mqtt", { enabled: true }), 501, "unsupported");
		isError(await gateway.post("meter/protocol", { protocol: "sml" }), 501, "unsupported", "protocol");
	});

	it("reads a meter", async () => {
		const { telegram, readings } = vectorOf("landis-gyr-zmf100-m26-padded-left");
		await gateway.connectMeter({ telegram });
		assert.equal((await gateway.read("iec62056/read"))["readings"].length, readings.length);
	});
});

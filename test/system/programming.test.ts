/** IEC 62056-21 programming mode with a password in XS; faults are tested in test/api/profile.test.ts, in Node. */
import assert from "node:assert/strict";
import { isError } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";

const PASSWORD = "a pass w0rd";
const WRONG = "12345678";

describe("A meter that needs a password for its load profile, in XS", function () {
	this.timeout(60_000);
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await ProcessGateway.loggedIn("xs");
		for (const secret of [PASSWORD, WRONG]) gateway.plant(secret);
		await gateway.connectProgram(["--profile", "programming", "--profile-password", PASSWORD, "--echo", "--quiet"]);
		await gateway.write("iec62056/control", { log_en: true });
	});
	after(() => gateway.stop());

	it("sends the profile for the right password, and the log never shows the password", async () => {
		assert.equal((await gateway.write("iec62056/config", { password: PASSWORD })).password_set, true);
		assert.equal((await gateway.read("meter/profile?entries=12")).rows.length, 12);
		assert.ok((await gateway.read("iec62056/log")).entries.length > 4);
		gateway.checkTraces();
	});
	it("refuses a wrong password", async () => {
		await gateway.write("iec62056/config", { password: WRONG });
		const reply = await gateway.get("meter/profile?entries=12");
		isError(reply, 500, "meter_auth_failed");
		assert.equal(JSON.parse(reply.text).code, "iec62056-21/password");
		assert.ok((await gateway.read("iec62056/log")).entries.length > 4);
		gateway.checkTraces();
	});
});

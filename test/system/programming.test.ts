/** Programming mode of IEC 62056-21 with a password: `npm run meter` on a pseudo-terminal, the gateway with either engine. */
import assert from "node:assert/strict";
import { isError } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";

const PASSWORD = "a pass w0rd";
const WRONG = "12345678";

for (const engine of ["node", "xs"] as const) {
	describe(`meters that want a password for their load profile, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await ProcessGateway.start(engine);
			await gateway.login();
			for (const secret of [PASSWORD, WRONG]) gateway.plant(secret);
		});
		after(() => gateway.stop());

		const connect = async (password: string, more: readonly string[] = []) => {
			const args = ["--profile", "programming", "--profile-password", PASSWORD, "--quiet", ...more];
			await gateway.connectProgram(args);
			assert.equal((await gateway.write("iec62056/config", { password })).password_set, true);
		};

		it("give it, and the log shows no password, nor that in the head's echo", async () => {
			await connect(PASSWORD, ["--echo"]);
			await gateway.write("iec62056/control", { log_en: true });
			assert.equal((await gateway.read("meter/profile?entries=12")).rows.length, 12);
			assert.ok((await gateway.read("iec62056/log")).entries.length > 4);
			await gateway.write("iec62056/control", { log_en: false });
			gateway.checkTraces();
		});
		it("are given a wrong one once for each who asks, and then are locked", async () => {
			await connect(WRONG, ["--profile-tries", "2", "--profile-fault", "password-error"]);
			const codes: string[] = [];
			for (const password of [WRONG, PASSWORD, WRONG, PASSWORD]) {
				await gateway.write("iec62056/config", { password });
				const reply = await gateway.get("meter/profile?entries=12");
				if (reply.status !== 200) isError(reply, 500, "meter_auth_failed");
				codes.push(JSON.parse(reply.text).code ?? "");
			}
			const refused = "iec62056-21/password";
			assert.deepEqual(codes, [refused, "", refused, refused]);
		});
	});
}

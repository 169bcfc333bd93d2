/**
 * Development keys: the commands that the simulator or the firmware on Linux prints suffice to update the program and
 * to open its report.
 */
import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { readPrivateKey } from "../../tools/ota/key-files.js";
import { main } from "../../tools/ota/program.js";
import { openReport } from "../../tools/report/open.js";
import { isError } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";

function reportOf({ httpsPort, token }: ProcessGateway): Promise<Buffer> {
	const headers = { Authorization: `Bearer ${token}` };
	const where = { host: "127.0.0.1", port: httpsPort, path: "/api/v1/system/diagnostic", agent: false as const };
	return new Promise((resolve, reject) => {
		const asking = get({ ...where, headers, rejectUnauthorized: false }, async (response) => {
			assert.equal(response.statusCode, 200);
			resolve(Buffer.concat(await response.toArray()));
		});
		asking.on("error", reject);
	});
}

for (const engine of byRun({ test: ["node", "xs"], linux: ["linux"] })) {
	describe(`Keys of ${engine === "linux" ? "npm run linux" : `npm start -- --engine ${engine}`}`, function () {
		this.timeout(120_000);
		let gateway: ProcessGateway | undefined;
		afterEach(async function () {
			if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
			await gateway?.stop();
			gateway = undefined;
		});

		it("are made at the first start, so that the printed commands update the gateway and open its report", async () => {
			gateway = await ProcessGateway.start(engine, { hasSimulatorKeys: true });
			const { stateFolder, httpsPort, diagnosis } = gateway;
			for (const name of ["update.key", "report.key"])
				assert.equal(statSync(join(stateFolder, name)).mode & 0o777, 0o600, name);

			const [, keyFile] = /^Open a report: npm run report -- open FILE --key (\S+)$/m.exec(diagnosis) ?? [];
			assert.ok(keyFile, diagnosis);
			await gateway.login();
			const { text, problem } = await openReport(await reportOf(gateway), readPrivateKey(keyFile));
			assert.deepEqual([problem, /^board\b/m.test(text)], ["", true]);

			const [, command] = /^Try an update: npm run ota -- (.+)$/m.exec(diagnosis) ?? [];
			assert.ok(command, diagnosis);
			const { version } = (await gateway.read("system/version")).firmware;
			const lines: string[] = [];
			const words = command.split(" ").map((word) => (word === "PORT" ? String(httpsPort) : word));
			const log = (line: string) => void lines.push(line);
			assert.equal(await main(words, { log, error: log }), 0, lines.join("\n"));
			await gateway.loginAfterReboot();
			const { firmware } = await gateway.read("system/version");
			assert.notEqual(firmware.version, version);
			assert.equal(lines.at(-1)?.split(" ")[0], firmware.version);
			assert.equal((await gateway.read("system/status")).ota_state, "trial");
		});

		it("are not made if switched off; the gateway then has no updates and no reports", async () => {
			gateway = await ProcessGateway.loggedIn(engine, { args: ["--update-key", "none", "--report-key", "none"] });
			isError(await gateway.get("system/diagnostic"), 501, "unsupported");
			isError(await gateway.post("system/ota"), 501, "unsupported");
			for (const name of ["update.key", "report.key"]) assert.ok(!existsSync(join(gateway.stateFolder, name)), name);
			assert.doesNotMatch(gateway.diagnosis, /Try an update|Open a report/);
		});
	});
}

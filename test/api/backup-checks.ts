/** Saves and restores a backup, for every build of the gateway (contract.ts). backup.test.ts checks the rest. */
import assert from "node:assert/strict";
import { isError, type TestGateway } from "./gateway.js";

export function backupChecks(gateway: () => TestGateway): void {
	describe("a backup", () => {
		it("restores changed settings, and changes nothing if one value is invalid", async () => {
			const file = await gateway().read("system/backup");
			const { settings } = file;
			await gateway().write("meter/protocol", { protocol: "dlms" });
			await gateway().write("dlms/obis", { entries: [] });
			const changed = (await gateway().read("system/backup")).settings;
			assert.notDeepEqual(changed, settings);
			const bad = { ...file, settings: { ...settings, hub: { ...settings.hub, lang: "xx" } } };
			isError(await gateway().post("system/backup", bad), 400, "invalid_field", "hub.lang");
			assert.deepEqual((await gateway().read("system/backup")).settings, changed);
			const { ignored, restart } = await gateway().write("system/backup", { ...file, signature: "" });
			assert.deepEqual([ignored, restart], [[], false]);
			assert.deepEqual((await gateway().read("system/backup")).settings, settings);
		});
	});
}

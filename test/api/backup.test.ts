/** Settings as a file and back: nothing is lost on the way, nothing is half done, and no secret is ever in it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { isSetting, BACKUP_GROUPS } from "../../modules/api/backup-groups.js";
import { ENTRIES } from "../../modules/config/entries.js";
import { isError, type JSONObject } from "./gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

describe("A backup", () => {
	let gateway: VirtualGateway;
	beforeEach(async () => {
		gateway = new VirtualGateway();
		await gateway.login();
	});
	afterEach(() => gateway.stop());

	it("x", async () => {
		const reply = await gateway.get("system/backup");
		console.log(reply.headers, reply.text);
		const r = await gateway.post("system/backup", reply.text);
		console.log(r.text, r.status);
	});
});

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pointOf } from "../../../hosts/node/p256.js";
import { describeKeys, openKeys } from "../../../hosts/node/simulator-keys.js";
import { following } from "../../../tools/ota/try.js";

describe("The development keys of the simulator", () => {
	const NONE = { updateKeys: undefined, reportKey: undefined };
	let state = "";
	beforeEach(() => {
		state = mkdtempSync(join(tmpdir(), "bench keys-"));
	});
	afterEach(() => rmSync(state, { recursive: true }));

	it("are two keys, which are created once and are readable by their owner only", () => {
		const keys = openKeys({ state, ...NONE });
		for (const [name, point] of [
			["update.key", keys.updateKeys[0]],
			["report.key", keys.reportKey],
		] as const) {
			const path = join(state, name);
			assert.equal(statSync(path).mode & 0o777, 0o600);
			const pem = readFileSync(path, "utf8");
			assert.match(pem, /^-----BEGIN PRIVATE KEY-----\n/);
			assert.equal(Buffer.from(pointOf(pem)!).toString("hex"), point);
		}
		assert.notEqual(keys.updateKeys[0], keys.reportKey);
		assert.deepEqual(openKeys({ state, ...NONE }), keys);
	});

	it("are replaced by the keys that the command line names", () => {
		const given = { updateKeys: ["04aa"], reportKey: "" };
		assert.deepEqual(openKeys({ state, ...given }), given);
		assert.deepEqual(describeKeys({ state, ...given }, 8443), []);
		assert.throws(() => statSync(join(state, "update.key")), /ENOENT/);
	});

	it("are reported and not recreated if they are damaged", () => {
		writeFileSync(join(state, "update.key"), "no key");
		assert.throws(() => openKeys({ state, ...NONE }), /update\.key is damaged: delete it/);
		assert.equal(readFileSync(join(state, "update.key"), "utf8"), "no key");
	});

	it("come with commands that a shell accepts", () => {
		assert.deepEqual(describeKeys({ state: ".state", ...NONE }, 8443), [
			"Try an update: npm run ota -- try",
			"Open a report: npm run report -- open FILE --key .state/report.key",
		]);
		assert.deepEqual(describeKeys({ state: "/a b/it's", ...NONE }, 0), [
			"Try an update: npm run ota -- try --state '/a b/it'\\''s' --port PORT",
			"Open a report: npm run report -- open FILE --key '/a b/it'\\''s/report.key'",
		]);
	});

	it("sign updates, and each update has the version that follows the running version", () => {
		assert.deepEqual(following("0.1.0"), { version: "0.1.1", buildNumber: 1 });
		assert.deepEqual(following("1.2.9-rc.1"), { version: "1.2.10", buildNumber: 10 });
		assert.throws(() => following("next"), /no third number/);
	});
});

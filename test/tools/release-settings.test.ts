/** The file of release settings, and its effect on the firmware. */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBoard } from "../../hosts/esp32/boards.js";
import { pointOf } from "../../tools/ota/keys.js";
import { madeFor } from "../../tools/sdk/esp32.js";
import { NO_RELEASE, readRelease } from "../../tools/sdk/release.js";

describe("The settings of a release", () => {
	let folder = "";
	const points: string[] = [];

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "release-"));
		const pem = (key: KeyObject) => key.export({ type: key.type === "public" ? "spki" : "pkcs8", format: "pem" });
		for (const name of ["a", "b", "c"]) {
			const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
			writeFileSync(join(folder, `${name}.pem`), pem(publicKey));
			writeFileSync(join(folder, `${name}-secret.pem`), pem(privateKey));
			points.push(Buffer.from(pointOf(publicKey)).toString("hex"));
		}
		writeFileSync(join(folder, "other.pem"), pem(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey));
	});

	after(() => rmSync(folder, { recursive: true, force: true }));

	function read(members: object) {
		const path = join(folder, "release.json");
		writeFileSync(path, JSON.stringify(members));
		return readRelease(path);
	}

	it("are those of a development build if the file has no members", () => {
		assert.deepEqual(read({}), NO_RELEASE);
	});

	it("pass public keys, ids and the rest to the firmware, frozen", () => {
		const release = read({
			update_keys: ["a.pem", "b.pem"],
			revoked_keys: ["0123456789ABCDEF"],
			report_key: join(folder, "c.pem"),
			settings_keys: ["b.pem", "c.pem"],
			upgrade_url: "https://example.com/smgw/latest.json",
			security_level: 3,
		});
		assert.deepEqual(release, {
			updateKeys: [points[0], points[1]],
			revokedKeys: ["0123456789abcdef"],
			reportKey: points[2],
			settingsKeys: `${points[1]} ${points[2]}`,
			upgradeUrl: "https://example.com/smgw/latest.json",
			securityLevel: 3,
		});
		const script = madeFor(findBoard("esp32c3-devkitm"), release).modules["gateway/release"];
		const given = new Function(`${script.replace("export const", "const")}; return RELEASE;`)();
		assert.deepEqual(given, release);
		assert.ok(Object.isFrozen(given) && Object.isFrozen(given.updateKeys) && Array.isArray(given.updateKeys));
	});

	const refused: readonly (readonly [what: string, members: object, message: RegExp])[] = [
		["an unknown member", { keys: [] }, /there is no "keys"/],
		["one key instead of a list", { update_keys: "a.pem" }, /"update_keys" is a list of at most 2 texts/],
		["three keys", { update_keys: ["a.pem", "b.pem", "c.pem"] }, /"update_keys" is a list of at most 2 texts/],
		["three settings keys", { settings_keys: ["a.pem", "b.pem", "c.pem"] }, /"settings_keys" is a list of at most 2/],
		["a private key", { update_keys: ["a-secret.pem"] }, /a-secret.pem contains a private key/],
		["a key on another curve", { update_keys: ["other.pem"] }, /P-256/],
		["a missing file", { report_key: "none.pem" }, /none.pem/],
		["a report key that is not a path", { report_key: 1 }, /"report_key" is the path/],
		["an id that is too short", { revoked_keys: ["0123"] }, /16 hex digits/],
		["an address without TLS", { upgrade_url: "http://example.com" }, /begins with https/],
		["an address with a space", { upgrade_url: "https://example.com/a b" }, /begins with https/],
		["a security level below 0", { security_level: -1 }, /a whole number from 0/],
		["a security level that is a text", { security_level: "1" }, /a whole number from 0/],
	];
	for (const [what, members, message] of refused)
		it(`may not have ${what}`, () => void assert.throws(() => read(members), message));
});

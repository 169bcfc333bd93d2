import assert from "node:assert/strict";
import { createHash, verify } from "node:crypto";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { counterOf, FILE_LIMIT, isFor, isTrusted, SETTINGS_AT, settingsEnd } from "../../modules/provision/file.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { makeSettingsFile, SETTINGS_FILE_LIMIT } from "../../tools/ota/settings-file.js";
import { newSigner, SIGNER, signed } from "./signed.js";

const CRYPTO = new NodeCrypto();
const SETTINGS = { "system/timezone": { timezone: "Europe/Berlin" } };

describe("A signed settings file", () => {
	it("has the form of the documentation", () => {
		const file = signed(SETTINGS, 0x01020304, "CELLAR");
		const length = file.length - 52 - 64;
		assert.equal(file.toString("latin1", 0, 4), "SMGS");
		assert.deepEqual([...file.subarray(4, 12)], [1, 0, length & 0xff, length >> 8, 4, 3, 2, 1]);
		assert.equal(file.toString("latin1", 12, 44), "CELLAR".padEnd(32, "\0"));
		assert.deepEqual(file.subarray(44, 52), createHash("sha256").update(SIGNER.point).digest().subarray(0, 8));
		assert.deepEqual(JSON.parse(file.toString("utf8", 52, 52 + length)), { backup: 1, settings: SETTINGS });
		const key = { key: publicKeyOf(SIGNER.point), dsaEncoding: "ieee-p1363" as const };
		assert.ok(verify("sha256", file.subarray(0, -64), key, file.subarray(-64)));
	});

	it("is read as it was made", () => {
		const file = signed(SETTINGS, 4_294_967_295);
		assert.equal(counterOf(file), 4_294_967_295);
		assert.deepEqual(JSON.parse(file.toString("utf8", SETTINGS_AT, settingsEnd(file))).settings, SETTINGS);
		assert.equal(FILE_LIMIT, SETTINGS_FILE_LIMIT);
	});

	it("is of nobody else, and complete", () => {
		const file = signed(SETTINGS, 7);
		const keys = [newSigner().point, SIGNER.point];
		assert.ok(isTrusted(file, keys, CRYPTO));
		assert.ok(!isTrusted(file, [keys[0]], CRYPTO));
		assert.ok(!isTrusted(file, [], CRYPTO));
		// The id of a trusted key does not help another signer.
		const forged = signed(SETTINGS, 7, "", { ...newSigner(), point: SIGNER.point });
		assert.ok(!isTrusted(forged, keys, CRYPTO));
		for (let length = 0; length < file.length; length++) assert.equal(counterOf(file.subarray(0, length)), 0);
		assert.equal(counterOf(Buffer.concat([file, Buffer.alloc(1)])), 0);
	});

	it("is refused after any change of a bit", () => {
		const file = signed(SETTINGS, 7, "A");
		for (let bit = 0; bit < 8 * file.length; bit += 3) {
			const other = Buffer.from(file);
			other[bit >> 3] ^= 1 << (bit & 7);
			assert.ok(counterOf(other) === 0 || !isTrusted(other, [SIGNER.point], CRYPTO), `bit ${bit}`);
		}
	});

	it("is for one unit, one group, or all", () => {
		assert.ok(isFor(signed(SETTINGS, 1), ["SERIAL", ""]));
		assert.ok(isFor(signed(SETTINGS, 1, "SERIAL"), ["SERIAL", ""]));
		assert.ok(isFor(signed(SETTINGS, 1, "cellar"), ["SERIAL", "cellar"]));
		assert.ok(!isFor(signed(SETTINGS, 1, "SERIA"), ["SERIAL", ""]));
		assert.ok(isFor(signed(SETTINGS, 1, "g".repeat(32)), ["", "g".repeat(32)]));
	});

	it("is not made of anything else", () => {
		const rest = { counter: 1, addressee: "", signer: SIGNER };
		const settings = JSON.stringify({ backup: 1, settings: {} });
		assert.throws(() => makeSettingsFile({ ...rest, settings: "{}" }), /not a backup/);
		assert.throws(() => makeSettingsFile({ ...rest, settings, counter: 0 }), /counter/);
		assert.throws(() => makeSettingsFile({ ...rest, settings, addressee: "a b" }), /group/);
		const long = JSON.stringify({ backup: 1, settings: { x: "x".repeat(4400) } });
		assert.throws(() => makeSettingsFile({ ...rest, settings: long }), /at most 4500/);
	});
});

/**
 * P-256 in C, under the sanitizers, compared with Node's P-256. ../portable/crypto-checks.ts has the standards'
 * vectors.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createECDH, createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileNative, needNative } from "./compile.js";

/** RFC 5903, 8.1: the initiator's private and public key. */
const RFC5903_PRIVATE = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433";
const RFC5903_POINT =
	"04dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3";

describe("P-256 in C", function () {
	this.timeout(60_000);
	let folder = "";
	let program = "";

	before(function () {
		needNative(this);
		folder = mkdtempSync(join(tmpdir(), "p256-"));
		program = compileNative({
			sources: ["hosts/native/digest.c", "hosts/native/p256.c", "test/hosts/native/p256-peer.c"],
			output: "p256-peer",
			libraries: ["mbedcrypto"],
		});
	});
	after(() => {
		if (folder) rmSync(folder, { recursive: true });
	});

	/** The program's output for these files. */
	function run(order: string, ...files: Uint8Array[]): string[] {
		const names = files.map((_, index) => `file-${index}`);
		for (const [index, file] of files.entries()) writeFileSync(join(folder, names[index]), file);
		const { status, stdout, stderr } = spawnSync(program, [order, ...names], { encoding: "utf8", cwd: folder });
		assert.equal(stderr, "", order);
		assert.equal(status, 0, order);
		return stdout.trimEnd().split("\n");
	}

	it("computes the same shared secret as another implementation", () => {
		const other = createECDH("prime256v1");
		other.setPrivateKey(RFC5903_PRIVATE, "hex");
		assert.equal(other.getPublicKey("hex"), RFC5903_POINT);
		const seen = new Set<string>();
		for (let round = 0; round < 8; round++) {
			if (round > 0) other.generateKeys();
			const [own, secret] = run("agree", other.getPublicKey());
			assert.equal(secret, other.computeSecret(own, "hex", "hex"));
			seen.add(own);
		}
		assert.equal(seen.size, 8, "a new key each time");
	});

	it("rejects points that are not on the curve", () => {
		const point = Buffer.from(RFC5903_POINT, "hex");
		for (let bit = 0; bit < point.length * 8; bit += 13) {
			const wrong = Buffer.from(point);
			wrong[bit >> 3] ^= 1 << (bit & 7);
			assert.deepEqual(run("agree", wrong), ["no point"], `bit ${bit}`);
		}
	});

	it("accepts another implementation's signatures, and none with a changed bit", () => {
		const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const { x, y } = publicKey.export({ format: "jwk" });
		const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")]);
		for (const length of [0, 1, 156, 5000]) {
			const message = randomBytes(length);
			const signature = sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" });
			assert.deepEqual(run("verify", point, message, signature), ["good"], `${length} bytes`);
			for (const bit of [0, 255, 256, 511]) {
				const wrong = Buffer.from(signature);
				wrong[bit >> 3] ^= 1 << (bit & 7);
				assert.deepEqual(run("verify", point, message, wrong), ["bad"], `bit ${bit}`);
			}
			const stranger = Buffer.from(RFC5903_POINT, "hex");
			assert.deepEqual(run("verify", stranger, message, signature), ["bad"], "another key");
		}
	});

	it("keeps two hashes separate, and releases an abandoned one", () => {
		for (const length of [0, 1, 64, 3000]) {
			const bytes = randomBytes(length);
			assert.deepEqual(run("hashes", bytes), [createHash("sha256").update(bytes).digest("hex")]);
		}
	});
});

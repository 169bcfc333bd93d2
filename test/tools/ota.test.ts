import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, createPrivateKey } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBoard } from "../../hosts/esp32/boards.js";
import { readFirmwareFile } from "../../tools/ota/check.js";
import { fileSigner, PASSPHRASE } from "../../tools/ota/key-files.js";
import { makeFirmwareFile } from "../../tools/ota/make.js";
import { main } from "../../tools/ota/program.js";
import { skipBecause } from "../hosts/native/compile.js";
import { missingOpenSSL } from "../hosts/openssl.js";
import { FIRMWARE, imageOf } from "./ota-firmware.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/ota.js");
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const BOARD = "esp32c3-devkitm";

describe("npm run ota", () => {
	let folder = "";
	const place = (name: string) => join(folder, name);

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "ota-"));
		writeFileSync(place("image"), FIRMWARE.image);
		assert.equal(run("keygen", place("key")).status, 0);
	});
	after(() => rmSync(folder, { recursive: true }));

	function run(...args: string[]) {
		const output = { stdout: "", stderr: "" };
		const status = main(args, {
			log(text) {
				output.stdout += `${text}\n`;
			},
			error(text) {
				output.stderr += `${text}\n`;
			},
		});
		return { status, ...output };
	}
	const sign = (...args: string[]) =>
		run("sign", "--board", BOARD, "--image", place("image"), "--out", place("file.ota"), ...args);
	/** Checks for this exit code, and for a message on standard error only. */
	function assertRefused({ status, stdout, stderr }: ReturnType<typeof run>, code: number, sentence: RegExp): void {
		assert.deepEqual([status, stdout], [code, ""]);
		assert.match(stderr, sentence);
		assert.ok(!stderr.includes("    at "), stderr);
	}

	it("is a program with these exit codes", () => {
		const start = (...args: string[]) => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
		const help = start("--help");
		assert.deepEqual([help.status, help.stderr], [0, ""]);
		assert.match(help.stdout, /npm run ota -- keygen FILE/);
		assert.equal(start("inspect", PROGRAM).status, 1);
		assert.equal(start().status, 2);
	}).timeout(120_000);

	describe("keygen", () => {
		it("makes a key that only its owner can read, and shows its id", () => {
			const { status, stdout } = run("keygen", place("one"));
			assert.equal(status, 0);
			assert.equal(statSync(place("one")).mode & 0o777, 0o600);
			const privatePEM = readFileSync(place("one"), "utf8");
			assert.match(privatePEM, /^-----BEGIN PRIVATE KEY-----\n/);
			assert.match(readFileSync(place("one.pub"), "utf8"), /^-----BEGIN PUBLIC KEY-----\n/);
			const id = createHash("sha256")
				.update(fileSigner(place("one")).point)
				.digest("hex")
				.slice(0, 16);
			assert.match(stdout, new RegExp(`^Key id ${id}$`, "m"));
			assert.ok(!stdout.includes(privatePEM.split("\n")[1]));
		});

		it("never overwrites a private or a public key", () => {
			run("keygen", place("two"));
			const before = readFileSync(place("two"), "utf8");
			assertRefused(run("keygen", place("two")), 1, /two exists already/);
			rmSync(place("two"));
			assertRefused(run("keygen", place("two")), 1, /two\.pub exists already/);
			assert.ok(!readdirSync(folder).includes("two"));
			assert.notEqual(before, "");
		});

		it("makes no key in the repository, or in a folder that does not exist", () => {
			assertRefused(run("keygen", join(ROOT, "docs", "key")), 1, /is in the repository/);
			assertRefused(run("keygen", join(ROOT, "..key")), 1, /is in the repository/);
			assertRefused(run("keygen", place("nowhere/key")), 1, /There is no folder/);
		});

		it("protects the key with a passphrase, and signs with that key", () => {
			process.env[PASSPHRASE] = "correct horse";
			try {
				assert.equal(run("keygen", place("protected")).status, 0);
				assert.match(readFileSync(place("protected"), "utf8"), /^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
				assert.equal(sign("--key", place("protected")).status, 0);
				for (const wrong of ["wrong", undecodablePassphrase(readFileSync(place("protected"), "utf8"))]) {
					process.env[PASSPHRASE] = wrong;
					assertRefused(sign("--key", place("protected")), 1, /has a passphrase: put it into \$OTA_KEY_PASSPHRASE/);
				}
			} finally {
				delete process.env[PASSPHRASE];
			}
			assertRefused(sign("--key", place("protected")), 1, /has a passphrase: put it into \$OTA_KEY_PASSPHRASE/);
		});
	});

	describe("sign", () => {
		it("makes a file for the board, and shows its contents", () => {
			const about = ["--version", "1.2.34-beta", "--security-level", "9"];
			const { status, stdout, stderr } = sign("--key", place("key"), ...about);
			assert.deepEqual([status, stderr], [0, ""]);
			const { header, metadata } = readFirmwareFile(readFileSync(place("file.ota")));
			const { deviceId, chip, version, buildNumber, securityLevel, isPacked } = metadata;
			assert.equal(deviceId, findBoard(BOARD).deviceId);
			assert.deepEqual([chip, version, buildNumber, securityLevel, isPacked], ["esp32c3", "1.2.34-beta", 34, 9, 1]);
			assert.deepEqual([header.imageType, header.fileVersion], [deviceId, 34]);
			assert.equal(run("inspect", place("file.ota")).stdout, stdout.slice(stdout.indexOf("\n") + 1));
			assert.match(stdout, /^Version {9}"1\.2\.34-beta", build 34$/m);
			assert.match(stdout, /^Image {11}150000 bytes, packed to \d+ \(\d+ %\)$/m);
		});

		it("leaves the image unpacked on request, and accepts a build number", () => {
			assert.equal(sign("--key", place("key"), "--plain", "--build", "77").status, 0);
			const { metadata, content } = readFirmwareFile(readFileSync(place("file.ota")));
			assert.deepEqual([metadata.isPacked, metadata.buildNumber], [0, 77]);
			assert.equal(metadata.version, JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version);
			assert.ok(Buffer.from(FIRMWARE.image).equals(content));
		});

		it("signs with another program that returns DER or r and s", function () {
			const reason = missingOpenSSL();
			if (reason !== undefined) skipBecause(this, reason);
			const der = `openssl dgst -sha256 -sign "${place("key")}"`;
			const digest = `openssl pkeyutl -sign -inkey "${place("key")}"`;
			const raw = `node -e 'process.stdout.write(require("crypto").sign("sha256", require("fs").readFileSync(0), { key: require("fs").readFileSync("${place("key")}"), dsaEncoding: "ieee-p1363" }))'`;
			for (const signer of [
				["--signer", der],
				["--signer", digest, "--digest"],
				["--signer", raw],
			]) {
				const { status, stderr } = sign(...signer, "--public-key", place("key.pub"));
				assert.deepEqual([status, stderr], [0, ""]);
				const { status: verified } = run("verify", place("file.ota"), "--public-key", place("key.pub"));
				assert.equal(verified, 0);
				rmSync(place("file.ota"));
			}
		});

		it("writes nothing if the program fails, or returns no signature or that of another key", () => {
			run("keygen", place("other"));
			const other = (command: string) => sign("--signer", command, "--public-key", place("other.pub"));
			assertRefused(other("exit 3"), 1, /The signer ended with exit code 3: exit 3/);
			assertRefused(other("cat"), 1, /\(156 bytes\) is not a signature by the key of --public-key/);
			assertRefused(other("head -c 64"), 1, /\(64 bytes\) is not a signature by the key/);
			assertRefused(other("true"), 1, /\(0 bytes\) is not a signature by the key/);
			const foreign = `openssl dgst -sha256 -sign "${place("key")}"`;
			if (missingOpenSSL() === undefined) assertRefused(other(foreign), 1, /is not a signature by the key/);
			assert.ok(!readdirSync(folder).includes("file.ota"));
		});

		it("rejects an image that the board can't start, an unreadable key, and a version that is too long", () => {
			const foreign = run(
				"sign",
				"--board",
				"esp32-devkitc",
				"--image",
				place("image"),
				"--out",
				place("x"),
				"--key",
				place("key"),
			);
			assertRefused(foreign, 1, /The image is for esp32c3, not for the board's esp32\./);
			writeFileSync(place("large"), imageOf(0x1e0001));
			const large = ["--board", BOARD, "--image", place("large"), "--out", place("x"), "--key", place("key")];
			assertRefused(run("sign", ...large), 1, /large has 1966081 bytes; a slot of esp32c3-devkitm has 1966080\./);
			const text = ["--board", BOARD, "--image", PROGRAM, "--out", place("x"), "--key", place("key")];
			assertRefused(run("sign", ...text), 1, /This is not an ESP-IDF application image/);
			assertRefused(sign("--key", place("key.pub")), 1, /key\.pub contains no readable key/);
			assertRefused(sign("--key", place("missing")), 1, /no such file/);
			assertRefused(
				sign("--key", place("key"), "--version", "1".repeat(33), "--build", "1"),
				1,
				/version has up to 32/,
			);
			assert.ok(!readdirSync(folder).includes("x"));
		});
	});

	it("makes files for the simulator, and verifies them", () => {
		const out = place("bench.ota");
		const make = (...args: string[]) => run("bench", "--out", out, "--key", place("key"), ...args);
		const { status, stdout } = make("--version", "1.2.9", "--size", "20000", "--fault", "hangs");
		assert.equal(status, 0);
		assert.match(stdout, /^Board {11}bench, device id 0, chip "pc"$/m);
		const verified = run("verify", out, "--public-key", place("key.pub"));
		assert.equal(verified.stdout, "ok: bench would install 1.2.9, build 9.\n");
		const board = ["--board", BOARD];
		assertRefused(run("verify", out, "--public-key", place("key.pub"), ...board), 1, /^ota_wrong_device/);
		assert.equal(run("verify", out, "--public-key", place("key.pub"), "--board", "bench").status, 0);
		assertRefused(make(), 2, /--version is missing/);
		assertRefused(make("--version", "1.2.3", "--fault", "ugly"), 2, /--fault is one of fails, hangs, deaf, not "ugly"/);
		assertRefused(make("--version", "1.2.3", "--size", "2000000"), 1, /^ota_invalid_image: An image of 2000000 bytes/);
	});

	describe("verify", () => {
		const verify = (...args: string[]) => run("verify", place("file.ota"), "--public-key", place("key.pub"), ...args);
		const put = (change: (file: Buffer) => Buffer) =>
			writeFileSync(place("file.ota"), change(makeFirmwareFile({ ...FIRMWARE, signer: fileSigner(place("key")) })));

		it("accepts a good file", () => {
			put((file) => file);
			const { status, stdout } = verify("--security-level", "7", "--board", BOARD);
			assert.deepEqual([status, stdout], [0, "ok: esp32c3-devkitm would install 1.2.3-release, build 16909060.\n"]);
			run("keygen", place("spare"));
			assert.equal(verify("--public-key", place("spare.pub")).status, 0);
		});

		it("shows the code and the reason of a refusal", () => {
			put((file) => file);
			assertRefused(verify("--board", "esp32-devkitc"), 1, /^ota_wrong_device: It is for the chip "esp32c3"/);
			assertRefused(verify("--security-level", "8"), 1, /^ota_downgrade: Its security level is 7, below 8\./);
			const id = createHash("sha256")
				.update(fileSigner(place("key")).point)
				.digest("hex")
				.slice(0, 16);
			assertRefused(verify("--revoked", id), 1, /^ota_bad_signature: Its key, [0-9a-f]{16}, is revoked\./);
			run("keygen", place("foreign"));
			const foreign = run("verify", place("file.ota"), "--public-key", place("foreign.pub"));
			assertRefused(foreign, 1, /^ota_bad_signature: Its key, [0-9a-f]{16}, is not accepted for signatures\./);
			put((file) => file.subarray(0, -1));
			assertRefused(verify(), 1, /^ota_invalid_image: The file has \d+ bytes; its header says \d+\./);
			put((file) => {
				file[file.length - 10] ^= 1;
				return file;
			});
			assertRefused(verify(), 1, /^ota_invalid_image: The packed image is damaged: piece 2/);
			put(() => Buffer.from("text"));
			assertRefused(verify(), 1, /^ota_invalid_image: 4 bytes are not a firmware file\./);
		});
	});

	it("inspects a file with a damaged image, and reports the damage", () => {
		const file = makeFirmwareFile(FIRMWARE);
		file[file.length - 1] ^= 1;
		writeFileSync(place("damaged.ota"), file);
		const { status, stdout, stderr } = run("inspect", place("damaged.ota"));
		assert.equal(status, 1);
		assert.match(stdout, /^Board {11}esp32c3-devkitm, device id 3, chip "esp32c3"$/m);
		assert.match(stderr, /^ota_invalid_image: The packed image is damaged/);
	});

	it("exits with 2 for a bad command line", () => {
		const FILES = ["--board", BOARD, "--image", "i", "--out", "o"];
		const bad: readonly (readonly [RegExp, ...string[]])[] = [
			[/The first word is one of keygen, sign, bench, sign-settings, send-settings, try, inspect, verify\./],
			[/The first word is one of/, "toString"],
			[/keygen takes one file\./, "keygen"],
			[/inspect takes one file\./, "inspect", "a", "b"],
			[/"stray" is not an option\./, "sign", "stray"],
			[/Unknown option '--colour'/, "inspect", "--colour", "a"],
			[/--key does not belong to verify\./, "verify", "a", "--key", "b"],
			[/--public-key is missing/, "verify", "a"],
			[/There is no board "toaster"\./, "sign", "--board", "toaster"],
			[/--image is missing/, "sign", "--board", BOARD],
			[/--out is missing/, "sign", "--board", BOARD, "--image", "i"],
			[/One of --key FILE and --signer COMMAND/, "sign", ...FILES],
			[/--signer needs one --public-key/, "sign", ...FILES, "--signer", "s"],
			[/--digest and --public-key are options for --signer only/, "sign", ...FILES, "--key", "k", "--digest"],
			[/has no third number: --build NUMBER/, "sign", ...FILES, "--version", "new"],
			[/--build is a whole number from 0 to 4294967295, not "4294967296"\./, "sign", ...FILES, "--build", "4294967296"],
			[
				/--revoked is the id of a key, 16 hex digits, not "12"\./,
				"verify",
				"a",
				"--public-key",
				place("key.pub"),
				"--revoked",
				"12",
			],
		];
		for (const [sentence, ...args] of bad) {
			const result = run(...args);
			assertRefused(result, 2, sentence);
			assert.match(result.stderr, /npm run ota -- --help lists the commands and options\.\n$/);
		}
		for (const args of [["--help"], ["sign", "--help"]]) {
			const { status, stdout } = run(...args);
			assert.equal(status, 0);
			assert.match(stdout, /npm run ota -- keygen FILE/);
		}
	});
});

/** A wrong passphrase that decrypts to valid padding by chance: OpenSSL then reports an unknown format. */
function undecodablePassphrase(key: string): string {
	for (let count = 0; count < 10_000; count++) {
		const passphrase = `wrong ${count}`;
		try {
			createPrivateKey({ key, passphrase });
		} catch (error) {
			if ((error as { code?: string }).code !== "ERR_OSSL_BAD_DECRYPT") return passphrase;
		}
	}
	throw new Error("Ten thousand wrong passphrases gave no valid padding.");
}

/** The files that `npm run release` makes from ESP-IDF's output. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { BOARDS, findBoard } from "../../hosts/esp32/boards.js";
import { PRODUCT } from "../../modules/product/product.js";
import { DOCUMENT } from "../../tools/api/document.js";
import { IDF_TAG } from "../../tools/doctor/checks.js";
import { checkFirmwareFile, imageOf } from "../../tools/ota/check.js";
import { keySigner } from "../../tools/ota/keys.js";
import { writeRelease } from "../../tools/release/folder.js";
import { ARCHIVE, DOMAIN } from "../../tools/release/home-assistant.js";
import { writeInstallPage } from "../../tools/release/install-page.js";
import { readParts, wholeImage } from "../../tools/release/parts.js";
import { main } from "../../tools/release/program.js";
import { makeSBOM, pagePackages, uncertainVersions } from "../../tools/release/sbom.js";
import { versionOf } from "../../tools/release/version.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { writeESPBuild } from "./esp-build.js";

const BUILT_UTC_MS = Date.UTC(2026, 10, 22, 12);
const VERSION = { version: "1.2.3", buildNumber: 3, builtUtcMs: BUILT_UTC_MS, isDirty: false };
const boards = ["esp32c3-devkitm", "esp32-devkitc"].map(findBoard);
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

function filesIn(folder: string): Map<string, Buffer> {
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
	const files = names.filter((name) => statSync(join(folder, name)).isFile());
	return new Map(files.map((name) => [name, readFileSync(join(folder, name))]));
}

describe("A release", function () {
	this.timeout(60_000);
	let folder = "";
	let files: Map<string, Buffer>;
	const text = (name: string) => files.get(name)!.toString();
	const json = (name: string) => JSON.parse(text(name));

	async function make(name: string): Promise<Map<string, Buffer>> {
		const built = boards.map((board) => ({ board, build: join(folder, `built-${board.name}`) }));
		for (const { board, build } of built) writeESPBuild(build, board);
		const out = join(folder, name);
		mkdirSync(out);
		const signer = keySigner(privateKey);
		await writeRelease({
			root: ROOT,
			folder: out,
			version: VERSION,
			built,
			signer,
			securityLevel: 2,
			sdk: undefined,
			idf: undefined,
		});
		return filesIn(out);
	}

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "release-"));
		files = await make("one");
	});
	after(() => rmSync(folder, { recursive: true }));

	it("has the files that its description lists, with their check sums", () => {
		for (const { name } of boards) {
			const own = ["bootloader.bin", "partition-table.bin", "otadata.bin", "firmware.bin", "manifest.json"];
			for (const file of [`${name}.ota`, `${name}.bin`, ...own.map((part) => `${name}/${part}`)])
				assert.ok(files.has(file), file);
		}
		for (const file of ["index.html", "install/page.js", "install/LICENSES.txt", "sbom.cdx.json", "vex.cdx.json"])
			assert.ok(files.has(file));
		assert.deepEqual(json("openapi.json"), DOCUMENT);
		assert.equal(json("hacs.json").filename, ARCHIVE);
		const sums = [...files].filter(([name]) => name !== "SHA256SUMS");
		const expected = sums.map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`);
		assert.deepEqual(text("SHA256SUMS").split("\n").sort(), expected.join("").split("\n").sort());
	});

	it("has the integration for Home Assistant, with the version and the product's name in its manifest", () => {
		const inside = unzipSync(files.get(ARCHIVE)!);
		const names = Object.keys(inside);
		const needed = ["__init__.py", "config_flow.py", "quality_scale.yaml", "icons.json", "brand/icon.png", "LICENSE"];
		for (const name of [...needed, "translations/en.json", "translations/de.json", "translations/pl.json"])
			assert.ok(names.includes(name), `${name} is not in ${names}`);
		assert.ok(!names.some((name) => /__pycache__|\.pyc$/.test(name)), `${names}`);
		const manifest = JSON.parse(Buffer.from(inside["manifest.json"]).toString());
		assert.deepEqual([manifest.name, manifest.version, manifest.domain], [PRODUCT, "1.2.3", DOMAIN]);
		const [first, second, ...others] = Object.keys(manifest);
		// Home Assistant's check of integrations, hassfest, wants this order.
		assert.deepEqual([first, second, ...others], ["domain", "name", ...others.toSorted()]);
	});

	it("is identical when made again, except for signatures, which contain a random number", async () => {
		const again = await make("two");
		const isSigned = (name: string) => name.endsWith(".ota") || name === "SHA256SUMS";
		assert.deepEqual([...again.keys()], [...files.keys()]);
		for (const [name, bytes] of files) if (!isSigned(name)) assert.ok(bytes.equals(again.get(name)!), name);
		for (const { name } of boards) {
			const [one, two] = [files, again].map((all) => all.get(`${name}.ota`)!);
			assert.ok(!one.equals(two));
			// Length of headers and metadata before the signature.
			const signatureAt = 56 + 6 + 156;
			one.copy(two, signatureAt, signatureAt, signatureAt + 64);
			assert.ok(one.equals(two), name);
		}
	});

	it("has firmware files that a gateway accepts", () => {
		for (const { name, deviceId, chip } of boards) {
			const { point } = keySigner(privateKey);
			const target = { deviceId, chip, slotSize: 0x1e0000, keys: [point], revoked: [], securityLevel: 2 };
			const parts = checkFirmwareFile(files.get(`${name}.ota`)!, target);
			assert.equal(parts.metadata.version, "1.2.3");
			assert.ok(files.get(`${name}/firmware.bin`)!.equals(imageOf(parts)));
		}
	});

	it("tells the installer the offset of each part, which never overlaps settings, factory data or history", () => {
		const [c3, plain] = boards.map(({ name }) => json(`${name}/manifest.json`));
		assert.equal(c3.name, PRODUCT);
		assert.equal(c3.version, "1.2.3");
		// Without this prompt, the installer would erase a unit with another name.
		assert.equal(c3.new_install_prompt_erase, true);
		assert.deepEqual(c3.builds, [
			{
				chipFamily: "ESP32-C3",
				parts: [
					{ path: "bootloader.bin", offset: 0 },
					{ path: "partition-table.bin", offset: 0x8000 },
					{ path: "otadata.bin", offset: 0x21000 },
					{ path: "firmware.bin", offset: 0x30000 },
				],
			},
		]);
		assert.equal(plain.builds[0].chipFamily, "ESP32");
		assert.equal(plain.builds[0].parts[0].offset, 0x1000);
		for (const { name } of boards) {
			for (const { path, offset } of json(`${name}/manifest.json`).builds[0].parts) {
				const end = offset + files.get(`${name}/${path}`)!.length;
				for (const [from, to] of [
					[0x9000, 0x21000],
					[0x23000, 0x30000],
				])
					assert.ok(end <= from || offset >= to, `${name}: ${path} overlaps the unit's own data`);
			}
			const whole = files.get(`${name}.bin`)!;
			assert.ok(whole.subarray(0x30000).equals(files.get(`${name}/firmware.bin`)!));
			assert.ok(whole.subarray(0x23000, 0x30000).every((byte) => byte === 0xff));
		}
	});

	it("lists its contents and every package in the page", () => {
		const { bomFormat, specVersion, metadata, components, dependencies } = json("sbom.cdx.json");
		assert.deepEqual([bomFormat, specVersion], ["CycloneDX", "1.6"]);
		assert.equal(metadata.timestamp, new Date(BUILT_UTC_MS).toISOString());
		assert.equal(metadata.component.version, "1.2.3");
		const names = components.map(({ name, group }: { name: string; group?: string }) =>
			group ? `${group}/${name}` : name,
		);
		for (const name of [
			"Moddable SDK",
			"ESP-IDF",
			"Mbed TLS",
			"lwIP",
			"newlib",
			"wpa_supplicant",
			...pagePackages(ROOT),
		])
			assert.ok(names.includes(name), name);
		for (const { name, version, licenses } of components) assert.ok(version && licenses.length === 1, name);
		const preact = components.find(({ name }: { name: string }) => name === "preact");
		const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules/preact/package.json"), "utf8"));
		assert.equal(preact.purl, `pkg:npm/preact@${version}`);
		assert.match(preact.hashes[0].content, /^[0-9a-f]{128}$/);
		const firmware = dependencies.find(({ ref }: { ref: string }) => ref === "firmware");
		assert.equal(firmware.dependsOn.length, components.length);
		assert.deepEqual(uncertainVersions(ROOT, IDF_TAG.slice(1)), []);
		const [tls, crypto, ...others] = uncertainVersions(ROOT, "6.0.1");
		assert.match(tls, /Mbed TLS of ESP-IDF 6\.0\.2; this is 6\.0\.1/);
		assert.match(crypto, /TF-PSA-Crypto of ESP-IDF 6\.0\.2; this is 6\.0\.1/);
		assert.deepEqual(others, []);
		assert.equal(uncertainVersions(ROOT, "6.0.20").length, 2);
		assert.ok(uncertainVersions(ROOT, "6.1.0").length > 3);
		assert.notEqual(makeSBOM({ root: ROOT, sdk: undefined, idf: undefined }, "1.2.4", 0), text("sbom.cdx.json"));
	});

	it("has a page that fetches nothing from other servers", () => {
		const page = text("index.html");
		assert.doesNotMatch(page, /\{\{|(src|href|value)="https?:|undefined/);
		for (const { name } of boards)
			assert.ok(page.includes(`value="${name}/manifest.json"`) && page.includes(`${name}.ota`));
		for (const [name, bytes] of files) {
			if (!name.endsWith(".js")) continue;
			assert.doesNotMatch(bytes.toString(), /\b(?:import|fetch)\(\s*["']https?:/, name);
		}
		for (const name of ["esp-web-tools", "lit", "@material/web"])
			assert.ok(text("install/LICENSES.txt").includes(`${name} `));
	});

	it("says on the page what each board needs: which socket or adapter, and which pins lead to the meter", async () => {
		const out = join(folder, "pages");
		mkdirSync(out);
		await writeInstallPage(ROOT, out, "1.2.3", BOARDS);
		const page = readFileSync(join(out, "index.html"), "utf8");
		for (const { name, console, adapter, meter } of BOARDS) {
			const [, needs = ""] = new RegExp(`data-name="${name}"[^>]* data-needs="([^"]*)"`).exec(page) ?? [];
			assert.equal(
				/^No USB socket leads to the console: connect a USB-UART adapter/.test(needs),
				adapter === true,
				name,
			);
			assert.equal(/leads to the chip itself/.test(needs), console === "usb", name);
			assert.ok(needs.includes(` to GPIO ${meter.receive} and receives from GPIO ${meter.transmit}.`), name);
		}
	});

	it("rejects a build whose parts overlap, or that lacks the offset of a part", () => {
		const broken = join(folder, "broken");
		writeESPBuild(broken, boards[0]);
		const parts = readParts(broken);
		assert.equal(wholeImage(parts).length, 0x30000 + parts[3].bytes.length);
		const list = JSON.parse(readFileSync(join(broken, "flasher_args.json"), "utf8"));
		const write = (change: object) =>
			writeFileSync(join(broken, "flasher_args.json"), JSON.stringify({ ...list, ...change }));
		write({ otadata: { ...list.otadata, offset: "0x8100" } });
		assert.throws(() => readParts(broken), /otadata.bin would overlap the part before it/);
		write({ app: undefined });
		assert.throws(() => readParts(broken), /does not say where "app" goes/);
	});
});

describe("The version of a release", () => {
	let folder = "";
	const git = (...args: string[]) => {
		const own = [
			"-C",
			folder,
			"-c",
			"user.name=Test",
			"-c",
			"user.email=test@example.com",
			"-c",
			"commit.gpgsign=false",
		];
		const env = { ...process.env, GIT_COMMITTER_DATE: "2026-11-22T12:00:00Z" };
		assert.equal(spawnSync("git", [...own, ...args], { env }).status, 0, args.join(" "));
	};
	const version = (environment = {}) => versionOf(folder, "1.2.3", environment);

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "version-"));
		git("init", "-q");
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("is that of the tag, otherwise names the commit and whether files were changed", () => {
		assert.throws(version, /made from a commit/);
		git("commit", "-q", "--allow-empty", "-m", "one");
		assert.match(version().version, /^1\.2\.3-dev\.[0-9a-f]{8}$/);
		git("tag", "v1.2.3");
		assert.deepEqual(version(), VERSION);
		writeFileSync(join(folder, "new"), "");
		assert.deepEqual({ ...VERSION, version: "1.2.3-dirty", isDirty: true }, version());
		git("add", ".");
		git("commit", "-q", "-m", "two");
		assert.match(version().version, /^1\.2\.3-dev\.[0-9a-f]{8}$/);
		writeFileSync(join(folder, "new"), "more");
		assert.match(version().version, /^1\.2\.3-dev\.[0-9a-f]{8}\.dirty$/);
		assert.ok(version().version.length < 32);
	});

	it("has the time of the commit, or the given one", () => {
		git("commit", "-q", "--allow-empty", "-m", "one");
		assert.equal(version().builtUtcMs, BUILT_UTC_MS);
		assert.equal(version({ SOURCE_DATE_EPOCH: "86400" }).builtUtcMs, 86_400_000);
		assert.throws(() => version({ SOURCE_DATE_EPOCH: "yesterday" }), /seconds since 1970/);
	});

	it("is rejected if tag and package.json differ", () => {
		git("commit", "-q", "--allow-empty", "-m", "one");
		git("tag", "v1.2.4");
		assert.throws(version, /tag v1\.2\.4, but package\.json has the version 1\.2\.3/);
		assert.throws(() => versionOf(folder, "1.2", {}), /not three numbers/);
	});
});

describe("npm run release", () => {
	async function run(...args: string[]): Promise<{ code: number; errors: string }> {
		const errors: string[] = [];
		const code = await main(args, { log: () => {}, error: (line) => errors.push(line) });
		return { code, errors: errors.join("\n") };
	}

	it("reports errors in the command line", async () => {
		for (const [args, problem] of [
			[[], /--board is missing/],
			[["--boards", "some"], /--boards all, or --board NAME/],
			[["--board", "esp32c3-devkitm"], /--key FILE, or --signer COMMAND/],
			[["--wrong"], /--wrong/],
		] as const) {
			const { code, errors } = await run(...args);
			assert.equal(code, 2);
			assert.match(errors, problem);
			assert.match(errors, /npm run release -- --help/);
		}
		const { code, errors } = await run("--board", "toaster", "--key", "key.pem");
		assert.equal(code, 1);
		assert.match(errors, /There is no board "toaster"/);
		assert.equal((await run("--help")).code, 0);
	});

	it("rejects a key that the gateways of the release would not accept", async () => {
		const folder = mkdtempSync(join(tmpdir(), "release-keys-"));
		try {
			const file = (name: string, content: string | Buffer) => {
				writeFileSync(join(folder, name), content);
				return join(folder, name);
			};
			const key = file("key.pem", privateKey.export({ type: "pkcs8", format: "pem" }));
			const release = file("release.json", JSON.stringify({ update_keys: [] }));
			const { code, errors } = await run("--board", "esp32c3-devkitm", "--key", key, "--release", release);
			assert.equal(code, 1);
			assert.match(errors, /not one of "update_keys"/);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});

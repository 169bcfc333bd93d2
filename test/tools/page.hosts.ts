import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { markOf } from "../../hosts/browser/kit/text-marks.js";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import { ARCHIVE, makePage, type PackedFile, pack, textOrder } from "../../tools/page/archive.js";

const SOURCE = join(import.meta.dirname, "../../../hosts/browser");

/** Limit of the compressed page, bytes. */
const WHOLE_LIMIT = 136 * 1024;
/** Limit of the first paint, bytes: the document. */
const PAINT_LIMIT = 3850;
/** Limit before the login, bytes: the document, the largest file of texts, and the first script. */
const FIRST_LIMIT = 47_360;
/** Limit of the policy, bytes: the gateway sends a head from a buffer of 1024 bytes, and most of it is the policy. */
const POLICY_LIMIT = 512;

/** Addresses that the page does not fetch: XML namespaces, and beginnings to which it adds a host. */
const NAMES = /^(http:\/\/www\.w3\.org\/[\w/]+|https?:\/\/(\$\{.*|192\.168\.4\.1\/)?)$/;

describe("tools/page", function () {
	this.timeout(60_000);
	let files: PackedFile[];
	let policy: string;
	const textOf = ({ content }: PackedFile) => new TextDecoder().decode(content);
	const zipped = ({ body }: PackedFile) => body.length;
	const documents = () => files.filter(({ type }) => type.startsWith("text/html"));
	const scripts = () => files.filter(({ path }) => /^\/assets\/.*\.js$/.test(path));
	const texts = () => files.filter(({ path }) => /^\/assets\/.*\.txt$/.test(path));
	/** Contents of elements of this name, without attributes, in the document. */
	const inside = (element: "style" | "script") =>
		[...textOf(documents()[0]).matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, "g"))].map(
			([, content]) => content,
		);
	const fileAt = (path: string) => {
		const file = files.find((one) => one.path === path);
		assert.ok(file, path);
		return file;
	};
	const entry = () => fileAt(/import\("([^"]+)"/.exec(inside("script")[0])?.[1] ?? "");

	before(async () => {
		({ files, policy } = await makePage());
	});

	it("makes one document, and scripts and texts named after their content", () => {
		assert.deepEqual(
			documents().map(({ path, immutable }) => [path, immutable]),
			["", ...LANGUAGES].map((language) => [`/${language}`, false]),
		);
		for (const document of documents()) assert.equal(textOf(document), textOf(documents()[0]));
		const apps = ["/app.webmanifest", "/icon.png", "/offline.js"];
		assert.deepEqual(
			files.filter((file) => ![documents(), scripts(), texts()].flat().includes(file)).map(({ path }) => path),
			apps,
		);
		for (const { path, immutable } of [...scripts(), ...texts()]) {
			assert.match(path, /^\/assets\/([a-z-]+-[\w-]{8}\.js|(en|de|pl)-[\da-f]{8}\.txt)$/);
			assert.equal(immutable, true);
		}
	});

	it(`keeps the whole page within ${WHOLE_LIMIT} bytes`, function () {
		const bytes = pack(files, policy).length;
		this.test!.title += `: ${bytes}`;
		assert.ok(bytes <= WHOLE_LIMIT, `${bytes} bytes`);
	});

	it(`needs one file within ${PAINT_LIMIT} bytes for the first paint`, function () {
		const bytes = zipped(documents()[0]);
		this.test!.title += `: ${bytes}`;
		assert.ok(bytes <= PAINT_LIMIT, `${bytes} bytes`);
	});

	it(`needs two more, within ${FIRST_LIMIT} bytes together, before the login`, function () {
		const bytes = zipped(documents()[0]) + Math.max(...texts().map(zipped)) + zipped(entry());
		this.test!.title += `: ${bytes}`;
		assert.ok(bytes <= FIRST_LIMIT, `${bytes} bytes`);
		// A static import would need a further request.
		assert.equal(/\bimport\s*(?:[\w{*][^;()]*?\bfrom\s*)?["']/.exec(textOf(entry()))?.[0], undefined);
	});

	it("puts one style and one script into the document, which the policy names by their hashes, and no event handler", () => {
		const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
		const html = textOf(documents()[0]);
		assert.deepEqual([inside("style").length, inside("script").length], [1, 1]);
		assert.ok(policy.split("; ").includes(`style-src ${hash(inside("style")[0])}`));
		assert.ok(policy.split("; ").includes(`script-src 'self' ${hash(inside("script")[0])}`));
		assert.doesNotMatch(html, /<[^>]*\s(?:style|on\w+)\s*=/);
		assert.equal(html.match(/<script/g)?.length, 2, "one script, and one element for the texts");
		for (const folder of ["", "kit", "pages"]) {
			for (const name of readdirSync(join(SOURCE, folder)).filter((name) => name.endsWith(".tsx"))) {
				const isStyled = /\sstyle=/.test(readFileSync(join(SOURCE, folder, name), "utf8"));
				assert.equal(isStyled, false, `${folder}/${name} styles an element: the policy refuses that, write a class`);
			}
		}
	});

	it("has a policy without inline scripts, scripts of other sites, and frames", () => {
		assert.match(policy, /^default-src 'none'; script-src 'self' 'sha256-/);
		for (const part of [
			"connect-src 'self'",
			"manifest-src 'self'",
			"base-uri 'none'",
			"form-action 'none'",
			"frame-ancestors 'none'",
		])
			assert.ok(policy.split("; ").includes(part), part);
		assert.doesNotMatch(policy.replace(" https:", ""), /unsafe|\*|https?:/);
		assert.ok(policy.length <= POLICY_LIMIT, `${policy.length} characters`);
	});

	it("fetches nothing from other servers", () => {
		for (const file of files.filter(({ type }) => !type.startsWith("text/plain"))) {
			const text = textOf(file);
			for (const [address] of text.matchAll(/\b(?:https?|wss?):\/\/[^\s"'<>)\\`]*/g))
				assert.match(address, NAMES, file.path);
			const elsewhere = /["'(]\/\/\w+\.\w|@import|url\((?!["']?data:)/.exec(text);
			assert.equal(elsewhere?.[0], undefined, file.path);
		}
	});

	it("puts the login's texts into the document in each language, and the others into a file for each", () => {
		const html = textOf(documents()[0]);
		assert.doesNotMatch(html, /%[A-Z]+%/);
		const { inDocument, inFiles } = textOrder();
		assert.deepEqual(["noscript", ...inDocument, ...inFiles].sort(), Object.keys(TEXTS).sort());
		texts().forEach((file, index) => {
			assert.ok(html.includes(`others:"${file.path}"`), file.path);
			for (const key of ["noscript", ...inDocument] as const) assert.ok(html.includes(TEXTS[key][index]), key);
			assert.deepEqual(
				textOf(file).split("\n"),
				inFiles.map((key) => TEXTS[key][index]),
			);
		});
	});

	it("refers to texts by their position, in scripts, except to those whose keys the scripts compose at run time, which have marks", () => {
		const all = scripts().map(textOf).join("\n");
		for (const key of ["nav.meter", "error.busy", "state.ok"]) assert.ok(all.includes(markOf(key)), key);
		for (const key of ["error.busy", "curve.describe", "meter.title", "failure.silence"])
			assert.ok(!all.includes(key), key);
	});

	it("stores each file as gzip", () => {
		for (const { path, content, body } of files) assert.ok(gunzipSync(body).equals(content), path);
	});

	it("can be put on a home screen: it has a manifest, an icon, and colours for the browser's frame", () => {
		for (const document of documents()) {
			const html = textOf(document);
			assert.match(html, /<link rel="manifest" href="\/app\.webmanifest">/);
			assert.match(html, /<link rel="apple-touch-icon" href="\/icon\.png">/);
			assert.equal(html.match(/<meta name="theme-color"/g)?.length, 2);
		}
		const manifest = JSON.parse(textOf(fileAt("/app.webmanifest")));
		assert.equal(manifest.display, "standalone");
		assert.ok(manifest.name && manifest.short_name.length <= 12);
		for (const { src, type } of manifest.icons) assert.equal(fileAt(src).type, type);
		const png = Buffer.from(fileAt("/icon.png").content);
		assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [192, 192]);
		assert.ok(png.length < 2048, `${png.length} bytes`);
	});

	it("has no texts in scripts, because scripts are shared by all languages", () => {
		const all = scripts().map(textOf).join("\n");
		for (const [key, [text]] of Object.entries(TEXTS))
			if (text.length > 25) assert.ok(!all.includes(text), `${key}: it is in a script`);
	});

	it("is the same after each build", async () => {
		const again = await makePage();
		assert.ok(pack(again.files, again.policy).equals(pack(files, policy)));
	});

	it("is what the gateway serves here", () => {
		assert.ok(existsSync(ARCHIVE), "the archive was not built");
		assert.ok(readFileSync(ARCHIVE).equals(pack(files, policy)), "the archive is older than its sources");
	});
});

/**
 * Builds the page and packs it into an archive (layout: modules/http/static.ts). The archive contains the document,
 * which shows the login; scripts, and texts in each language, whose names are derived from their content; and files for
 * a home screen. If a source is newer than the archive, this runs before every command.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { transform } from "esbuild";
import { build, type Plugin } from "vite";
import { MARK_LENGTH, markOf } from "../../hosts/browser/kit/text-marks.js";
import { TEXTS, type TextKey } from "../../hosts/browser/text/all.js";
import { LANGUAGE_NAMES, LANGUAGES } from "../../hosts/browser/text/translations.js";
import { PRODUCT } from "../../modules/product/product.js";
import { omittedModules, pageOmissions, standInFor } from "./omissions.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SOURCE = join(ROOT, "hosts", "browser");
export const ARCHIVE = join(ROOT, "modules", "resources", "web.bin");
/** Folder of the archives of pages that lack some parts. */
const VARIANTS = join(ROOT, ".build", "page");
const GZIP = new URL("./gzip.js", import.meta.url);
const OMISSIONS = new URL("./omissions.js", import.meta.url);
const TAG_LENGTH = 16;
const OFFLINE = "offline.js";
const TARGET = ["es2022", "safari16", "firefox115", "chrome109"];
const NAMES = join(ROOT, "modules", "product", "product.ts");

export interface PageFile {
	readonly path: string;
	readonly type: string;
	/** True if the name of the file changes with its content. */
	readonly immutable: boolean;
	readonly content: Uint8Array;
}
export interface PackedFile extends PageFile {
	readonly body: Uint8Array;
}

function newestSource(folder = SOURCE): number {
	const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
		const path = join(folder, entry.name);
		return entry.isDirectory() ? newestSource(path) : statSync(path).mtimeMs;
	});
	// The time of a folder is included, because it changes when a file in it is deleted.
	return Math.max(statSync(folder).mtimeMs, ...times);
}

/** Sources of the page's modules, except the omitted ones. */
function sources(without: readonly string[]): readonly string[] {
	const omitted = omittedModules(without);
	return readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
		.filter((path) => /\.tsx?$/.test(path) && !path.startsWith("text/") && !omitted.includes(path))
		.map((path) => readFileSync(join(SOURCE, path), "utf8"));
}

function documentSource(): string {
	return readFileSync(join(SOURCE, "document.html"), "utf8");
}

/**
 * Returns the beginnings of text keys that scripts complete (`error.${code}`). Such keys keep their names. Keys of one
 * word also keep their names, because the same word may mean something else in a script.
 */
function beginningsIn(modules: readonly string[]): readonly string[] {
	return modules.flatMap((text) => [...text.matchAll(/`([a-z][\w.-]*)\$\{/g)].map(([, beginning]) => beginning));
}

const KEY = /"([a-z]\w*(?:\.[\w/-]+)+)"/g;

/** Texts in the document's template, written as `{login.title}`. */
const TEMPLATE_KEY = /\{([\w.]+)\}/g;

export interface TextOrder {
	/** Texts in the template, followed by `error.offline`. */
	readonly inDocument: readonly TextKey[];
	/** Texts in the language files. Texts whose keys the scripts contain come first. */
	readonly inFiles: readonly TextKey[];
	/** Returns true if the scripts contain the key itself instead of the text's position. */
	isNamed(key: string): boolean;
}

/** Returns the order of the texts. `without` lists the parts that the firmware lacks. */
export function textOrder(html = documentSource(), without: readonly string[] = []): TextOrder {
	const modules = sources(without);
	const beginnings = beginningsIn(modules);
	const isComposed = (key: string) => beginnings.some((beginning) => key.startsWith(beginning));
	const isNamed = (key: string) => !key.includes(".") || isComposed(key);
	const isUsed = (key: string) => isComposed(key) || modules.some((text) => text.includes(`"${key}"`));
	const inTemplate = [...html.matchAll(TEMPLATE_KEY)].map(([, key]) => key as TextKey);
	const inDocument = [...new Set<TextKey>(inTemplate), "error.offline" as const];
	const others = (Object.keys(TEXTS) as TextKey[]).filter((key) => !inDocument.includes(key) && isUsed(key));
	return { inDocument, inFiles: [...others.filter(isNamed), ...others.filter((key) => !isNamed(key))], isNamed };
}

/** Replaces text keys in the scripts by positions, which are much shorter. */
function textNumbers({ inDocument, inFiles, isNamed }: TextOrder): { marks: string; plugin: Plugin } {
	const keys = [...inDocument, ...inFiles];
	const named = keys.filter(isNamed);
	if (new Set(named.map(markOf)).size < named.length) throw new Error("Two texts of the page have the same mark.");
	const places = new Map(keys.flatMap((key, place) => (isNamed(key) ? [] : [[key as string, place] as const])));
	return {
		marks: keys
			.map((key) => (isNamed(key) ? markOf(key) : "").padEnd(MARK_LENGTH))
			.join("")
			.trimEnd(),
		plugin: {
			name: "text-numbers",
			enforce: "pre",
			transform: (code, id) =>
				id.startsWith(SOURCE) && /\.tsx?$/.test(id)
					? code.replace(KEY, (literal, key) => places.get(key)?.toString() ?? literal)
					: undefined,
		},
	};
}

/** Removes Vite's import helper. It loads styles and preloads scripts; the page needs neither. */
const PLAIN_IMPORT: Plugin = {
	name: "plain-import",
	enforce: "pre",
	load: (id) => (id.endsWith("vite/preload-helper.js") ? "export const __vitePreload = (load) => load();" : undefined),
};

/** Replaces the modules that this page lacks by stand-ins. */
function standIns(without: readonly string[]): Plugin {
	const omitted = omittedModules(without).map((path) => join(SOURCE, path));
	return {
		name: "stand-ins",
		enforce: "pre",
		load: (id) => (omitted.includes(id) ? standInFor(readFileSync(id, "utf8")) : undefined),
	};
}

async function bundle(order: TextOrder, without: readonly string[]): Promise<{ scripts: PageFile[]; entry: string }> {
	const { marks, plugin } = textNumbers(order);
	const result = await build({
		root: SOURCE,
		configFile: false,
		logLevel: "warn",
		define: { MARKS: JSON.stringify(marks), LACKING: JSON.stringify(without.join(" ")) },
		plugins: [standIns(without), plugin, PLAIN_IMPORT],
		// With the classic runtime, scripts are 0.5 KB shorter than with the automatic one.
		oxc: { jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" } },
		build: {
			write: false,
			modulePreload: false,
			target: TARGET,
			rolldownOptions: {
				input: { app: join(SOURCE, "main.tsx") },
				transform: { inject: { h: ["preact", "h"], Fragment: ["preact", "Fragment"] } },
				output: { entryFileNames: "assets/[name]-[hash].js", chunkFileNames: "assets/[name]-[hash].js" },
			},
		},
	});
	if (Array.isArray(result) || !("output" in result))
		throw new Error("Vite has returned something other than one output.");
	const scripts: PageFile[] = [];
	let entry = "";
	for (const file of result.output) {
		if (file.type === "asset") throw new Error(`Vite has made a file that is not served: ${file.fileName}`);
		if (file.isEntry) entry = `/${file.fileName}`;
		const content = new TextEncoder().encode(file.code);
		scripts.push({ path: `/${file.fileName}`, type: "text/javascript", immutable: true, content });
	}
	return { scripts, entry };
}

function hashOf(content: Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

/**
 * Returns the file with the texts of a language, one text per line. Throws an Error for a text that contains a line
 * end.
 */
function textsIn(index: number, { inFiles }: TextOrder): PageFile {
	const texts = inFiles.map((key) => TEXTS[key][index]);
	const odd = texts.find((text) => /[\n\r]/.test(text));
	if (odd !== undefined) throw new Error(`A text of the page has a line end: ${odd}`);
	const content = new TextEncoder().encode(texts.join("\n"));
	const path = `/assets/${LANGUAGES[index]}-${hashOf(content).slice(0, 8)}.txt`;
	return { path, type: "text/plain", immutable: true, content };
}

/** Returns the style of the document. Vite adapts it to the browsers, and returns it as a module. */
async function documentStyle(): Promise<string> {
	const input = `${join(SOURCE, "document.css")}?inline`;
	const result = await build({
		root: SOURCE,
		configFile: false,
		logLevel: "warn",
		build: {
			write: false,
			modulePreload: false,
			target: TARGET,
			rolldownOptions: { input, preserveEntrySignatures: "strict" },
		},
	});
	if (Array.isArray(result) || !("output" in result))
		throw new Error("Vite has returned something other than one output.");
	return (await import(`data:text/javascript,${encodeURIComponent(result.output[0].code)}`)).default;
}

interface Inline {
	readonly style: string;
	readonly start: string;
}

async function inlineParts(entry: string, files: readonly PageFile[], { inDocument }: TextOrder): Promise<Inline> {
	const texts = LANGUAGES.map((language, index) => {
		const first = inDocument.map((key) => TEXTS[key][index]);
		return [language, { first, others: files[index].path }];
	});
	const define = {
		SCRIPT: JSON.stringify(entry),
		TEXTS: JSON.stringify(Object.fromEntries(texts)),
	};
	const source = readFileSync(join(SOURCE, "start.js"), "utf8");
	const { code } = await transform(source, { minify: true, target: TARGET, define, charset: "utf8" });
	return { style: await documentStyle(), start: code.trim() };
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Returns the icon in a form that can be used within an attribute in double quotes. */
function iconOf(svg: string): string {
	const drawing = svg.replace(/<title>.*<\/title>/, "").trim();
	return drawing.replaceAll('"', "'").replaceAll("#", "%23");
}

/**
 * Makes the documents for all paths. They have the same content, but `/` appears in the browser's language, and each of
 * the other paths has its own language.
 */
function documents(html: string, { inDocument }: TextOrder, { style, start }: Inline): PageFile[] {
	const inLanguages = (element: (language: string, index: number) => string) => LANGUAGES.map(element).join("");
	const values: Record<string, string> = {
		TITLE: escaped(TEXTS.title[0]),
		NOSCRIPT: inLanguages((lang, index) => `<p lang="${lang}">${escaped(TEXTS.noscript[index])}`),
		OPTIONS: inLanguages((lang, index) => `<option lang="${lang}" value="${lang}">${LANGUAGE_NAMES[index]}</option>`),
		STYLE: style,
		START: start,
		// The icon is included in the document, because a browser would otherwise request it at the same time as the
		// scripts.
		ICON: iconOf(readFileSync(join(SOURCE, "icon.svg"), "utf8")),
	};
	const numbered = html.replace(TEMPLATE_KEY, (_, key) => `{${inDocument.indexOf(key)}}`);
	const content = new TextEncoder().encode(numbered.replace(/%([A-Z]+)%/g, (_, name) => values[name]));
	return ["/", ...LANGUAGES.map((language) => `/${language}`)].map((path) => ({
		path,
		type: "text/html; charset=utf-8",
		immutable: false,
		content,
	}));
}

function named(text: string): string {
	return text.replaceAll("%PRODUCT%", PRODUCT);
}

/** Files with name and icon of the page, for a phone's home screen (W3C Web Application Manifest). */
const APP_FILES = [
	["app.webmanifest", "application/manifest+json"],
	["icon.png", "image/png"],
];

async function appFiles(): Promise<PageFile[]> {
	const files = APP_FILES.map(([name, type]) => {
		const bytes = readFileSync(join(SOURCE, name));
		const content = type === "image/png" ? bytes : new TextEncoder().encode(named(bytes.toString()));
		return { path: `/${name}`, type, immutable: false, content };
	});
	return [...files, await offlineWorker()];
}

/** Returns the service worker. It is at the root, because a service worker can only serve paths below its own. */
async function offlineWorker(): Promise<PageFile> {
	const { code } = await transform(readFileSync(join(SOURCE, OFFLINE), "utf8"), { minify: true });
	return { path: `/${OFFLINE}`, type: "text/javascript", immutable: false, content: new TextEncoder().encode(code) };
}

/**
 * Returns the Content Security Policy of the documents (CSP Level 3). It allows the page's own scripts, the gateway's
 * API, and the style and script in the document. The other styles are constructed style sheets, to which no directive
 * applies.
 */
function policyFor({ style, start }: Inline): string {
	const source = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
	return [
		"default-src 'none'",
		`script-src 'self' ${source(start)}`,
		`style-src ${source(style)}`,
		"img-src 'self' data:",
		"connect-src 'self'",
		"manifest-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join("; ");
}

/** Packs files into an archive. Files with equal content are stored once. */
export function pack(files: readonly PackedFile[], policy: string): Buffer {
	const heads = files.map(({ path, type, immutable, content }) => {
		const tag = hashOf(content).slice(0, TAG_LENGTH);
		const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);
		return Buffer.concat([text(path), text(type), Buffer.from(tag), Buffer.from([immutable ? 1 : 0]), Buffer.alloc(8)]);
	});
	const start = Buffer.alloc(3);
	start.writeUInt8(files.length);
	start.writeUInt16BE(policy.length, 1);
	let at = 3 + policy.length + heads.reduce((sum, head) => sum + head.length, 0);
	const bodies = new Map(files.map(({ content, body }) => [hashOf(content), body]));
	const places = new Map<string, number>();
	for (const [hash, body] of bodies) {
		places.set(hash, at);
		at += body.length;
	}
	files.forEach(({ content }, index) => {
		const hash = hashOf(content);
		heads[index].writeUInt32BE(bodies.get(hash)!.length, heads[index].length - 8);
		heads[index].writeUInt32BE(places.get(hash)!, heads[index].length - 4);
	});
	return Buffer.concat([start, Buffer.from(policy, "latin1"), ...heads, ...bodies.values()]);
}

/** Makes the page. `without` lists the parts and protocols that the firmware lacks. */
export async function makePage(without: readonly string[] = []): Promise<{ files: PackedFile[]; policy: string }> {
	const html = documentSource();
	const order = textOrder(html, without);
	const { scripts, entry } = await bundle(order, without);
	const texts = LANGUAGES.map((_, index) => textsIn(index, order));
	const inline = await inlineParts(entry, texts, order);
	const files = [...documents(html, order, inline), ...scripts, ...texts, ...(await appFiles())];
	const worker = new Worker(GZIP, {
		workerData: files.map(({ content }) => content),
	});
	const [bodies]: Uint8Array[][] = await once(worker, "message");
	return { files: files.map((file, index) => ({ ...file, body: bodies[index] })), policy: policyFor(inline) };
}

async function writeArchive(path: string, without: readonly string[]): Promise<void> {
	const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	const makers = [import.meta.url, GZIP, OMISSIONS].map((url) => fileURLToPath(url));
	const others = [...makers, NAMES, join(ROOT, "package-lock.json")];
	if (written > Math.max(newestSource(), ...others.map((other) => statSync(other).mtimeMs))) return;
	const { files, policy } = await makePage(without);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, pack(files, policy));
}

/** Builds the archive. Has no effect if the archive is newer than its sources. */
export async function buildPage(): Promise<void> {
	await writeArchive(ARCHIVE, []);
}

/** Builds the archive for a firmware without these parts and protocols, and returns its path. */
export async function archiveFor(without: readonly string[]): Promise<string> {
	const names = pageOmissions(without);
	if (names.length === 0) return ARCHIVE;
	const path = join(VARIANTS, names.join("-"), "web.bin");
	await writeArchive(path, names);
	return path;
}

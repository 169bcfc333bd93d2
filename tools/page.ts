/**
 * Builds the page into its archive (layout: modules/http/static.ts): scripts named after their content, one document
 * per language with the texts of the first page, one file with its other texts, and files for a home screen. Runs before every command if a source is newer than the
 * archive.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { transform } from "esbuild";
import { build, type Plugin } from "vite";
import { FIRST_TEXTS, TEXTS, type TextKey } from "../hosts/browser/text/all.js";
import { LANGUAGE_NAMES, LANGUAGES, type Translations } from "../hosts/browser/text/translations.js";
import { PRODUCT } from "../modules/product.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCE = join(ROOT, "hosts", "browser");
export const ARCHIVE = join(ROOT, "modules", "resources", "web.bin");
const GZIP = new URL("./page-gzip.js", import.meta.url);
const TAG_LENGTH = 16;
const OFFLINE = "offline.js";
const NAMES = join(ROOT, "modules", "product.ts");
const TARGET = ["es2022", "safari16", "firefox115", "chrome109"];
/** Scripts that may only use the texts in the document. */
const FIRST_SCRIPTS = /^assets\/(app|use)-/;

export interface PageFile {
	readonly path: string;
	readonly type: string;
	/** True if the name of the file changes with its content. */
	readonly immutable: boolean;
	readonly content: Uint8Array;
	/** The content in pieces, if other files have some of them too. */
	readonly pieces?: readonly Uint8Array[];
}
export interface PackedFile extends PageFile {
	/** Parts of the content as gzip. One that several files have is stored once. */
	readonly parts: readonly Uint8Array[];
}

function newestSource(folder = SOURCE): number {
	const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
		const path = join(folder, entry.name);
		return entry.isDirectory() ? newestSource(path) : statSync(path).mtimeMs;
	});
	// A folder's time changes when a file is deleted.
	return Math.max(statSync(folder).mtimeMs, ...times);
}

function sources(): readonly string[] {
	return readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
}

/**
 * Beginnings of text keys that scripts build from parts (`error.${code}`). Keys with these beginnings keep their names.
 * Keys of one word also keep theirs, because such a word may mean something else in a script.
 */
function keptBeginnings(): readonly string[] {
	const all = sources().map((path) => readFileSync(join(SOURCE, path), "utf8"));
	return all.flatMap((text) => [...text.matchAll(BEGINNING)].map(([, beginning]) => beginning));
}

/** Beginning of a text key that a script completes. */
const BEGINNING = /`([a-z][\w.-]*)\$\{/g;
const KEY = /"([a-z]\w*(?:\.[\w/-]+)+)"/g;

/** Replaces text keys in scripts by their positions, which are much shorter. */
function textNumbers(): { names: string; plugin: Plugin } {
	const keys = Object.keys(TEXTS);
	const beginnings = keptBeginnings();
	const isKept = (key: string) => !key.includes(".") || beginnings.some((beginning) => key.startsWith(beginning));
	const places = new Map(keys.flatMap((key, place) => (isKept(key) ? [] : [[key, place] as const])));
	return {
		names: keys.map((key) => (isKept(key) ? key : "")).join(" "),
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

/** Throws an Error if a module of the first scripts uses a text that is not in the document. */
function checkTexts(id: string): void {
	if (!id.startsWith(SOURCE) || !/\.tsx?$/.test(id)) return;
	const code = readFileSync(id, "utf8");
	// `isText` tells errorText that a text is missing.
	const beginnings = [...code.matchAll(BEGINNING)].map(([, beginning]) => beginning).filter((one) => one !== "error.");
	for (const key of Object.keys(TEXTS)) {
		const isUsed = code.includes(`"${key}"`) || beginnings.some((beginning) => key.startsWith(beginning));
		if (isUsed && key.includes(".") && !(key in FIRST_TEXTS)) throw new Error(`${id} uses a later text: ${key}`);
	}
}

/** Vite's import helper loads styles and preloads scripts; the page needs neither. */
const PLAIN_IMPORT: Plugin = {
	name: "plain-import",
	enforce: "pre",
	load: (id) => (id.endsWith("vite/preload-helper.js") ? "export const __vitePreload = (load) => load();" : undefined),
};

async function bundle(): Promise<{ scripts: PageFile[]; entry: string }> {
	const { names, plugin } = textNumbers();
	const result = await build({
		root: SOURCE,
		configFile: false,
		logLevel: "warn",
		define: { NAMES: JSON.stringify(names) },
		plugins: [plugin, PLAIN_IMPORT],
		// Scripts are 0.5 KB shorter than with the automatic runtime.
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
	if (Array.isArray(result) || !("output" in result)) throw new Error("Vite gave something else than one output.");
	const scripts: PageFile[] = [];
	let entry = "";
	for (const file of result.output) {
		if (file.type === "asset") throw new Error(`Vite made a file that nothing serves: ${file.fileName}`);
		if (file.isEntry) entry = `/${file.fileName}`;
		if (FIRST_SCRIPTS.test(file.fileName)) file.moduleIds.forEach(checkTexts);
		const content = new TextEncoder().encode(file.code);
		scripts.push({ path: `/${file.fileName}`, type: "text/javascript", immutable: true, content });
	}
	return { scripts, entry };
}

function hashOf(content: Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

/** Returns the text. Throws an Error if it has one of these characters, which its place in the document forbids. */
function without(forbidden: RegExp, text: string): string {
	if (forbidden.test(text)) throw new Error(`A text of the page has one of ${forbidden}: ${text}`);
	return text;
}

/** One text per line. */
function textsIn(index: number, texts: Readonly<Record<string, Translations>>): string {
	return Object.values(texts)
		.map((translations) => without(/[\n\r<]/, translations[index]))
		.join("\n");
}

function laterTexts(index: number): PageFile {
	const later = Object.entries(TEXTS).filter(([key]) => !(key in FIRST_TEXTS));
	const content = new TextEncoder().encode(textsIn(index, Object.fromEntries(later)));
	const path = `/assets/${LANGUAGES[index]}-${hashOf(content).slice(0, 8)}.txt`;
	return { path, type: "text/plain; charset=utf-8", immutable: true, content };
}

/** Style sheet of the documents, for the same browsers as the others. Vite gives it as a module that exports it. */
async function documentStyle(): Promise<string> {
	const result = await build({
		root: SOURCE,
		configFile: false,
		logLevel: "warn",
		build: {
			write: false,
			modulePreload: false,
			target: TARGET,
			rolldownOptions: { input: `${join(SOURCE, "document.css")}?inline`, preserveEntrySignatures: "strict" },
		},
	});
	if (Array.isArray(result) || !("output" in result)) throw new Error("Vite gave something else than one output.");
	return (await import(`data:text/javascript,${encodeURIComponent(result.output[0].code)}`)).default;
}

/** Script of the documents' heads, which runs before the first paint and then loads `entry`. */
async function startOf(entry: string): Promise<string> {
	const define = { SCRIPT: JSON.stringify(entry) };
	const source = readFileSync(join(SOURCE, "start.js"), "utf8");
	return (await transform(source, { minify: true, target: TARGET, define })).code.trim();
}

function filled(name: string, value: (name: string) => string): string {
	return readFileSync(join(SOURCE, name), "utf8").replace(/%([A-Za-z][\w.]*)%/g, (_, key) => value(key));
}

/** The part of the head that the documents of all languages have. */
function headFor(style: string, start: string): string {
	const values: Record<string, string> = {
		STYLE: `<style>${style}</style>`,
		START: `<script>${start}</script>`,
		// A browser would request the icon along with the document.
		ICON: encodeURIComponent(named(readFileSync(join(SOURCE, "icon.svg"), "utf8")).trim()),
	};
	return filled("head.html", (name) => values[name]);
}

function documentFor(index: number, head: Uint8Array): PageFile {
	const values: Record<string, string> = {
		LANGUAGE: LANGUAGES[index],
		NAME: LANGUAGE_NAMES[index],
		TEXTS: textsIn(index, FIRST_TEXTS),
		LATER: laterTexts(index).path,
		HEAD: "%HEAD%",
	};
	const html = filled("document.html", (name) =>
		name in TEXTS ? without(/[<&"]/, TEXTS[name as TextKey][index]) : values[name],
	);
	const [before, after] = html.split("%HEAD%").map((piece) => Buffer.from(piece));
	const pieces = [before, head, after];
	const content = Buffer.concat(pieces);
	return { path: `/${LANGUAGES[index]}`, type: "text/html; charset=utf-8", immutable: false, content, pieces };
}

function named(text: string): string {
	return text.replaceAll("%PRODUCT%", PRODUCT);
}

/** Files with name and icon of the page for a phone's home screen (W3C Web Application Manifest). */
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

/** The service worker is at the root, because it can only serve what is below its own path. */
async function offlineWorker(): Promise<PageFile> {
	const { code } = await transform(readFileSync(join(SOURCE, OFFLINE), "utf8"), { minify: true });
	return { path: `/${OFFLINE}`, type: "text/javascript", immutable: false, content: new TextEncoder().encode(code) };
}

/**
 * Content Security Policy of the documents (CSP Level 3). It allows the page's own scripts, the gateway's API, and the
 * style and script in the documents' heads. No directive applies to the other styles, which are constructed style sheets.
 */
function policyFor(style: string, start: string): string {
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

export function pack(files: readonly PackedFile[], policy: string): Buffer {
	const parts = [...new Set(files.flatMap((file) => file.parts))];
	const heads = files.map(({ path, type, immutable, content, parts }) => {
		const tag = hashOf(content).slice(0, TAG_LENGTH);
		const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);
		const numbers = Buffer.from([immutable ? 1 : 0, parts.length]);
		return Buffer.concat([text(path), text(type), Buffer.from(tag), numbers, Buffer.alloc(8 * parts.length)]);
	});
	const start = Buffer.alloc(3);
	start.writeUInt8(files.length);
	start.writeUInt16BE(policy.length, 1);
	let at = 3 + policy.length + heads.reduce((sum, head) => sum + head.length, 0);
	const places = new Map<Uint8Array, number>();
	for (const part of parts) {
		places.set(part, at);
		at += part.length;
	}
	files.forEach((file, index) => {
		const head = heads[index];
		file.parts.forEach((part, place) => {
			const entry = head.length - 8 * (file.parts.length - place);
			head.writeUInt32BE(part.length, entry);
			head.writeUInt32BE(places.get(part)!, entry + 4);
		});
	});
	return Buffer.concat([start, Buffer.from(policy, "latin1"), ...heads, ...parts]);
}

export async function makePage(): Promise<{ files: PackedFile[]; policy: string }> {
	const { scripts, entry } = await bundle();
	const start = await startOf(entry);
	const style = await documentStyle();
	const head = Buffer.from(headFor(style, start));
	const documents = LANGUAGES.map((_, index) => documentFor(index, head));
	const texts = LANGUAGES.map((_, index) => laterTexts(index));
	const files = [...documents, ...scripts, ...texts, ...(await appFiles())];
	const worker = new Worker(GZIP, {
		workerData: files.map(({ content, pieces = [content] }) => pieces),
	});
	const [parts]: Uint8Array[][][] = await once(worker, "message");
	return { files: files.map((file, index) => ({ ...file, parts: parts[index] })), policy: policyFor(style, start) };
}

/** Has no effect if the archive is newer than all its sources. */
export async function buildPage(): Promise<void> {
	const written = statSync(ARCHIVE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	const makers = [fileURLToPath(import.meta.url), fileURLToPath(GZIP), NAMES, join(ROOT, "package-lock.json")];
	if (written > Math.max(newestSource(), ...makers.map((path) => statSync(path).mtimeMs))) return;
	const { files, policy } = await makePage();
	writeFileSync(ARCHIVE, pack(files, policy));
}

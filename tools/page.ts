/**
 * Builds the web page of the gateway into the one archive that it serves it from (modules/http/static.ts tells the
 * layout): scripts by Vite, named after their content; a document for each language with the texts of the first page
 * inside, so that this page takes two requests; a file for each language with the texts of all others; what a
 * home screen shows. Runs before every command when a source is newer than the archive.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { FIRST_TEXTS, LATER_TEXTS } from "../hosts/browser/text/all.js";
import { LANGUAGES, type Translations } from "../hosts/browser/text/translations.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCE = join(ROOT, "hosts", "browser");
export const ARCHIVE = join(ROOT, "modules", "resources", "web.bin");
const TAG_LENGTH = 16;

export interface PageFile {
	readonly path: string;
	readonly type: string;
	/** Its name changes with its content. */
	readonly immutable: boolean;
	readonly content: Uint8Array;
}

/** Newest change of anything in the folder, ms. */
function newestSource(folder = SOURCE): number {
	const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
		const path = join(folder, entry.name);
		return entry.isDirectory() ? newestSource(path) : statSync(path).mtimeMs;
	});
	// The folder's own changes when a file of it goes.
	return Math.max(statSync(folder).mtimeMs, ...times);
}

async function bundle(): Promise<{ scripts: PageFile[]; entry: string }> {
	const result = await build({
		root: SOURCE,
		configFile: false,
		logLevel: "warn",
		define: { FIRST_KEYS: keysOf(FIRST_TEXTS), LATER_KEYS: keysOf(LATER_TEXTS) },
		oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
		build: {
			write: false,
			modulePreload: false,
			target: ["es2022", "safari16", "firefox115", "chrome109"],
			rolldownOptions: {
				input: { app: join(SOURCE, "main.tsx") },
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
		const content = new TextEncoder().encode(file.code);
		scripts.push({ path: `/${file.fileName}`, type: "text/javascript", immutable: true, content });
	}
	return { scripts, entry };
}

function hashOf(content: Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

/** JSON of the texts in one language, without their keys: those are in the script, once for all languages. */
function textsIn(index: number, table: Readonly<Record<string, Translations>>): string {
	return JSON.stringify(Object.values(table).map((texts) => texts[index]));
}

/** A string constant of the script. */
function keysOf(table: Readonly<Record<string, Translations>>): string {
	return JSON.stringify(Object.keys(table).join(" "));
}

/** The texts of all pages but the first in one language. */
function laterTexts(index: number): PageFile {
	const content = new TextEncoder().encode(textsIn(index, LATER_TEXTS));
	const path = `/assets/${LANGUAGES[index]}-${hashOf(content).slice(0, 8)}.json`;
	return { path, type: "application/json", immutable: true, content };
}

/** The document of one language, which names where its other texts are. */
function documentFor(index: number, entry: string, later: string): PageFile {
	const values: Record<string, string> = {
		LANGUAGE: LANGUAGES[index],
		TITLE: FIRST_TEXTS.title[index],
		NOSCRIPT: FIRST_TEXTS.noscript[index],
		// In a script element only "<" could end it.
		TEXTS: textsIn(index, FIRST_TEXTS).replace(/</g, "\\u003c"),
		LATER: later,
		SCRIPT: entry,
		// In the document, since a browser would ask for it with the first request.
		ICON: encodeURIComponent(readFileSync(join(SOURCE, "icon.svg"), "utf8").trim()),
	};
	const html = readFileSync(join(SOURCE, "document.html"), "utf8").replace(/%([A-Z]+)%/g, (_, name) => values[name]);
	const content = new TextEncoder().encode(html);
	return { path: `/${LANGUAGES[index]}`, type: "text/html; charset=utf-8", immutable: false, content };
}

/** What a page put on a phone's home screen looks like (W3C Web Application Manifest). */
const APP_FILES = [
	["app.webmanifest", "application/manifest+json"],
	["icon.png", "image/png"],
];

function appFiles(): PageFile[] {
	return APP_FILES.map(([name, type]) => {
		const content = readFileSync(join(SOURCE, name));
		return { path: `/${name}`, type, immutable: false, content };
	});
}

/**
 * What the documents may load and do (CSP Level 3): our own scripts and our API. The style is a constructed sheet of our
 * script's, which no directive is about.
 */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"manifest-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** The archive; contents are compressed here. */
export function pack(files: readonly PageFile[], policy: string): Buffer {
	const bodies = files.map(({ content }) => gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
	const heads = files.map(({ path, type, immutable, content }) => {
		const tag = hashOf(content).slice(0, TAG_LENGTH);
		const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);
		return Buffer.concat([text(path), text(type), Buffer.from(tag), Buffer.from([immutable ? 1 : 0]), Buffer.alloc(8)]);
	});
	const start = Buffer.alloc(3);
	start.writeUInt8(files.length);
	start.writeUInt16BE(policy.length, 1);
	let at = 3 + policy.length + heads.reduce((sum, head) => sum + head.length, 0);
	bodies.forEach((body, index) => {
		heads[index].writeUInt32BE(body.length, heads[index].length - 8);
		heads[index].writeUInt32BE(at, heads[index].length - 4);
		at += body.length;
	});
	return Buffer.concat([start, Buffer.from(policy, "latin1"), ...heads, ...bodies]);
}

/** All files of the page, documents first, and their policy. */
export async function makePage(): Promise<{ files: PageFile[]; policy: string }> {
	const { scripts, entry } = await bundle();
	const texts = LANGUAGES.map((_, index) => laterTexts(index));
	const documents = texts.map(({ path }, index) => documentFor(index, entry, path));
	return { files: [...documents, ...scripts, ...texts, ...appFiles()], policy: POLICY };
}

/** Writes the archive unless it is newer than all its sources. */
export async function buildPage(): Promise<void> {
	const written = statSync(ARCHIVE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	const makers = [fileURLToPath(import.meta.url), join(ROOT, "package-lock.json")];
	if (written > Math.max(newestSource(), ...makers.map((path) => statSync(path).mtimeMs))) return;
	const { files, policy } = await makePage();
	writeFileSync(ARCHIVE, pack(files, policy));
}

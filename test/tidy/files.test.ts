/** Checks names and places of files, and that each begins with its purpose. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { PARTS } from "../../modules/app/parts.js";
import { assertNone, code, paths, ROOT } from "./tree.js";

const TOP_LEVEL = [
	"ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE NOTICE README.md SECURITY.md biome.json manifest.json package-lock.json package.json tsconfig.json",
	"docs hosts modules node_modules test tools",
]
	.join(" ")
	.split(" ");

/** Folders of test/ in addition to those that mirror modules/. */
const TEST_FOLDERS = [
	"homeassistant",
	"hosts",
	"tools",
	"vectors",
	"system",
	"whole",
	"browser",
	"peers",
	"emulated",
	"fleet",
	"fuzz",
	"tidy",
];

const TEST = /\.(test|hosts)\.[\w.]+$/;
/** The commands in the name of a test file, and those for which the file has a value (test/runs.ts). */
const IN_NAME = /\.(test|hosts|long|linux)(?=\.)/g;
const IN_CODE = /\b(test|hosts|long|linux): /g;

describe("tidy: files", () => {
	it("says at the top of every file except tests what it is for", () => {
		assertNone(
			code
				.filter(({ path }) => !TEST.test(path))
				.filter(({ text }) => !/^(#!.*\n)?\/\*\*\s/.test(text))
				.map(({ path }) => `${path}:1: begin with /** what it is, for whom, by which standard, with which limits */`),
		);
	});

	it("names files in kebab-case, and none of them index", () => {
		const inside = paths.filter((path) =>
			/^(modules|hosts|test|tools)\/.*\.(tsx?|mjs|js|html|css|tsv|bin|hex|txt)$/.test(path),
		);
		assertNone(
			inside
				.filter(
					(path) =>
						!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(basename(path)) || /^index\.(ts|m?js)$/.test(basename(path)),
				)
				.map((path) => `${path}: name it in kebab-case after the one thing that it holds`),
		);
	});

	it("has only the agreed names at the top level", () => {
		assertNone(
			readdirSync(ROOT)
				.filter((name) => !name.startsWith(".") && !TOP_LEVEL.includes(name))
				.map((name) => `${name}: find the folder that it belongs in`),
		);
	});

	it("keeps one level of folders in modules/, except for the parts and their routes", () => {
		const known = /^modules\/(\w[\w-]*|parts\/\w[\w-]*(\/routes)?)\/[^/]+$|^modules\/[^/]+\.json$/;
		assertNone(
			paths
				.filter((path) => path.startsWith("modules/") && !known.test(path))
				.map((path) => `${path}: an engine is one folder in modules/, a part one folder in modules/parts/`),
		);
	});

	it("names the folder of each part after the part", () => {
		const folders = new Set(paths.map((path) => /^modules\/parts\/([^/]+)\//.exec(path)?.[1]));
		folders.delete(undefined);
		assert.deepEqual([...folders].sort(), PARTS.map(({ name }) => name).sort());
	});

	it("keeps tests in test/, in folders named like those of modules/", () => {
		const rooms = new Set(
			paths
				.filter((path) => path.startsWith("modules/"))
				.map((path) => path.replace("modules/parts/", "modules/").split("/")[1]),
		);
		assertNone([
			...paths
				.filter((path) => TEST.test(path) && !path.startsWith("test/"))
				.map((path) => `${path}: move it to test/, which mirrors the tree`),
			...paths
				.filter((path) => path.startsWith("test/") && path.split("/").length > 2)
				.filter((path) => !rooms.has(path.split("/")[1]) && !TEST_FOLDERS.includes(path.split("/")[1]))
				.map((path) => `${path}: name the folder after the engine or part that is tested`),
		]);
	});

	it("names each test file after the commands for which it has values", () => {
		const names = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name]) => name))];
		assertNone(
			code
				.filter(({ code }) => /byRun\(/.test(code))
				.filter(({ path, code }) => `${names(path, IN_NAME).sort()}` !== `${names(code, IN_CODE).sort()}`)
				.map(({ path, code }) => `${path}: end the name with .${names(code, IN_CODE).join(".")}.ts`),
		);
	});
});

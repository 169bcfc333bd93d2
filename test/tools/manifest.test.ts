import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import {
	foldersOf,
	type Manifest,
	manifestPaths,
	ROOT_MANIFEST,
	runtimeImports,
	typescriptNames,
	withLists,
} from "../../tools/manifest/lists.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** What an ESP32 without PSRAM can spare for the objects of XS: chunks of bytes and slots of 16 bytes. */
const HEAP_BYTES = 81920 + 49152;

/** What the compiler of the firmware may do otherwise than the one of the bench. */
const BENCH_ONLY =
	"types module moduleResolution composite sourceMap rootDir outDir tsBuildInfoFile noUncheckedIndexedAccess";

function read(path: string): Manifest {
	return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

function none(findings: readonly string[]): void {
	assert.ok(findings.length === 0, `\n${findings.join("\n")}\nMost of this is mended by: npm run manifest`);
}

/** The manifest itself and all of the project's that it includes. */
function withIncluded(path: string): string[] {
	const includes = [read(path).include ?? []].flat().filter((name) => name.startsWith("."));
	return [path, ...includes.flatMap((name) => withIncluded(posix.join(posix.dirname(path), name)))];
}

/** The targets of a manifest's own TypeScript files with their paths from the root. */
function targets(path: string): Map<string, string> {
	const found = new Map<string, string>();
	for (const [target, sources] of Object.entries(read(path).modules ?? {})) {
		for (const source of [sources].flat().filter((name) => name.startsWith("."))) {
			const file = `${posix.join(posix.dirname(path), source)}.ts`;
			if (existsSync(join(ROOT, file))) found.set(target.replace("*", posix.basename(source)), file);
		}
	}
	return found;
}

describe("the manifests of the firmware", () => {
	const paths = manifestPaths(ROOT);

	for (const path of paths) {
		const manifest = read(path);

		describe(path, () => {
			it("names every TypeScript file of its folders under modules and under preload, and no other", () => {
				const wanted = withLists(ROOT, path, manifest);
				assert.deepEqual(manifest.modules, wanted.modules, "run: npm run manifest");
				assert.deepEqual(manifest.preload, wanted.preload, "run: npm run manifest");
			});

			it("names nothing that is not there", () => {
				const lists = [manifest.modules, manifest["data"], manifest["resources"]] as (
					| Manifest["modules"]
					| undefined
				)[];
				const sources = lists.flatMap((list) => Object.values(list ?? {}).flat());
				const included = [manifest.include ?? []].flat();
				none(
					[...sources, ...included]
						.filter((source) => source.startsWith("."))
						.filter((source) => {
							const stem = join(ROOT, dirname(path), source);
							if (/[*/]$/.test(source)) return !existsSync(dirname(stem));
							const isIt = (name: string) =>
								name === posix.basename(source) || name.startsWith(`${posix.basename(source)}.`);
							return !existsSync(dirname(stem)) || !readdirSync(dirname(stem)).some(isIt);
						})
						.map((source) => `${path}: ${source}: there is no such file`),
				);
			});

			it("gives each file the target that its place in the tree has, in lower case", () => {
				none(
					[...targets(path)]
						.filter(([target, file]) => `${target}.ts` !== file || !/^[a-z0-9]+([-/][a-z0-9]+)*$/.test(target))
						.map(([target, file]) => `${path}: "${target}" is ${file}: relative imports wouldn't find it`),
				);
			});

			it("names what its files import, itself or in a manifest that it includes", () => {
				const known = new Set(withIncluded(path).flatMap((name) => [...targets(name).keys()]));
				none(
					[...targets(path).values()].flatMap((file) =>
						runtimeImports(readFileSync(join(ROOT, file), "utf8"))
							.map((name) => posix.join(posix.dirname(file), name).replace(/\.js$/, ""))
							.filter((target) => !known.has(target))
							.map((target) => `${file}: imports ${target}, which ${path} and what it includes don't name`),
					),
				);
			});

			it("preloads no module with a generator at its top level", () => {
				none(
					[...targets(path).values()]
						.filter((file) =>
							/^(export )?(default )?(async )?function\s?\*/m.test(readFileSync(join(ROOT, file), "utf8")),
						)
						.map((file) => `${file}: its prototype can't be frozen: write a class or a loop`),
				);
			});

			it("starts a module that is there", () => {
				const main = manifest.creation?.main;
				if (main !== undefined) assert.ok(targets(path).has(main), `${path}: creation.main: ${main} is not in modules`);
			});

			it("leaves the memory of the device as it is, or says it whole", () => {
				const { chunk, heap, stack, static: pool } = manifest.creation ?? {};
				if (path !== ROOT_MANIFEST && chunk === undefined && heap === undefined) return;
				assert.equal(pool, 0, "one pool for all would let chunks take the place of slots");
				assert.equal(chunk!.incremental, 0, "a memory that grows has no limit to test");
				assert.equal(heap!.incremental, 0, "a memory that grows has no limit to test");
				assert.equal(chunk!.initial + 16 * heap!.initial, HEAP_BYTES);
				assert.equal(stack, 512);
			});
		});
	}

	it("are there for every folder that the device runs", () => {
		const answered = new Set(paths.flatMap((path) => foldersOf(ROOT, path, read(path))));
		const hosts = readdirSync(join(ROOT, "hosts"), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && entry.name !== "node")
			.map((entry) => `hosts/${entry.name}`)
			.filter((folder) => typescriptNames(ROOT, folder).length > 0);
		none(hosts.filter((folder) => !answered.has(folder)).map((folder) => `${folder}: has no manifest.json`));
	});

	it("compile as strictly as the bench does", () => {
		const bench = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")).compilerOptions;
		const typescript = read(ROOT_MANIFEST)["typescript"] as { tsconfig: { compilerOptions: Record<string, unknown> } };
		const device = typescript.tsconfig.compilerOptions;
		for (const name of Object.keys(bench).filter((option) => !BENCH_ONLY.split(" ").includes(option)))
			assert.deepEqual(device[name], bench[name], name);
	});
});

describe("npm run manifest", () => {
	const root = mkdtempSync(join(tmpdir(), "gateway-manifest-"));
	after(() => rmSync(root, { recursive: true, force: true }));
	for (const folder of ["modules/a", "modules/b-c", "modules/empty", "hosts/linux", "hosts/native", "hosts/node"])
		mkdirSync(join(root, folder), { recursive: true });
	for (const file of [
		"modules/a/z.ts",
		"modules/a/b.ts",
		"modules/b-c/d.ts",
		"modules/a/types.d.ts",
		"modules/a/x.tsv",
	])
		writeFileSync(join(root, file), "");
	for (const file of [
		"hosts/linux/main.ts",
		"hosts/linux/manifest.json",
		"hosts/linux/serial.c",
		"hosts/linux/runner.c",
	])
		writeFileSync(join(root, file), "");
	for (const file of ["hosts/native/streams.ts", "hosts/native/face.c", "hosts/native/core.c", "hosts/node/n.ts"])
		writeFileSync(join(root, file), "");

	it("finds the manifests at the root and of the hosts that have one", () => {
		assert.deepEqual(manifestPaths(root), ["manifest.json", "hosts/linux/manifest.json"]);
	});

	it("writes a folder of modules/ as one key, its files in order, and all of them as preloads", () => {
		const made = withLists(root, "manifest.json", { modules: {}, preload: [] });
		assert.deepEqual(made, {
			modules: { "modules/a/*": ["./modules/a/b", "./modules/a/z"], "modules/b-c/*": ["./modules/b-c/d"] },
			preload: ["modules/a/b", "modules/a/z", "modules/b-c/d"],
		});
		assert.deepEqual(withLists(root, "manifest.json", made), made);
	});

	it("drops what is gone, and keeps what was written by hand where it was", () => {
		const made = withLists(root, "hosts/linux/manifest.json", {
			include: "../../manifest.json",
			modules: { "hosts/linux/gone": "./gone", "*": ["./x"], "text/decoder": "$(MODULES)/text/decoder" },
			preload: ["hosts/linux/gone", "text/decoder"],
			creation: { main: "hosts/linux/main" },
		});
		assert.deepEqual(made, {
			include: "../../manifest.json",
			modules: { "*": ["./x"], "text/decoder": "$(MODULES)/text/decoder", "hosts/linux/*": ["./main"] },
			preload: ["text/decoder", "hosts/linux/main"],
			creation: { main: "hosts/linux/main" },
		});
		assert.deepEqual(Object.keys(made), ["include", "modules", "preload", "creation"]);
	});

	it("leaves it to the hand which C files are built, and does another folder of hosts/ where there is a key", () => {
		const made = withLists(root, "hosts/linux/manifest.json", {
			modules: { "hosts/linux/*": ["./serial", "./gone", "./main"], "hosts/native/*": ["../native/face"] },
		});
		assert.deepEqual(made, {
			modules: { "hosts/linux/*": ["./main", "./serial"], "hosts/native/*": ["../native/face", "../native/streams"] },
			preload: ["hosts/linux/main", "hosts/native/streams"],
		});
	});

	it("takes imports of types for none", () => {
		const text =
			'import type { A } from "./a.js";\nimport {\n\tb,\n\ttype C,\n} from "../b.js";\nimport d from "timer";\n';
		assert.deepEqual(runtimeImports(`${text}export type E = typeof b;\nimport "./f.js";\n`), ["../b.js", "./f.js"]);
	});
});

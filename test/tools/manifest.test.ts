/** The manifests for mcconfig: the hosts' C, the data, and the device's memory. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

import { BOARDS } from "../../hosts/esp32/boards.js";
import { partsOf } from "../../tools/sdk/esp32.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Memory for XS objects on an ESP32 without PSRAM: bytes of chunks, and slots of 16 bytes. */
const HEAP_BYTES = 65536 + 4096 * 16;

/** C files of programs other than the firmware. */
const NOT_FIRMWARE = ["hosts/linux/runner.c"];

interface Manifest {
	include?: string | string[];
	creation?: {
		static?: number;
		chunk?: { initial: number; incremental: number };
		heap?: { initial: number; incremental: number };
		stack?: number;
	};
	modules?: Record<string, string[]>;
	data?: Record<string, string[]>;
}

const ROOT_MANIFEST = "manifest.json";
const FOLDERS = ["hosts/native", "hosts/linux", "hosts/esp32"];

function read(path: string): Manifest {
	return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

describe("The manifests of the firmware", () => {
	for (const folder of FOLDERS)
		it(`name every C file and header of ${folder}, with its extension and in order`, () => {
			const files = readdirSync(join(ROOT, folder))
				.filter((name) => /\.[ch]$/.test(name) && !NOT_FIRMWARE.includes(`${folder}/${name}`))
				.map((name) => `./${name}`)
				.sort();
			// Without an extension, the name would also match the TypeScript file of that name.
			const { "*": named = [], ...others } = read(`${folder}/manifest.json`).modules ?? {};
			assert.deepEqual(
				named.filter((name) => !name.startsWith("$(MODULES)/")),
				files,
			);
			assert.deepEqual(others, {});
		});

	it("name the C for Ethernet: a board gets the files that all ports share, and those of its own kind of port", () => {
		const folder = "hosts/esp32/ethernet";
		const files = readdirSync(join(ROOT, folder)).filter((name) => /\.[ch]$/.test(name));
		const namedBy = (manifest: string) => read(`${folder}/${manifest}`).modules!["*"]!;
		const kinds = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".json") && name !== "manifest.json");
		assert.deepEqual(kinds.sort(), ["openeth.json", "rmii.json", "w5500.json"]);
		for (const kind of kinds) {
			assert.equal(read(`${folder}/${kind}`).include, "./manifest.json");
			assert.deepEqual(namedBy(kind), [`./ethernet-${kind.replace("json", "c")}`]);
		}
		const named = ["manifest.json", ...kinds].flatMap(namedBy);
		assert.deepEqual(named.sort(), files.map((name) => `./${name}`).sort());
		for (const board of BOARDS)
			assert.deepEqual(
				partsOf(board),
				board.ethernet === undefined ? [] : [`${folder}/${board.ethernet.kind}.json`],
				board.name,
			);
	});

	it("include the W5500 driver in one fixed version, which releases list as a component", () => {
		const { platforms } = JSON.parse(readFileSync(join(ROOT, "hosts/esp32/ethernet/w5500.json"), "utf8"));
		const [, driver] = platforms["esp32/*"].dependency;
		const parts = JSON.parse(readFileSync(join(ROOT, "tools/release/firmware-parts.json"), "utf8"));
		const part = parts.find(({ name }: { name: string }) => name === `${driver.namespace}/${driver.name}`);
		assert.match(driver.version, /^==\d+\.\d+\.\d+$/);
		assert.equal(driver.version, `==${part.version}`);
		assert.ok(readFileSync(join(ROOT, "docs/dependencies.md"), "utf8").includes(`\`${part.name}\` ${part.version}`));
	});

	it("exist for every folder with C, and each host includes the shared ones", () => {
		const folders = readdirSync(join(ROOT, "hosts")).map((name) => `hosts/${name}`);
		const withC = folders.filter((folder) => readdirSync(join(ROOT, folder)).some((name) => /\.[ch]$/.test(name)));
		assert.deepEqual(withC.sort(), [...FOLDERS].sort());
		for (const host of ["linux", "esp32"])
			assert.deepEqual(read(`hosts/${host}/manifest.json`).include, ["../../manifest.json", "../native/manifest.json"]);
	});

	it("name only files that exist", () => {
		for (const path of [ROOT_MANIFEST, ...FOLDERS.map((folder) => `${folder}/manifest.json`)]) {
			const { include = [], data = {} } = read(path);
			for (const name of [include].flat().filter((each) => each.startsWith(".")))
				assert.ok(existsSync(join(ROOT, dirname(path), name)), `${path}: ${name}`);
			for (const name of Object.values(data).flat())
				assert.ok(
					readdirSync(join(ROOT, dirname(path), dirname(name))).some((file) =>
						file.startsWith(`${posix.basename(name)}.`),
					),
					`${path}: ${name}`,
				);
		}
	});

	it("keep the device's memory settings", () => {
		const { chunk, heap, stack, static: pool } = read(ROOT_MANIFEST).creation!;
		assert.equal(pool, 0, "in one pool, chunks would take the place of slots");
		assert.equal(chunk!.incremental, 0, "a growing memory has no limit to test");
		assert.equal(heap!.incremental, 0, "a growing memory has no limit to test");
		assert.equal(chunk!.initial + 16 * heap!.initial, HEAP_BYTES);
		assert.equal(stack, 544);
		for (const folder of FOLDERS) {
			const { chunk: _chunk, heap: _heap, stack: own, static: pools } = read(`${folder}/manifest.json`).creation ?? {};
			assert.deepEqual([_chunk, _heap, own, pools], [undefined, undefined, undefined, undefined], folder);
		}
	});
});

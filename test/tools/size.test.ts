import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSDK, ROOT } from "../../tools/sdk/sdk.js";
import { BUILT_INS, bytesOf, type Image, NAMES, readImage, SCRIPT } from "../../tools/size/image.js";
import { asTable, NATIVE_ESTIMATE_BYTES, type Report, reportOf, SLOT_BYTES } from "../../tools/size/report.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/size.js");

/** What there is to say where the SDK is missing. */
function whyNoSDK(): string | undefined {
	try {
		findSDK();
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

/** A line of the heap as the linker writes it. */
function slot(index: number, next: number | undefined, kind: string, value: string, id = "XS_NO_ID"): string {
	const address = next === undefined ? "NULL" : `(txSlot*)&gxHeap[${next}]`;
	return `/* ${index} */\t{ ${address}, {.ID = ${id}, .flag = 0x8b, .kind = XS_${kind}_KIND}, .value = { ${value} } },`;
}

const to = (index: number) => `(txSlot*)&gxHeap[${index}]`;

/**
 * Our script and a preloaded module of the SDK that it uses, one that is not preloaded, a built-in that both use, and a
 * name.
 * The last line ends the array as the linker does it, without a new line.
 */
const IMAGE = `
#define mxAliasCount 7
#define mxKeysCount 2
#define mxNamesCount 3
#define mxSymbolsCount 1
#define mxScriptsCount 3
static const xsHostBuilder gxBuilders[2] = {
static const txScript gxScripts[mxScriptsCount] = {
	{ NULL, NULL, 0, NULL, 0, NULL, 0, "main", { XS_MAJOR_VERSION } },
	{ NULL, NULL, 0, NULL, 0, NULL, 0, "text/decoder", { XS_MAJOR_VERSION } },
	{ NULL, NULL, 0, (txS1*)gxCode2, 429, NULL, 0, "package", { XS_MAJOR_VERSION } }
};

static const txSlot gxHeap[mxHeapCount] = {
${[
	slot(0, undefined, "REFERENCE", ".reference = (txSlot*)&gxHeap[11]"),
	slot(1, 2, "INSTANCE", ".instance = { NULL, NULL }"),
	slot(2, 3, "REFERENCE", `.reference = ${to(4)}`, "xsID_main"),
	slot(3, undefined, "REFERENCE", `.reference = ${to(6)}`, "91 /* text/decoder */"),
	slot(4, 5, "INSTANCE", `.instance = { NULL, ${to(9)} }`),
	slot(5, undefined, "CODE_X", `.code = { (txByte*)"\\x01\\x02\\x03", ${to(7)} }`),
	slot(6, 7, "INSTANCE", `.instance = { NULL, ${to(9)} }`),
	slot(7, 8, "CODE_X", `.code = { (txByte*)"\\x22\\x5c", NULL }`),
	slot(8, undefined, "STRING_X", `.string = "a\\xc3""\\xa9"" \\"&gxHeap[10]\\\\"`),
	slot(9, undefined, "STRING_X", `.string = "xy"`),
	slot(10, undefined, "KEY_X", `.key = { "length", 0x1f }`),
].join("\n")}
/* 11 */	{ NULL, {.ID = XS_NO_ID, .flag = XS_NO_FLAG, .kind = XS_REFERENCE_KIND}, .value = { .reference = NULL } }};

static const txSlot gxStack[mxStackCount] = {
	{ NULL, {.ID = XS_NO_ID, .flag = 0x0, .kind = XS_REFERENCE_KIND}, .value = { .reference = ${to(9)} } },
	{ NULL, {.ID = XS_NO_ID, .flag = 0x0, .kind = XS_REFERENCE_KIND}, .value = { .reference = ${to(1)} } },
};

static const txID gxColors[mxKeysCount] ICACHE_FLASH1_ATTR = {
`;

function report(image: Partial<Image>, warnings: string[] = []): Report {
	const lengths = new Map([
		["modules/a/x.ts", 1],
		["hosts/esp32/main.ts", 1],
		["modules/a/y.ts", 2],
	]);
	const resources = new Map([["x.bin", 1000]]);
	return reportOf({ image: { shares: new Map(), tableBytes: 0, aliases: 0, ...image }, lengths, resources, warnings });
}

describe("npm run size", () => {
	it("gives our script the slots, byte code and strings that it reaches after the SDK's modules", () => {
		const { shares } = readImage(IMAGE);
		assert.deepEqual(shares.get(SCRIPT), { slots: 3, codeBytes: 3, stringBytes: 0 });
		assert.deepEqual(shares.get("text/decoder"), { slots: 4, codeBytes: 2, stringBytes: 18 });
	});

	it("gives the engine what its own objects reach, and the names of all", () => {
		const { shares } = readImage(IMAGE);
		assert.deepEqual(shares.get(NAMES), { slots: 1, codeBytes: 0, stringBytes: 7 });
		assert.deepEqual(shares.get(BUILT_INS), { slots: 6, codeBytes: 0, stringBytes: 3 });
		assert.deepEqual(shares.get("package"), { slots: 0, codeBytes: 429, stringBytes: 0 });
	});

	it("counts every slot once", () => {
		const { shares } = readImage(IMAGE);
		const slots = [...shares.values()].reduce((sum, share) => sum + share.slots, 0);
		assert.equal(slots, 12 + 2);
	});

	it("adds up the tables as the chip lays them out", () => {
		const { tableBytes, aliases } = readImage(IMAGE);
		assert.equal(tableBytes, (2 + 3 + 1) * 4 + 2 * 2 + 2 * 12 + 3 * 36);
		assert.equal(aliases, 7);
	});

	it("says so when the linker writes in another way", () => {
		assert.throws(() => readImage("int main;"), /has no txSlot gxHeap/);
	});

	it("sums the SDK's modules up, ours first, and takes all from the slot", () => {
		const share = { slots: 10, codeBytes: 100, stringBytes: 5 };
		const names = ["Resource", "timer", SCRIPT, BUILT_INS, NAMES];
		const made = report({ shares: new Map(names.map((name) => [name, share])), tableBytes: 50 });
		assert.deepEqual(
			made.parts.map(({ name }) => name),
			["our script", "SDK: modules", "engine: built-ins", "engine: names, of all"],
		);
		assert.equal(made.parts[1].bytes, 2 * bytesOf(share));
		assert.equal(made.ourBytes, 265);
		assert.equal(made.sdkBytes, 4 * 265);
		assert.equal(made.leftBytes, SLOT_BYTES - NATIVE_ESTIMATE_BYTES - 5 * 265 - 50 - 1000);
	});

	it("divides our script by the length of what comes of each folder, largest first", () => {
		const made = report({ shares: new Map([[SCRIPT, { slots: 0, codeBytes: 1000, stringBytes: 0 }]]) });
		assert.deepEqual(made.folders, [
			{ name: "modules/a", bytes: 750 },
			{ name: "hosts/esp32", bytes: 250 },
		]);
	});

	it("says that the share of ESP-IDF is that of another image, and shows the linker's warnings", () => {
		const text = asTable(report({ aliases: 3 }, ["### warning: main: b: no const"]));
		assert.match(text, /^ESP-IDF and all C, as measured for a C3 +1108865$/m);
		assert.match(text, /preloaded modules: 12 bytes/);
		assert.match(text, /no const\n$/);
	});

	it("without the SDK says what to do, and ends with 1", () => {
		const env = { ...process.env, MODDABLE: "" };
		const run = spawnSync(process.execPath, [PROGRAM], { env, encoding: "utf8" });
		assert.equal(run.status, 1);
		assert.equal(run.stdout, "");
		assert.match(run.stderr, /^The Moddable SDK is needed: .*npm run doctor/);
	});

	it("refuses an option that it doesn't know", () => {
		const run = spawnSync(process.execPath, [PROGRAM, "--jason"], { encoding: "utf8" });
		assert.equal(run.status, 2);
	});

	const absent = whyNoSDK();
	const fits = "fits into the slot and makes the linker warn of nothing";
	if (absent !== undefined) it(`${fits} (left out: ${absent})`);
	else {
		it(fits, () => {
			const run = spawnSync(process.execPath, [PROGRAM, "--json"], { encoding: "utf8" });
			assert.equal(run.status, 0, run.stderr + run.stdout.slice(-1000));
			const made: Report = JSON.parse(run.stdout);
			const folders = made.folders.map(({ name }) => name);
			for (const name of ["modules/api", "modules/http", "modules/meter", "hosts/esp32", "hosts/native"])
				assert.ok(folders.includes(name), name);
			assert.ok(made.parts.some(({ name }) => name === "SDK: modules"));
			assert.ok(made.leftBytes > 0);
			const resources = ["obis-names.bin", "timezones.bin", "web.bin"].map((name) => ({
				name,
				bytes: statSync(join(ROOT, "modules/resources", name)).size,
			}));
			assert.deepEqual(made.resources, resources);
		}).timeout(120_000);
	}
});

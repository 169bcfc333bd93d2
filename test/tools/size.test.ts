import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { BOARDS } from "../../hosts/esp32/boards.js";
import { OMISSIONS, omissionsOf } from "../../tools/sdk/omissions.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { BUDGETS, RESERVED } from "../../tools/size/budgets.js";
import { BUILT_INS, bytesOf, type Image, NAMES, readImage, SCRIPT } from "../../tools/size/image.js";
import { nativeOf, PAGE_BYTES, paddingOf } from "../../tools/size/native.js";
import { asTable, gainsTable, type Report, reportOf, SLOT_BYTES } from "../../tools/size/report.js";
import { readRoom, roomProblem, roomTable } from "../../tools/size/room.js";

/** Size of the rest of the firmware in these tests, bytes. */
const NATIVE_BYTES = 900_000;
const NATIVE = Object.freeze({ bytes: NATIVE_BYTES, constantBytes: 0, memoryBytes: 65_536 });
const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/size.js");

/** A line of the heap as the linker writes it. */
function slot(index: number, next: number | undefined, kind: string, value: string, id = "XS_NO_ID"): string {
	const address = next === undefined ? "NULL" : `(txSlot*)&gxHeap[${next}]`;
	return `/* ${index} */\t{ ${address}, {.ID = ${id}, .flag = 0x8b, .kind = XS_${kind}_KIND}, .value = { ${value} } },`;
}

const to = (index: number) => `(txSlot*)&gxHeap[${index}]`;

/**
 * Our script and a preloaded SDK module that it uses, another that is not preloaded, a built-in used by both, and a
 * name. As in the linker's output, the last line ends the array without a line break.
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

const ROOMY = Object.freeze({
	...BUDGETS,
	"hosts/esp32": 1000,
	"modules/a": 1000,
	"resource x.bin": 1000,
});

function report(
	image: Partial<Image>,
	warnings: string[] = [],
	budgets: Readonly<Record<string, number>> = ROOMY,
): Report {
	const lengths = new Map([
		["modules/a/x.ts", 1],
		["hosts/esp32/main.ts", 1],
		["modules/a/y.ts", 2],
	]);
	const resources = new Map([["x.bin", 1000]]);
	const measured = { image: { shares: new Map(), tableBytes: 0, aliases: 0, ...image }, lengths, resources, warnings };
	return reportOf({ ...measured, native: NATIVE, slotBytes: SLOT_BYTES }, budgets);
}

/** Measured bytes that Ethernet takes from the budgets of modules/wifi and hosts/esp32. */
const ETHERNET_BYTES = 3700;
/**
 * Most budgets are measured on a board without a radio. Each folder's share of the script is calculated from its
 * length, so on a board with modules/zigbee the other folders' shares are 0.7 % smaller, by this many bytes in total.
 */
const SHARED_BYTES = 4200;
/** Omissions of a whole folder; others gain part of its budget (docs/hardware.md). */
const WHOLE_FOLDER = /\/(?:part|protocol)$/;
const GAINED_IN_PART: Readonly<Record<string, number>> = {
	improv: 5950,
	statistics: 8538,
};
/** Names of what boards with 4 MB of flash leave out: their firmware has 68 300 bytes of names and tables at most. */
const NAMES_GAINED = 8100;

describe("npm run size", () => {
	it("attributes to our script the slots, byte code and strings that the SDK's modules do not reach", () => {
		const { shares } = readImage(IMAGE);
		assert.deepEqual(shares.get(SCRIPT), { slots: 3, codeBytes: 3, stringBytes: 0 });
		assert.deepEqual(shares.get("text/decoder"), { slots: 4, codeBytes: 2, stringBytes: 18 });
	});

	it("attributes to the engine what its own objects reach, and the names of all modules", () => {
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

	it("adds up the tables as the chip stores them", () => {
		const { tableBytes, aliases } = readImage(IMAGE);
		assert.equal(tableBytes, (2 + 3 + 1) * 4 + 2 * 2 + 2 * 12 + 3 * 36);
		assert.equal(aliases, 7);
	});

	it("reports unexpected output of the linker", () => {
		assert.throws(() => readImage("int main;"), /has no txSlot gxHeap/);
	});

	it("adds up the SDK's modules, lists ours first, and subtracts all from the slot", () => {
		const share = { slots: 10, codeBytes: 100, stringBytes: 5 };
		const names = ["Resource", "timer", SCRIPT, BUILT_INS, NAMES];
		const made = report({ shares: new Map(names.map((name) => [name, share])), tableBytes: 50 });
		assert.deepEqual(
			made.parts.map(({ name }) => name),
			["our script", "SDK: modules", "engine: built-ins", "engine: all names"],
		);
		assert.equal(made.parts[1].bytes, 2 * bytesOf(share));
		assert.equal(made.ourBytes, 265);
		assert.equal(made.sdkBytes, 4 * 265);
		assert.equal(made.leftBytes, SLOT_BYTES - NATIVE_BYTES - 5 * 265 - 50 - 1000);
	});

	it("adds the zeros that esptool puts between constants and code, if copied memory does not fill the page", () => {
		// Offsets of a linked image: constants of 0xfef6c bytes end at 0xfef8c, and the code's header is at 0x100018.
		assert.equal(paddingOf(0xfef6c, 4000), 0x100018 - 0xfef8c - 4000);
		assert.equal(paddingOf(0xfef6c, 0x108c), 0);
		assert.equal(paddingOf(0xffff8, 0), 0);
		assert.equal(paddingOf(0xffff8 + 1, 48_000), 65_535 - 48_000);
		const native = { ...NATIVE, constantBytes: 0xffff8 - 1000 - 50, memoryBytes: 48_000 };
		const measured = { lengths: new Map(), resources: new Map([["x.bin", 1000]]), warnings: [] };
		const image = { shares: new Map(), tableBytes: 50, aliases: 0 };
		const budgets = { ...ROOMY, "names and tables": 1000 };
		const fits = reportOf({ ...measured, image, native, slotBytes: SLOT_BYTES }, budgets);
		assert.deepEqual([fits.paddingBytes, fits.problems], [0, []]);
		const larger = { ...image, tableBytes: 51 };
		const pads = reportOf({ ...measured, image: larger, native, slotBytes: SLOT_BYTES }, budgets);
		assert.equal(pads.paddingBytes, 17_535);
		assert.equal(pads.leftBytes, fits.leftBytes - 1 - 17_535);
		assert.deepEqual(pads.problems, []);
	});

	it("divides our script by the share of each folder, largest first", () => {
		const made = report({ shares: new Map([[SCRIPT, { slots: 0, codeBytes: 1000, stringBytes: 0 }]]) });
		assert.deepEqual(made.spent.slice(0, 2), [
			{ name: "modules/a", bytes: 750, budget: 1000 },
			{ name: "hosts/esp32", bytes: 250, budget: 1000 },
		]);
	});

	it("compares each part with its budget, and the parts add up to the image", () => {
		const share = { slots: 0, codeBytes: 1000, stringBytes: 0 };
		const shares = new Map([SCRIPT, BUILT_INS, NAMES, "timer"].map((name) => [name, share]));
		const made = report({ shares, tableBytes: 50 });
		const sum = made.spent.reduce((total, { bytes }) => total + bytes, 0);
		assert.equal(sum, SLOT_BYTES - made.leftBytes);
		assert.equal(made.spent.find(({ name }) => name === "names and tables")?.bytes, 1050);
		assert.deepEqual(made.problems, []);
		const tight = report({ shares, tableBytes: 50 }, [], { ...ROOMY, "modules/a": 749, "names and tables": 1049 });
		assert.deepEqual(tight.problems, [
			"modules/a is 1 bytes over its budget (tools/size/budgets.ts).",
			"names and tables is 1 bytes over its budget (tools/size/budgets.ts).",
		]);
		assert.match(asTable(tight), /\nmodules\/a +750 +749 +-1\n[\s\S]*\nmodules\/a is 1 bytes over its budget/);
	});

	it("says where to add the missing budget of a folder", () => {
		const { "modules/a": _, ...others } = ROOMY;
		const made = report({}, [], others);
		assert.deepEqual(made.problems, ["modules/a has no budget: give it a line in tools/size/budgets.ts."]);
		assert.match(asTable(made), /modules\/a +0 +none/);
	});

	it("says by how much an image exceeds its slot, and when less than the reserve is left", () => {
		const made = report({ tableBytes: SLOT_BYTES }, [], { ...ROOMY, "names and tables": SLOT_BYTES });
		assert.deepEqual(made.problems, [`The image is ${NATIVE_BYTES + 1000} bytes longer than its slot.`]);
		const room = SLOT_BYTES - NATIVE_BYTES - 1000;
		const tables = (tableBytes: number) => report({ tableBytes }, [], { ...ROOMY, "names and tables": room }).problems;
		assert.deepEqual(tables(room - 8192), []);
		assert.deepEqual(tables(room - 8191), [
			"The slot has 8191 bytes left; 8192 are kept for corrections (tools/build/limits.ts).",
		]);
	});

	it("has budgets and reserves that fit the slot together, with one for each folder and file of modules/", () => {
		const all = [...Object.values(BUDGETS), ...Object.values(RESERVED)].reduce((total, bytes) => total + bytes, 0);
		for (const board of BOARDS.filter(({ flashMB }) => flashMB === 4)) {
			const omitted = omissionsOf(board);
			const modules = omitted.flatMap((name) => OMISSIONS[name]).filter((path) => WHOLE_FOLDER.test(path));
			const folders = modules.map((path) => posix.dirname(path));
			// A part takes its engine along.
			const absent = new Set(folders.flatMap((folder) => [folder, folder.replace("/parts/", "/")]));
			if (board.zigbee === undefined) absent.add("modules/zigbee");
			const gained =
				[...absent].reduce((total, name) => total + (BUDGETS[name] ?? 0), NAMES_GAINED) +
				omitted.reduce((total, name) => total + (GAINED_IN_PART[name] ?? 0), 0);
			const ethernet = board.ethernet === undefined ? ETHERNET_BYTES : 0;
			const shared = board.zigbee === undefined ? 0 : SHARED_BYTES;
			const native = nativeOf(board);
			const padding = Math.max(0, PAGE_BYTES - native.memoryBytes) - BUDGETS["padding to a page"];
			const sum = all - gained - ethernet - shared + padding - BUDGETS["ESP-IDF and all C"] + native.bytes;
			assert.ok(sum <= SLOT_BYTES, `${board.name}: ${sum - SLOT_BYTES} bytes more are assigned than the slot has`);
		}
		const names = [
			...readdirSync(join(ROOT, "modules")),
			...readdirSync(join(ROOT, "modules/parts")).map((name) => `parts/${name}`),
		]
			.filter((name) => !["parts", "resources", "tsconfig.json"].includes(name))
			.map((name) => `modules/${name}`);
		assert.deepEqual(
			names.filter((name) => BUDGETS[name] === undefined),
			[],
		);
		assert.deepEqual(
			Object.keys(BUDGETS).filter((name) => name.startsWith("modules/") && !names.includes(name)),
			[],
		);
	});

	it("names the chip of ESP-IDF's share, and shows the linker's warnings", () => {
		const text = asTable(report({ aliases: 3 }, ["### warning: main: b: no const"]));
		assert.match(text, new RegExp(`^ESP-IDF and all C, as linked for this chip +${NATIVE_BYTES}$`, "m"));
		assert.match(text, /preloaded modules: 12 bytes/);
		assert.match(text, /The linker warns; .*no const\n$/);
	});

	it("shows what the board's firmware leaves out, and what each omission gains", () => {
		const measured = {
			image: { shares: new Map(), tableBytes: 0, aliases: 0 },
			lengths: new Map(),
			resources: new Map(),
		};
		const sizes = { native: NATIVE, slotBytes: SLOT_BYTES, warnings: [] };
		assert.match(
			asTable(reportOf({ ...measured, ...sizes, without: ["hub", "tic"] })),
			/^The firmware is without hub, tic\.$/m,
		);
		assert.doesNotMatch(asTable(reportOf({ ...measured, ...sizes })), /without hub|is without/);
		assert.equal(
			gainsTable("slzb-06", 10_084, [
				{ name: "hub", bytes: 13_979, isLeftOut: true },
				{ name: "tic", bytes: 5553, isLeftOut: false },
			]),
			"Bytes gained on slzb-06 if its firmware leaves out:\n\nhub               13979  left out\n" +
				"tic                5553\n\nleft with all     10084\n",
		);
	});

	it("compares what is left with the newest column of the document", () => {
		const document = [
			"## Flash\n| `slzb-06` | 7 |\n\n### Room on boards with 4 MB\n",
			"| board     | 2026-11-28 | 2026-11-29 |\n| --------- | ---------- | ---------- |",
			"| `slzb-06` | 31 312     | 23 818     |\n| `other`   | 1          | 5000       |\n\n### More\n| `slzb-06` | 9 |",
		].join("\n");
		const room = readRoom(document);
		assert.deepEqual(
			[...room],
			[
				["slzb-06", 23_818],
				["other", 5000],
			],
		);
		for (const bytes of [23_818 - 1024, 23_818, 23_818 + 1024])
			assert.equal(roomProblem("slzb-06", bytes, room), undefined);
		assert.match(roomProblem("slzb-06", 23_818 - 1025, room)!, /^slzb-06 has 22793 bytes left, 1025 less than docs\//);
		assert.match(roomProblem("slzb-06", 23_818 + 1025, room)!, /, 1025 more than .*Add a column .*say in the commit/);
		assert.match(roomProblem("new", 1, room)!, /has no row for new/);
		const table = roomTable(new Map([["slzb-06", 23_918]]), room);
		assert.equal(
			table,
			`board${"left document change"
				.split(" ")
				.map((word) => word.padStart(10))
				.join("")
				.padStart(49)}\n` + `slzb-06${"23918".padStart(27)}${"23818".padStart(10)}${"100".padStart(10)}\n`,
		);
		assert.match(roomTable(new Map([["slzb-06", 0]]), room), /\n\nslzb-06 has 0 bytes left, 23818 less/);
		assert.throws(() => readRoom("## Flash\n"), /has no table below/);
	});

	it("exits with 1 and advice if the SDK is missing", () => {
		const env = { ...process.env, MODDABLE: "" };
		const run = spawnSync(process.execPath, [PROGRAM], { env, encoding: "utf8" });
		assert.equal(run.status, 1);
		assert.equal(run.stdout, "");
		assert.match(run.stderr, /^The Moddable SDK is needed: .*npm run doctor/);
	});

	it("exits with 2 for an unknown option or board", () => {
		for (const args of [["--jason"], ["--board", "toaster"], ["--board"], ["extra"], ["--all", "--json"]]) {
			const run = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
			assert.equal(run.status, 2, args.join(" "));
			assert.match(run.stderr, /\nUsage: npm run size/);
		}
	});
});

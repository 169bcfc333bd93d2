import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BOARDS, type Board, findBoard } from "../../hosts/esp32/boards.js";
import { PARTS } from "../../modules/app/parts.js";
import type { Entry } from "../../modules/config/schema.js";
import type { Part } from "../../modules/part/part.js";
import { HUB_STATISTICS } from "../../modules/parts/hub/fields.js";
import { LIVE_CT002, LIVE_EM24 } from "../../modules/parts/live-meter/fields.js";
import { METER_PROTOCOL } from "../../modules/parts/meter/fields.js";
import { ZIGBEE } from "../../modules/parts/zigbee/part.js";
import { madeFor } from "../../tools/sdk/esp32.js";
import { boardWith, OMISSIONS, omissionsOf, readNames, replacementsOf } from "../../tools/sdk/omissions.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { API_TEXT } from "../api/api-text.js";

const NAMES = Object.keys(OMISSIONS);
/** Protocols of the API text ("What the service does"). */
const API_TEXT_PROTOCOLS = ["iec62056", "dlms"];
const PATHS = [...new Set(Object.values(OMISSIONS).flat())];
const LIST = NAMES.join(", ");

/** Exported members of the compiled modules. */
async function exportsOf(path: string): Promise<Record<string, unknown>> {
	return import(join(ROOT, ".build", `${path}.js`));
}

const standInOf = (path: string) => path.replace(/[^/]*$/, "absent-$&");
const keysOf = (entries: readonly Entry[]) => entries.map(({ key, fields }) => [key, fields[0].entry]);
const pathsOf = ({ routes }: Part) => [...new Set(routes.map(({ path }) => path))].sort();

describe("The parts and protocols that a firmware can be built without", function () {
	this.timeout(30_000);

	it("are named as in the list of parts, the meter's protocol, a setting, or the folder", () => {
		const settings = [HUB_STATISTICS, LIVE_EM24, LIVE_CT002].map(({ name }) => name);
		const known = [...PARTS.map(({ name }) => name), ...METER_PROTOCOL.choices, "improv", ...settings];
		assert.deepEqual(
			NAMES.filter((name) => !known.includes(name)),
			[],
		);
	});

	it("have a stand-in for each of their modules, and there are no other stand-ins", () => {
		for (const path of PATHS)
			for (const one of [path, standInOf(path)]) assert.ok(existsSync(join(ROOT, `${one}.ts`)), one);
		const found = readdirSync(join(ROOT, "modules"), { recursive: true, encoding: "utf8" })
			.filter((path) => /\/absent-[^/]*\.ts$/.test(path))
			.map((path) => `modules/${path.replace(/\.ts$/, "")}`);
		assert.deepEqual(found.sort(), PATHS.map(standInOf).sort());
	});

	for (const path of PATHS)
		it(`have a stand-in of ${path} that exports what others import`, async () => {
			const [own, other] = await Promise.all([exportsOf(path), exportsOf(standInOf(path))]);
			for (const name of Object.keys(other)) assert.ok(name in own, name);
			if (!/[/-]part$/.test(path)) return;
			const name = Object.keys(other).find((key) => key === key.toUpperCase()) ?? "";
			const [part, absent] = [own[name], other[name]] as Part[];
			assert.equal(absent.name, part.name);
			assert.deepEqual(keysOf(absent.entries), keysOf(part.entries));
			// A firmware without the part also lacks the route that receives a file below the path of the settings.
			const paths = pathsOf(part).filter((one) => !one.endsWith("/file"));
			assert.deepEqual(pathsOf(absent), paths);
			assert.deepEqual([absent.backup, absent.reactions, absent.events], [[], [], []]);
		});

	it("are not in the API text, except Zigbee, which a board without a radio lacks", () => {
		const contained = API_TEXT.map((line) => line.replace(/^\w+ /, "/api/v1/"));
		assert.equal(contained.length, 52);
		const owners = [...PARTS, ZIGBEE]
			.filter((part) => pathsOf(part).some((path) => contained.includes(path)))
			.map(({ name }) => name);
		for (const name of ["hub", "meter", "zigbee"]) assert.ok(owners.includes(name), name);
		assert.deepEqual(
			NAMES.filter((name) => owners.includes(name) || API_TEXT_PROTOCOLS.includes(name)),
			["zigbee"],
		);
	});

	it("are read from a list with commas", () => {
		assert.deepEqual(readNames("tic,mqtt"), ["tic", "mqtt"]);
		assert.deepEqual(readNames(""), []);
	});

	it("are refused if they do not exist, or if the gateway needs them", () => {
		for (const [name, message] of [
			["mqqt", `There is no "mqqt". These can be left out: ${LIST}.`],
			["meter", `"meter" can't be left out: the gateway needs it. These can be left out: ${LIST}.`],
			["iec62056", `"iec62056" can't be left out: the gateway needs it. These can be left out: ${LIST}.`],
			["hub", `"hub" can't be left out: the gateway needs it. These can be left out: ${LIST}.`],
			["dlms", `"dlms" can't be left out: the gateway needs it. These can be left out: ${LIST}.`],
		])
			assert.throws(() => readNames(`mqtt,${name}`), { message });
	});

	it("are those of the board's row, changed by --without and --with", () => {
		const board: Board = { ...findBoard("slzb-06"), without: ["tic", "mqtt"] };
		assert.deepEqual(omissionsOf(board), ["mqtt", "tic"]);
		assert.deepEqual(boardWith(board).without, ["mqtt", "tic"]);
		assert.deepEqual(boardWith(board, "peaks", "tic").without, ["mqtt", "peaks"]);
		assert.deepEqual(boardWith(board, "tic").without, ["mqtt", "tic"]);
		assert.throws(() => boardWith(board, "", "sml"), { message: "The firmware of slzb-06 already has sml." });
		assert.throws(() => boardWith(board, "sml,mqtt", "mqtt"), { message: "--without and --with both name mqtt." });
	});

	it("can be left out in every row of the table of boards", () => {
		for (const { name, without = [] } of BOARDS) assert.deepEqual(readNames(without.join(",")), without, name);
	});

	it("replace modules by their stand-ins, and are listed in the firmware", () => {
		assert.deepEqual(replacementsOf([]), {});
		assert.deepEqual(replacementsOf(["mqtt", "sml"]), {
			"modules/product/without.js": 'export const WITHOUT = "mqtt sml";\n',
			"modules/parts/mqtt/part.js": 'export * from "./absent-part.js";\n',
			"modules/sml/protocol.js": 'export * from "./absent-protocol.js";\n',
			"modules/parts/meter/routes/settings.js": 'export * from "./absent-settings.js";\n',
		});
	});

	it("leave out Zigbee as on a board without a radio", () => {
		const { modules, constants } = madeFor(boardWith(findBoard("slzb-06"), "zigbee"));
		assert.equal(constants["HAS_RADIO"], "false");
		assert.doesNotMatch(modules["gateway/board"], /zigbee|without/);
	});

	for (const [program, args] of [
		["build", ["build", "--board", "slzb-06", "--without", "meter"]],
		["size", ["--board", "slzb-06", "--without", "meter"]],
		["linux", ["--without", "meter"]],
	] as const)
		it(`are checked by npm run ${program}`, () => {
			const { status, stderr } = spawnSync(process.execPath, [join(ROOT, ".build/tools", `${program}.js`), ...args], {
				encoding: "utf8",
			});
			assert.equal(status, 2);
			assert.match(stderr, /"meter" can't be left out: the gateway needs it\./);
		});
});

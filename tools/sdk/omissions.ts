/**
 * Parts and meter protocols that can be left out of a firmware. The member `without` of a board
 * (hosts/esp32/boards.ts), and --without and --with of `npm run build`, select them.
 *
 * The bundler replaces the modules of these parts by stand-ins, such as `absent-part.ts` beside `part.ts`. It also
 * leaves out code that nothing uses then. Nothing of the API text can be left out, except Zigbee on a board without a
 * radio (test/api/api-text.ts).
 */
import { existsSync } from "node:fs";
import { basename, join } from "node:path/posix";
import type { Board } from "../../hosts/esp32/boards.js";
import { PARTS } from "../../modules/app/parts.js";
import { METER_PROTOCOL } from "../../modules/parts/meter/fields.js";
import { ROOT } from "./sdk.js";

/** Module that stores the meter's protocol. Its stand-in refuses protocols that are left out. */
const PROTOCOL_CHOICE = "modules/parts/meter/routes/settings";

/** Protocols whose folder has a stand-in. */
export const OMITTABLE_PROTOCOLS = METER_PROTOCOL.choices.filter((name) =>
	existsSync(join(ROOT, "modules", name, "absent-protocol.ts")),
);

function modulesOf(protocol: string): readonly string[] {
	const others = protocol === "mbus" ? ["modules/parts/mbus/part", "modules/parts/meter/mbus-store"] : [];
	return [`modules/${protocol}/protocol`, ...others, PROTOCOL_CHOICE];
}

/**
 * Paths, without extension, of the modules that have a stand-in. They are listed by the name of a part, of a part's
 * setting (`statistics` of the hub, a dialect of the live values), or of a protocol in the API. The only other name is
 * `improv`. Zigbee has no stand-in: it is left out as on a board without a coprocessor.
 */
export const OMISSIONS: Readonly<Record<string, readonly string[]>> = Object.freeze({
	statistics: Object.freeze(["modules/parts/hub/statistics"]),
	mqtt: Object.freeze(["modules/parts/mqtt/part"]),
	"live-meter": Object.freeze(["modules/parts/live-meter/part"]),
	em24: Object.freeze(["modules/parts/live-meter/em24"]),
	ct002: Object.freeze(["modules/parts/live-meter/ct002"]),
	prices: Object.freeze(["modules/parts/prices/part", "modules/parts/prices/present-price"]),
	peaks: Object.freeze(["modules/parts/peaks/part"]),
	hawkbit: Object.freeze(["modules/parts/hawkbit/part"]),
	provision: Object.freeze(["modules/parts/provision/part", "modules/provision/settings-files"]),
	backfill: Object.freeze(["modules/parts/backfill/part"]),
	zigbee: Object.freeze([]),
	...Object.fromEntries(OMITTABLE_PROTOCOLS.map((name) => [name, Object.freeze(modulesOf(name))])),
	improv: Object.freeze(["modules/app/improv"]),
});

const NAMES = Object.keys(OMISSIONS);
/** Parts and protocols that cannot be left out. */
const CORE = [...PARTS.map(({ name }) => name), ...METER_PROTOCOL.choices].filter((name) => !NAMES.includes(name));

/** Reads a list of names. Throws an Error with a message for the user if a name cannot be left out. */
export function readNames(list: string): readonly string[] {
	const names = list.split(",").filter((name) => name !== "");
	for (const name of names) {
		if (NAMES.includes(name)) continue;
		const why = CORE.includes(name) ? `"${name}" can't be left out: the gateway needs it.` : `There is no "${name}".`;
		throw new Error(`${why} These can be left out: ${NAMES.join(", ")}.`);
	}
	return names;
}

export function omissionsOf({ without = [] }: Pick<Board, "without">): readonly string[] {
	return NAMES.filter((name) => without.includes(name));
}

/**
 * Returns the parts and protocols that the page lacks on this board. If the board has no coprocessor, Zigbee is one of
 * them.
 */
export function pageLacks(board: Pick<Board, "without" | "zigbee">): readonly string[] {
	return board.zigbee === undefined ? [...omissionsOf(board), "zigbee"] : omissionsOf(board);
}

/**
 * Returns the board with other omissions. `without` and `having` are lists of parts and protocols, separated by commas.
 */
export function boardWith(board: Board, without = "", having = ""): Board {
	const [more, back] = [readNames(without), readNames(having)];
	const own = omissionsOf(board);
	for (const name of back) {
		if (more.includes(name)) throw new Error(`--without and --with both name ${name}.`);
		if (!own.includes(name)) throw new Error(`The firmware of ${board.name} already has ${name}.`);
	}
	const names = [...own, ...more].filter((name) => !back.includes(name));
	return { ...board, without: omissionsOf({ without: names }) };
}

export function replacementsOf(names: readonly string[]): Readonly<Record<string, string>> {
	if (names.length === 0) return {};
	const texts = { "modules/product/without.js": `export const WITHOUT = ${JSON.stringify(names.join(" "))};\n` };
	const standIns = names.flatMap((name) => OMISSIONS[name]).map(standIn);
	return { ...texts, ...Object.fromEntries(standIns) };
}

function standIn(path: string): [string, string] {
	return [`${path}.js`, `export * from ${JSON.stringify(`./absent-${basename(path)}.js`)};\n`];
}

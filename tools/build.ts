/**
 * `npm run build`, `flash` and `monitor`: build a board's firmware with the Moddable SDK and ESP-IDF, write it to the
 * chip, and show its console. The exit code is 2 after a bad command line, and 1 after other errors.
 */
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BOARDS, type Board, type Chip, findBoard } from "../hosts/esp32/boards.js";
import { asRows, asTable, buildAll, distinctBoards, slotBytesOf } from "./build/all.js";
import type { FirmwareSize } from "./build/limits.js";
import { hasSizes, measureMemory, SIZE_ADVICE } from "./build/sizes.js";
import { buildForChip, findIDF, flash, monitor, placesOf, type Variant } from "./sdk/esp32.js";
import { boardWith, OMISSIONS, omissionsOf } from "./sdk/omissions.js";
import { NO_RELEASE, type Release, readRelease } from "./sdk/release.js";
import { findSDK, ROOT } from "./sdk/sdk.js";

const COMMANDS = ["build", "flash", "monitor"] as const;
type Command = (typeof COMMANDS)[number];

const HELP = `  npm run build -- --board NAME [--production] [--release FILE] [--without NAMES] [--with NAMES]
                                                              builds the firmware
  npm run build -- --all [--every] [--chip CHIP] [--json]     builds each distinct firmware, and prints its sizes
  npm run flash -- --board NAME [--production] [--port PORT]  writes the firmware to the chip
  npm run monitor -- --board NAME [--port PORT]               shows what the chip prints

  --board NAME   the hardware variant
  --all          builds one board of those that differ only in pins and names; fails if a limit is exceeded
  --every        with --all: every board
  --chip CHIP    with --all: only boards with esp32, esp32s3, esp32c3 or esp32c6
  --json         with --all: prints the table as JSON
  --production   for units that are sold: encrypted flash; this can't be undone on a chip
  --release FILE settings of a published build: keys that sign updates, and more (docs/flashing.md)
  --without NAMES
                 parts and meter protocols to leave out, separated by commas (docs/hardware.md): ${Object.keys(OMISSIONS).join(", ")}
  --with NAMES   parts and protocols to build in although the board leaves them out
  --port PORT    the serial port, such as /dev/ttyUSB0 (default: the first one found)
  --out DIR      folder of the build (default .build/esp32)

Boards: ${BOARDS.map((board) => board.name).join(", ")}
`;

const SELLING =
	"Before you flash it: the first start burns fuses, and the XS runtime's licence (LGPLv3) requires that owners of consumer\n" +
	"products can install a modified one. Read docs/selling.md first.";

interface Order extends Variant {
	readonly command: Command;
	readonly port: string | undefined;
	readonly release: Release;
}

interface WholeOrder {
	readonly boards: ReturnType<typeof distinctBoards>;
	readonly json: boolean;
	readonly out: string | undefined;
}

function readWholeOrder(args: string[]): WholeOrder {
	const { values } = parseArgs({
		args,
		options: {
			all: { type: "boolean" },
			every: { type: "boolean", default: false },
			chip: { type: "string" },
			json: { type: "boolean", default: false },
			out: { type: "string" },
		},
	});
	const boards = distinctBoards(BOARDS, values.chip as Chip | undefined, values.every);
	if (boards.length === 0) throw new Error(`There is no board with a chip "${values.chip}".`);
	return { boards, json: values.json, out: values.out === undefined ? undefined : resolve(values.out) };
}

async function carryOutAll({ boards, json, out }: WholeOrder): Promise<number> {
	const idf = findIDF();
	findSDK();
	const canMeasure = hasSizes();
	const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const build = async (board: Board): Promise<FirmwareSize> => {
		const order = { board, production: false, out, idf, version, builtUtcMs: Date.now(), release: NO_RELEASE };
		const { image } = await buildForChip(order);
		const memory = canMeasure ? measureMemory(image.replace(/\.bin$/, ".map")) : undefined;
		return { chip: board.chip, imageBytes: statSync(image).size, slotBytes: slotBytesOf(board), memory };
	};
	const outcomes = await buildAll(boards, build, (line) => console.error(line));
	process.stdout.write(json ? `${JSON.stringify(asRows(outcomes), null, "\t")}\n` : asTable(outcomes));
	if (!canMeasure) console.error(SIZE_ADVICE);
	return outcomes.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

function readOrder([word, ...args]: string[]): Order | undefined {
	const command = COMMANDS.find((name) => name === word);
	if (command === undefined) throw new Error(`The command is one of ${COMMANDS.join(", ")}.`);
	const { values } = parseArgs({
		args,
		options: {
			board: { type: "string" },
			production: { type: "boolean", default: false },
			port: { type: "string" },
			release: { type: "string" },
			without: { type: "string" },
			with: { type: "string" },
			out: { type: "string" },
			help: { type: "boolean" },
		},
	});
	if (values.help) return undefined;
	if (values.board === undefined) throw new Error("--board is missing: the hardware variant.");
	if (command !== "build" && (values.without ?? values.with) !== undefined)
		throw new Error("--without and --with are options of npm run build only.");
	const { production, port, out } = values;
	const release = values.release === undefined ? NO_RELEASE : readRelease(values.release);
	return {
		command,
		board: boardWith(findBoard(values.board), values.without, values.with),
		production,
		port,
		out: out === undefined ? out : resolve(out),
		release,
	};
}

async function carryOut(order: Order): Promise<number> {
	const idf = findIDF();
	const { command, board, production, port } = order;
	const places = placesOf(order);
	if (command === "flash") return flash(board, places, port);
	if (command === "monitor") return monitor(board, places, port);
	const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	await buildForChip({ ...order, idf, version, builtUtcMs: Date.now() });
	console.log(places.image);
	const names = omissionsOf(board);
	if (names.length > 0) console.log(`It was built without ${names.join(", ")}.`);
	if (order.release.updateKeys.length === 0)
		console.log("It takes no updates over the network: no key signs them (--release).");
	if (production) console.log(`${SELLING}\n`);
	console.log(`Next: npm run flash -- --board ${board.name}${production ? " --production" : ""}`);
	return 0;
}

async function main(args: string[]): Promise<number> {
	let order: Order | WholeOrder | undefined;
	try {
		order = args[0] === "build" && args.includes("--all") ? readWholeOrder(args.slice(1)) : readOrder(args);
	} catch (error) {
		console.error(`${(error as Error).message}\n\n${HELP}`);
		return 2;
	}
	if (order === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
	try {
		return await ("boards" in order ? carryOutAll(order) : carryOut(order));
	} catch (error) {
		console.error((error as Error).message);
		return 1;
	}
}

process.exitCode = await main(process.argv.slice(2));

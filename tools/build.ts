/**
 * `npm run build -- --board NAME`: the firmware for a board, by the Moddable SDK and ESP-IDF; `npm run flash` writes it
 * to the chip, `npm run monitor` shows what that prints. None of them ends another program: a serial port that is in use
 * is an error. A bad command line ends them with 2, all else that is wrong with 1.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BOARDS, findBoard } from "../hosts/esp32/boards.js";
import { buildForChip, findIDF, flash, monitor, placesOf, type Variant } from "./sdk/esp32.js";
import { NO_RELEASE, type Release, readRelease } from "./sdk/release.js";
import { ROOT } from "./sdk/sdk.js";

const COMMANDS = ["build", "flash", "monitor"] as const;
type Command = (typeof COMMANDS)[number];

const HELP = `  npm run build -- --board NAME [--production] [--release FILE]
                                                              builds the firmware
  npm run flash -- --board NAME [--production] [--port PORT]  writes it to the chip
  npm run monitor -- --board NAME [--port PORT]               shows what the chip prints

  --board NAME   the hardware variant
  --production   for units that are sold: encrypted flash; can't be taken back on a chip
  --release FILE what the build is published with: keys that sign updates, and more (docs/flashing.md)
  --port PORT    the serial port, such as /dev/ttyUSB0 (default: the one that is found)
  --out DIR      what is built is there (default .build/esp32)

Boards: ${BOARDS.map((board) => board.name).join(", ")}
`;

/** Said before a chip is locked. */
const SELLING =
	"Before you flash it: the first start burns fuses, and the XS runtime's licence (LGPLv3) asks that owners of consumer\n" +
	"products can install a modified one. Read docs/selling.md first.";

interface Order extends Variant {
	readonly command: Command;
	readonly port: string | undefined;
	readonly release: Release;
}

/** Undefined: help is wanted. Throws an Error with a sentence for a bad command line. */
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
			out: { type: "string" },
			help: { type: "boolean" },
		},
	});
	if (values.help) return undefined;
	if (values.board === undefined) throw new Error("--board is missing: the hardware variant.");
	const { production, port, out } = values;
	const release = values.release === undefined ? NO_RELEASE : readRelease(values.release);
	return {
		command,
		board: findBoard(values.board),
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
	if (order.release.updateKeys.length === 0)
		console.log("It takes no updates over the network: no key signs them (--release).");
	if (production) console.log(`${SELLING}\n`);
	console.log(`Next: npm run flash -- --board ${board.name}${production ? " --production" : ""}`);
	return 0;
}

async function main(args: string[]): Promise<number> {
	let order: Order | undefined;
	try {
		order = readOrder(args);
	} catch (error) {
		console.error(`${(error as Error).message}\n\n${HELP}`);
		return 2;
	}
	if (order === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
	try {
		return await carryOut(order);
	} catch (error) {
		console.error((error as Error).message);
		return 1;
	}
}

process.exitCode = await main(process.argv.slice(2));

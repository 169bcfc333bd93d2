/**
 * `npm run factory`: makes the factory data of one unit (partition image and label, with unique secrets) and prints the
 * command that writes the image. The exit code is 2 after a bad command line, and 1 after other errors. In both cases
 * nothing is written.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BOARDS, type Board, findBoard } from "../hosts/esp32/boards.js";
import { FACTORY_PARTITION } from "../hosts/esp32/factory.js";
import { findPartition } from "./factory/partitions.js";
import { flashCommand, makeUnit, writeUnit } from "./factory/unit.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const DEFAULT_FOLDER = ".factory";

const HELP = `The factory data of one unit: serial number, label password, Wi-Fi key, device key.

  npm run factory -- --serial SERIAL [options]

  --serial SERIAL  6 to 32 of 0-9 A-Z; small letters become capitals
  --board NAME     the hardware variant (default ${BOARDS[0].name})
  --settings FILE  a signed settings file, applied at the first start (docs/fleet.md; npm run ota -- sign-settings)
  --out DIR        folder of the files (default ${DEFAULT_FOLDER}); the files of a unit are never overwritten
  --port PORT      the serial port in the command that is printed (default PORT)

Writes SERIAL.bin, the image of the partition, and SERIAL.txt, the text of the label. Both contain secrets.

Boards: ${BOARDS.map((board) => board.name).join(", ")}
`;

interface Order {
	readonly serial: string;
	readonly board: Board;
	readonly folder: string;
	readonly port: string;
	/** Path of the signed settings file. */
	readonly settings: string | undefined;
}

function readOrder(args: string[]): Order | undefined {
	const { values } = parseArgs({
		args,
		options: {
			serial: { type: "string" },
			board: { type: "string", default: BOARDS[0].name },
			out: { type: "string", default: DEFAULT_FOLDER },
			port: { type: "string", default: "PORT" },
			settings: { type: "string" },
			help: { type: "boolean" },
		},
	});
	if (values.help) return undefined;
	const { serial, out, port, settings } = values;
	if (!serial) throw new Error("--serial is missing: the serial number of the unit.");
	if (!/^[0-9A-Z]{6,32}$/i.test(serial)) throw new Error(`--serial is 6 to 32 of 0-9 and A-Z, not "${serial}".`);
	return { serial: serial.toUpperCase(), board: findBoard(values.board), folder: resolve(out), port, settings };
}

function make({ serial, board, folder, port, settings }: Order): void {
	const table = readFileSync(join(ROOT, "hosts", "esp32", board.partitions), "utf8");
	const partition = findPartition(table, FACTORY_PARTITION);
	const unit = makeUnit(serial, board);
	const { image, label } = writeUnit(folder, unit, board, settings === undefined ? undefined : readFileSync(settings));
	console.log(`${image}\n${label}`);
	console.log(flashCommand(image, partition, board, port));
}

function main(args: string[]): number {
	let order: Order | undefined;
	try {
		order = readOrder(args);
	} catch (error) {
		console.error(`${(error as Error).message}\nnpm run factory -- --help lists the options.`);
		return 2;
	}
	if (order === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
	try {
		make(order);
		return 0;
	} catch (error) {
		console.error((error as Error).message);
		return 1;
	}
}

process.exitCode = main(process.argv.slice(2));

/**
 * `npm run size`: flash used by each part of the firmware, compared with budgets and with the size of the slot. The
 * firmware is built with the Moddable SDK, without ESP-IDF, for the board given by `-- --board NAME`. `-- --json`
 * prints the same as JSON. Exit code 1 if a part exceeds its budget or has none, if the SDK's linker warns, and without
 * the SDK; 2 for a bad command line.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Board, findBoard } from "../hosts/esp32/boards.js";
import { slotBytesOf } from "./build/all.js";
import { findSDK } from "./sdk/sdk.js";
import { buildImage } from "./size/build.js";
import { readImage } from "./size/image.js";
import { nativeBytesOf } from "./size/native.js";
import { asTable, type Report, reportOf } from "./size/report.js";

const USAGE = "Usage: npm run size [-- [--board NAME] [--json]]";

async function measure(board: Board): Promise<Report> {
	const sdk = findSDK();
	const folder = mkdtempSync(join(tmpdir(), "gateway-size-"));
	try {
		process.stderr.write(`Building for ${board.name}, without its C …\n`);
		const { image, ...others } = await buildImage(sdk, board, folder);
		return reportOf({
			image: readImage(image),
			nativeBytes: nativeBytesOf(board),
			slotBytes: slotBytesOf(board),
			...others,
		});
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Throws an Error with a message for the user for a bad command line. */
function readOrder(args: string[]): { board: Board; json: boolean } {
	const board = { type: "string", default: "esp32c3-devkitm" } as const;
	const { values } = parseArgs({ args, options: { board, json: { type: "boolean", default: false } } });
	return { board: findBoard(values.board), json: values.json };
}

async function main(args: string[]): Promise<number> {
	let order: ReturnType<typeof readOrder>;
	try {
		order = readOrder(args);
	} catch (error) {
		console.error(`${(error as Error).message}\n${USAGE}`);
		return 2;
	}
	try {
		const report = await measure(order.board);
		process.stdout.write(order.json ? `${JSON.stringify(report, null, "\t")}\n` : asTable(report));
		return report.problems.length > 0 ? 1 : 0;
	} catch (error) {
		console.error((error as Error).message);
		return 1;
	}
}

process.exitCode = await main(process.argv.slice(2));

/**
 * `npm run size`: flash used by each part of the firmware, compared with budgets and with the size of the slot. The
 * firmware is built with the Moddable SDK, without ESP-IDF, for the board given by `-- --board NAME`. It lacks the
 * parts that the board's row leaves out and the parts in --without, except those in --with. `-- --json` prints the same
 * as JSON. `-- --all` prints what is left on each distinct board with 4 MB of flash, compared with docs/performance.md.
 * `-- --omissions` builds the firmware once for each part and protocol that can be left out, and prints the bytes that
 * each omission saves. The exit code is 1 if a part exceeds its budget or has none, if less than 8 KB of the
 * slot are left, if the SDK's linker warns, or if there is no SDK. It is 2 after a bad command line.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BOARDS, type Board, findBoard } from "../hosts/esp32/boards.js";
import { distinctBoards, slotBytesOf } from "./build/all.js";
import { boardWith, OMISSIONS, omissionsOf } from "./sdk/omissions.js";
import { findSDK, ROOT } from "./sdk/sdk.js";
import { buildImage } from "./size/build.js";
import { readImage } from "./size/image.js";
import { nativeOf } from "./size/native.js";
import { asTable, type Gain, gainsTable, type Report, reportOf } from "./size/report.js";
import { ROOM_FILE, readRoom, roomTable } from "./size/room.js";

const USAGE = "Usage: npm run size [-- [--board NAME] [--without NAMES] [--with NAMES] [--json | --omissions] | --all]";

async function measure(board: Board): Promise<Report> {
	const sdk = findSDK();
	const folder = mkdtempSync(join(tmpdir(), "gateway-size-"));
	const names = omissionsOf(board);
	try {
		process.stderr.write(`Building for ${[board.name, ...names].join(" without ")}, without its C …\n`);
		const { image, ...others } = await buildImage(sdk, board, folder);
		return reportOf({
			image: readImage(image),
			native: nativeOf(board),
			slotBytes: slotBytesOf(board),
			without: names,
			...others,
		});
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function measureOmissions(board: Board): Promise<string> {
	const whole = { ...board, without: [] };
	const { leftBytes } = await measure(whole);
	const gains: Gain[] = [];
	for (const name of Object.keys(OMISSIONS)) {
		const gained = (await measure(boardWith(whole, name))).leftBytes - leftBytes;
		gains.push({ name, bytes: gained, isLeftOut: omissionsOf(board).includes(name) });
	}
	return gainsTable(board.name, leftBytes, gains);
}

async function measureAll(): Promise<string> {
	const left = new Map<string, number>();
	for (const { board } of distinctBoards(BOARDS.filter(({ flashMB }) => flashMB === 4)))
		left.set(board.name, (await measure(board)).leftBytes);
	return roomTable(left, readRoom(readFileSync(join(ROOT, ROOM_FILE), "utf8")));
}

interface Order {
	readonly board: Board;
	readonly all: boolean;
	readonly json: boolean;
	readonly omissions: boolean;
}

function readOrder(args: string[]): Order {
	const { values } = parseArgs({
		args,
		options: {
			board: { type: "string", default: "esp32c3-devkitm" },
			without: { type: "string" },
			with: { type: "string" },
			all: { type: "boolean", default: false },
			json: { type: "boolean", default: false },
			omissions: { type: "boolean", default: false },
		},
	});
	const { all, json, omissions } = values;
	if (Number(all) + Number(json) + Number(omissions) > 1)
		throw new Error("--all, --json and --omissions exclude each other.");
	return { board: boardWith(findBoard(values.board), values.without, values.with), all, json, omissions };
}

async function main(args: string[]): Promise<number> {
	let order: Order;
	try {
		order = readOrder(args);
	} catch (error) {
		console.error(`${(error as Error).message}\n${USAGE}`);
		return 2;
	}
	try {
		if (order.all) {
			process.stdout.write(await measureAll());
			return 0;
		}
		if (order.omissions) {
			process.stdout.write(await measureOmissions(order.board));
			return 0;
		}
		const report = await measure(order.board);
		process.stdout.write(order.json ? `${JSON.stringify(report, null, "\t")}\n` : asTable(report));
		return report.problems.length > 0 ? 1 : 0;
	} catch (error) {
		console.error((error as Error).message);
		return 1;
	}
}

process.exitCode = await main(process.argv.slice(2));

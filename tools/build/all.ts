/** `npm run build -- --all`: builds the firmware of every distinct board and reports its size. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Board, Chip } from "../../hosts/esp32/boards.js";
import { omissionsOf } from "../sdk/omissions.js";
import { ROOT } from "../sdk/sdk.js";
import { type FirmwareSize, problemsOf } from "./limits.js";

/** A board, together with the boards that differ from it only in pins and names. */
export interface Distinct {
	readonly board: Board;
	readonly others: readonly string[];
}

export function distinctBoards(boards: readonly Board[], chip?: Chip, every = false): Distinct[] {
	const found = new Map<string, { board: Board; others: string[] }>();
	for (const board of boards) {
		if (chip !== undefined && board.chip !== chip) continue;
		const { partitions, console, zigbee, ethernet } = board;
		const parts = [zigbee !== undefined, ethernet?.kind, ...omissionsOf(board)];
		const kind = [board.chip, partitions, console, ...parts].join(" ");
		const key = every ? board.name : kind;
		const same = found.get(key);
		if (same === undefined) found.set(key, { board, others: [] });
		else same.others.push(board.name);
	}
	return [...found.values()];
}

export function slotBytesOf({ partitions }: Board): number {
	const text = readFileSync(join(ROOT, "hosts", "esp32", partitions), "utf8");
	const size = /^ota_0,\s*app,\s*ota_0,\s*\w+,\s*(0x[0-9a-f]+)/m.exec(text)?.[1];
	if (size === undefined) throw new Error(`${partitions} has no slot ota_0.`);
	return Number(size);
}

export interface Outcome extends Distinct {
	readonly taken: FirmwareSize | undefined;
	readonly problems: readonly string[];
}

/** Builds the firmware of each board. If a build fails, the others continue. */
export async function buildAll(
	distinct: readonly Distinct[],
	build: (board: Board) => Promise<FirmwareSize>,
	say: (line: string) => void,
): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	for (const [index, each] of distinct.entries()) {
		say(`Building ${index + 1} of ${distinct.length}: ${each.board.name} …`);
		try {
			const taken = await build(each.board);
			outcomes.push({ ...each, taken, problems: problemsOf(taken) });
		} catch (error) {
			outcomes.push({ ...each, taken: undefined, problems: [(error as Error).message] });
		}
	}
	return outcomes;
}

export function asRows(outcomes: readonly Outcome[]) {
	return outcomes.map(({ board, others, taken, problems }) => ({
		board: board.name,
		chip: board.chip,
		standsFor: others,
		imageBytes: taken?.imageBytes ?? null,
		leftBytes: taken === undefined ? null : taken.slotBytes - taken.imageBytes,
		iramBytes: taken?.memory?.iram ?? null,
		dramBytes: taken?.memory?.dram ?? null,
		problems,
	}));
}

export function asTable(outcomes: readonly Outcome[]): string {
	const line = (name: string, chip: string, ...numbers: (string | number | null)[]) =>
		`${name.padEnd(26)}${chip.padEnd(9)}${numbers.map((number) => String(number ?? "?").padStart(10)).join("")}\n`;
	const rows = asRows(outcomes);
	const failed = rows.filter(({ problems }) => problems.length > 0);
	return [
		line("board", "chip", "image", "left", "IRAM", "DRAM"),
		...rows.map((row) => line(row.board, row.chip, row.imageBytes, row.leftBytes, row.iramBytes, row.dramBytes)),
		"\n",
		...rows.map(({ board, standsFor }) => (standsFor.length > 0 ? `${board} also for: ${standsFor.join(", ")}\n` : "")),
		...failed.flatMap(({ board, problems }) => problems.map((problem) => `${board}: ${problem}\n`)),
		failed.length > 0
			? `${failed.length} of ${rows.length} builds failed.\n`
			: `All ${rows.length} builds are within their limits.\n`,
	].join("");
}

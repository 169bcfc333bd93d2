/**
 * Compares the bytes that are left of a slot with the newest column of a table in docs/performance.md. The table has a
 * row for each distinct board with 4 MB of flash, and a column for each state of the project.
 */

/** A change that takes or frees more bytes than this needs a new column. */
export const TOLERANCE_BYTES = 1024;

/** The document, and the heading above the table. */
export const ROOM_FILE = "docs/performance.md";
const HEADING = "### Room on boards with 4 MB";

/** Returns the number of bytes in the newest column, by board. Throws an Error if the document has no such table. */
export function readRoom(text: string): ReadonlyMap<string, number> {
	const section = text.split(`${HEADING}\n`)[1]?.split(/^#/m)[0] ?? "";
	const rows = section.split("\n").filter((line) => line.startsWith("| `"));
	if (rows.length === 0) throw new Error(`${ROOM_FILE} has no table below "${HEADING}".`);
	return new Map(
		rows.map((row) => {
			const cells = row.split("|").map((cell) => cell.trim());
			return [cells[1]!.replaceAll("`", ""), Number(cells.at(-2)!.replaceAll(" ", ""))];
		}),
	);
}

/** Returns what to do if a board has another number of bytes left than the document says. */
export function roomProblem(board: string, leftBytes: number, room: ReadonlyMap<string, number>): string | undefined {
	const known = room.get(board);
	if (known === undefined) return `${ROOM_FILE} has no row for ${board} below "${HEADING}".`;
	const change = leftBytes - known;
	if (Math.abs(change) <= TOLERANCE_BYTES) return undefined;
	const what = `${board} has ${leftBytes} bytes left, ${Math.abs(change)} ${change < 0 ? "less" : "more"} than ${ROOM_FILE} says.`;
	return `${what} Add a column to its table by \`npm run size -- --all\`, and say in the commit what the bytes are for.`;
}

/** Returns a table of what is left, and how that differs from the document. */
export function roomTable(left: ReadonlyMap<string, number>, room: ReadonlyMap<string, number>): string {
	const line = (...cells: readonly (string | number)[]) =>
		`${String(cells[0]).padEnd(24)}${cells
			.slice(1)
			.map((cell) => String(cell).padStart(10))
			.join("")}\n`;
	return [
		line("board", "left", "document", "change"),
		...[...left].map(([board, bytes]) => {
			const known = room.get(board);
			return line(board, bytes, known ?? "none", known === undefined ? "" : bytes - known);
		}),
		...[...left].flatMap(([board, bytes]) => {
			const problem = roomProblem(board, bytes, room);
			return problem === undefined ? [] : [`\n${problem}\n`];
		}),
	].join("");
}

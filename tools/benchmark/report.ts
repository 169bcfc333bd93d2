/** Results of a part of the benchmark: rows of a table, for standard output and the JSON file. */

export type Row = Readonly<Record<string, string | number>>;

export interface Section {
	/** Letter of the part on the command line. */
	readonly part: string;
	readonly title: string;
	readonly notes: readonly string[];
	readonly rows: readonly Row[];
}

export function progress(text: string): void {
	process.stderr.write(`${text}\n`);
}

export function round(value: number, digits = 0): number {
	return Number(value.toFixed(digits));
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function format({ part, title, notes, rows }: Section): string {
	const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))];
	const isText = columns.map((column) => rows.some((row) => typeof row[column] === "string"));
	const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index].length)));
	const lines = cells.map((row) =>
		row
			.map((cell, index) => (isText[index] ? cell.padEnd(widths[index]) : cell.padStart(widths[index])))
			.join("  ")
			.trimEnd(),
	);
	return [`(${part}) ${title}`, ...notes.map((note) => `    ${note}`), "", ...lines, ""].join("\n");
}

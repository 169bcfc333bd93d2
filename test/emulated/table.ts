/** Memory of the emulated boards, as Markdown and as JSON. */
import type { MemoryRow } from "./board.js";

export interface BoardRows {
	readonly board: string;
	readonly chip: string;
	readonly rows: readonly MemoryRow[];
}

/** A row for each state, and one for the smallest free stack of each task. */
export function memoryTable(boards: readonly BoardRows[]): string {
	const lines = ["| board | state | free heap | least free heap |", "| --- | --- | ---: | ---: |"];
	for (const { board, rows } of boards)
		for (const { what, free, least } of rows) lines.push(`| ${board} | ${what} | ${free} | ${least} |`);
	lines.push("", "| board | least free stack of each task |", "| --- | --- |");
	for (const { board, rows } of boards) lines.push(`| ${board} | ${stacksText(leastStacks(rows))} |`);
	return `${lines.join("\n")}\n`;
}

/** Over all states, bytes. */
export function leastStacks(rows: readonly MemoryRow[]): Record<string, number> {
	const least: Record<string, number> = {};
	for (const { stacks } of rows)
		for (const [task, bytes] of Object.entries(stacks)) least[task] = Math.min(bytes, least[task] ?? bytes);
	return least;
}

function stacksText(stacks: Readonly<Record<string, number>>): string {
	return Object.entries(stacks)
		.sort(([, a], [, b]) => a - b)
		.map(([task, bytes]) => `${task} ${bytes}`)
		.join(", ");
}

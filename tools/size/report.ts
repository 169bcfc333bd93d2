/** Report of `npm run size`, as an object and as a table. It compares the contents of the image with the budgets. */
import { SLOT_RESERVE_BYTES } from "../build/limits.js";
import { BUDGETS, RESERVED } from "./budgets.js";
import { BUILT_INS, bytesOf, type Image, NAMES, SCRIPT, type Share } from "./image.js";
import { type Native, paddingOf } from "./native.js";

/** Size of a firmware slot in 4 MB of flash (hosts/esp32/partitions-4mb.csv). */
export const SLOT_BYTES = 0x1e0000;

export interface Part extends Share {
	name: string;
	bytes: number;
}

export interface Spent {
	name: string;
	bytes: number;
	/** Budget in bytes, or undefined if the part has none, which is a problem. */
	budget: number | undefined;
}

export interface Report {
	/** Measured parts. Our script comes first; the others are ordered by size. */
	parts: Part[];
	/**
	 * The whole image, with a row for each budget. Our folders come first. They share the script's bytes in proportion to
	 * their characters. Everything else follows.
	 */
	spent: Spent[];
	reserved: { name: string; bytes: number }[];
	ourBytes: number;
	sdkBytes: number;
	tableBytes: number;
	resourceBytes: number;
	nativeBytes: number;
	/** Number of zeros between constants and code (native.ts). */
	paddingBytes: number;
	slotBytes: number;
	leftBytes: number;
	aliases: number;
	warnings: readonly string[];
	/** Names of the parts that this firmware lacks (tools/sdk/omissions.ts). */
	without: readonly string[];
	/**
	 * Problems as sentences: an image that is longer than its slot, budgets that are exceeded or missing, and the
	 * linker's warnings.
	 */
	problems: string[];
}

export interface Measured {
	image: Image;
	lengths: ReadonlyMap<string, number>;
	resources: ReadonlyMap<string, number>;
	/** Sizes of ESP-IDF and all C on this board. */
	native: Native;
	slotBytes: number;
	warnings: readonly string[];
	without?: readonly string[];
}

const OURS = "our script";
const TABLES = "names and tables";
const NATIVE = "ESP-IDF and all C";
const PADDING = "padding to a page";

export function reportOf(measured: Measured, budgets = BUDGETS): Report {
	const { image, lengths, resources, native, slotBytes, warnings, without = [] } = measured;
	const parts = sumUp(image.shares);
	const sum = (all: readonly { bytes: number }[]) => all.reduce((total, { bytes }) => total + bytes, 0);
	const ourBytes = sum(parts.filter(({ name }) => name === OURS));
	const names = sum(parts.filter(({ name }) => name === partOf(NAMES)));
	const files = [...resources].map(([name, bytes]) => ({ name: `resource ${name}`, bytes }));
	const measuredBytes = sum(parts) + image.tableBytes + sum(files);
	const paddingBytes = paddingOf(measuredBytes + native.constantBytes, native.memoryBytes);
	const spent = [
		...foldersOf(lengths, ourBytes),
		{ name: TABLES, bytes: names + image.tableBytes },
		...parts.filter(({ name }) => name !== OURS && name !== partOf(NAMES)),
		...files,
		{ name: NATIVE, bytes: native.bytes },
		{ name: PADDING, bytes: paddingBytes },
	].map(({ name, bytes }) => ({ name, bytes, budget: budgets[name] }));
	const leftBytes = slotBytes - measuredBytes - native.bytes - paddingBytes;
	return {
		parts,
		spent,
		reserved: Object.entries(RESERVED).map(([name, bytes]) => ({ name, bytes })),
		ourBytes,
		sdkBytes: sum(parts) - ourBytes,
		tableBytes: image.tableBytes,
		resourceBytes: sum(files),
		nativeBytes: native.bytes,
		paddingBytes,
		slotBytes,
		leftBytes,
		aliases: image.aliases,
		warnings,
		without,
		problems: [
			...spent.flatMap(problemOf),
			...roomProblems(leftBytes),
			...warnings.map((line) => `The linker warns; keep state in instances, and wrap tables in Object.freeze: ${line}`),
		],
	};
}

function roomProblems(leftBytes: number): string[] {
	if (leftBytes < 0) return [`The image is ${-leftBytes} bytes longer than its slot.`];
	if (leftBytes >= SLOT_RESERVE_BYTES) return [];
	return [
		`The slot has ${leftBytes} bytes left; ${SLOT_RESERVE_BYTES} are kept for corrections (tools/build/limits.ts).`,
	];
}

function problemOf({ name, bytes, budget }: Spent): string[] {
	if (budget === undefined) return [`${name} has no budget: give it a line in tools/size/budgets.ts.`];
	return bytes > budget ? [`${name} is ${bytes - budget} bytes over its budget (tools/size/budgets.ts).`] : [];
}

function partOf(module: string): string {
	if (module === SCRIPT) return OURS;
	if (module === BUILT_INS) return "engine: built-ins";
	if (module === NAMES) return "engine: all names";
	return "SDK: modules";
}

function sumUp(shares: ReadonlyMap<string, Share>): Part[] {
	const parts = new Map<string, Part>();
	for (const [module, share] of shares) {
		const name = partOf(module);
		const part = parts.get(name) ?? { name, slots: 0, codeBytes: 0, stringBytes: 0, bytes: 0 };
		part.slots += share.slots;
		part.codeBytes += share.codeBytes;
		part.stringBytes += share.stringBytes;
		part.bytes += bytesOf(share);
		parts.set(name, part);
	}
	return [...parts.values()].sort((a, b) => Number(b.name === OURS) - Number(a.name === OURS) || b.bytes - a.bytes);
}

/** Folder of a file: an engine's `modules/mqtt`, a part's `modules/parts/mqtt`, or a host's. */
export function folderOf(file: string): string {
	return file
		.split("/")
		.slice(0, file.startsWith("modules/parts/") ? 3 : 2)
		.join("/");
}

function foldersOf(lengths: ReadonlyMap<string, number>, bytes: number): { name: string; bytes: number }[] {
	const folders = new Map<string, number>();
	let whole = 0;
	for (const [file, length] of lengths) {
		const name = folderOf(file);
		folders.set(name, (folders.get(name) ?? 0) + length);
		whole += length;
	}
	return [...folders]
		.filter(([, length]) => length > 0)
		.map(([name, length]) => ({ name, bytes: Math.round((bytes * length) / whole) }))
		.sort((a, b) => b.bytes - a.bytes);
}

export function asTable(report: Report): string {
	const cells = (name: string, ...numbers: (number | string)[]) =>
		`${name.padEnd(44)}${numbers.map((number) => String(number).padStart(11)).join("")}\n`;
	const percent = Math.round(((report.slotBytes - report.leftBytes) / report.slotBytes) * 100);
	const reserved = report.reserved.reduce((sum, { bytes }) => sum + bytes, 0);
	const budgets = report.spent.reduce((sum, { budget }) => sum + (budget ?? 0), 0);
	return [
		cells("measured", "byte code", "strings", "slots", "bytes"),
		...report.parts.map((part) => cells(part.name, part.codeBytes, part.stringBytes, part.slots, part.bytes)),
		cells("tables", "", "", "", report.tableBytes),
		`\n${cells("flash", "bytes", "budget", "left")}`,
		...report.spent.map(({ name, bytes, budget }) => cells(name, bytes, budget ?? "none", (budget ?? 0) - bytes)),
		"\n",
		cells("our script", report.ourBytes),
		cells("the SDK's share, with names and tables", report.sdkBytes + report.tableBytes),
		cells("resources", report.resourceBytes),
		cells("ESP-IDF and all C, as linked for this chip", report.nativeBytes),
		cells("padding to a page of 64 KB", report.paddingBytes),
		cells(`used of a slot of ${report.slotBytes} bytes (${percent} %)`, report.slotBytes - report.leftBytes),
		cells("left", report.leftBytes),
		cells("reserved for later changes", reserved),
		cells("left of the slot after budgets and reserve", report.slotBytes - budgets - reserved),
		`\nEach folder's share of the script's bytes is in proportion to its length as text. A slot has 16 bytes.\n`,
		report.without.length > 0 ? `The firmware is without ${report.without.join(", ")}.\n` : "",
		`RAM for changeable objects of preloaded modules: ${report.aliases * 4} bytes.\n`,
		...report.problems.map((problem) => `\n${problem}\n`),
	].join("");
}

export interface Gain {
	readonly name: string;
	readonly bytes: number;
	readonly isLeftOut: boolean;
}

export function gainsTable(board: string, leftBytes: number, gains: readonly Gain[]): string {
	const line = (name: string, bytes: number, more = "") => `${name.padEnd(14)}${String(bytes).padStart(9)}${more}\n`;
	return [
		`Bytes gained on ${board} if its firmware leaves out:\n\n`,
		...gains.map(({ name, bytes, isLeftOut }) => line(name, bytes, isLeftOut ? "  left out" : "")),
		"\n",
		line("left with all", leftBytes),
	].join("");
}

/** The report of `npm run size`: what the image holds against the device's budget, as an object and as a table. */
import { BUILT_INS, bytesOf, type Image, NAMES, SCRIPT, type Share } from "./image.js";

/** One of the two slots for the firmware in a flash of 4 MB: 1.75 MB. */
export const SLOT_BYTES = 1835008;

/**
 * ESP-IDF with Wi-Fi, lwIP and Mbed TLS, and the engine's and our own C; not built here. Measured: an image for the
 * ESP32-C3, 1664208 bytes, less the 666984 that this program counts in it. Linked on 2026-11-22 with ESP-IDF v6.0.1,
 * optimized for size, newlib, Mbed TLS 4.0.0 without the chip's accelerators. Other chips differ.
 */
export const NATIVE_ESTIMATE_BYTES = 997224;

export interface Part extends Share {
	name: string;
	bytes: number;
}

export interface Report {
	/** As measured: our script first, then largest first. */
	parts: Part[];
	/** What of the script comes of each folder: its bytes in proportion to characters, largest first. */
	folders: { name: string; bytes: number }[];
	ourBytes: number;
	sdkBytes: number;
	/** Tables of names, modules and native functions. */
	tableBytes: number;
	resources: { name: string; bytes: number }[];
	resourceBytes: number;
	nativeEstimateBytes: number;
	slotBytes: number;
	leftBytes: number;
	/** 4 bytes of RAM each. */
	aliases: number;
	warnings: readonly string[];
}

export interface Measured {
	image: Image;
	/** Characters of the script, by the file that they come of. */
	lengths: ReadonlyMap<string, number>;
	/** Bytes of the files in flash. */
	resources: ReadonlyMap<string, number>;
	warnings: readonly string[];
}

export function reportOf({ image, lengths, resources, warnings }: Measured): Report {
	const parts = sumUp(image.shares);
	const sum = (all: readonly { bytes: number }[]) => all.reduce((total, { bytes }) => total + bytes, 0);
	const files = [...resources].map(([name, bytes]) => ({ name, bytes }));
	const ourBytes = sum(parts.filter(({ name }) => name === OURS));
	const sdkBytes = sum(parts) - ourBytes;
	const used = ourBytes + sdkBytes + image.tableBytes + sum(files) + NATIVE_ESTIMATE_BYTES;
	return {
		parts,
		folders: foldersOf(lengths, ourBytes),
		ourBytes,
		sdkBytes,
		tableBytes: image.tableBytes,
		resources: files,
		resourceBytes: sum(files),
		nativeEstimateBytes: NATIVE_ESTIMATE_BYTES,
		slotBytes: SLOT_BYTES,
		leftBytes: SLOT_BYTES - used,
		aliases: image.aliases,
		warnings,
	};
}

const OURS = "our script";

function partOf(module: string): string {
	if (module === SCRIPT) return OURS;
	if (module === BUILT_INS) return "engine: built-ins";
	if (module === NAMES) return "engine: names, of all";
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

function foldersOf(lengths: ReadonlyMap<string, number>, bytes: number): { name: string; bytes: number }[] {
	const folders = new Map<string, number>();
	let whole = 0;
	for (const [file, length] of lengths) {
		const name = file.split("/").slice(0, 2).join("/");
		folders.set(name, (folders.get(name) ?? 0) + length);
		whole += length;
	}
	return [...folders]
		.map(([name, length]) => ({ name, bytes: Math.round((bytes * length) / whole) }))
		.sort((a, b) => b.bytes - a.bytes);
}

export function asTable(report: Report): string {
	const cells = (name: string, ...numbers: (number | string)[]) =>
		`${name.padEnd(44)}${numbers.map((number) => String(number).padStart(11)).join("")}\n`;
	const total = (name: string, bytes: number) => cells(name, "", "", "", bytes);
	const percent = Math.round(((report.slotBytes - report.leftBytes) / report.slotBytes) * 100);
	const warnings = report.warnings.map((line) => `${line}\n`).join("");
	return [
		cells("flash of the ESP32", "byte code", "strings", "slots", "bytes"),
		...report.parts.map((part) => cells(part.name, part.codeBytes, part.stringBytes, part.slots, part.bytes)),
		total("tables", report.tableBytes),
		...report.resources.map(({ name, bytes }) => total(`resource ${name}`, bytes)),
		"\n",
		total("our script", report.ourBytes),
		total("the SDK's share, with names and tables", report.sdkBytes + report.tableBytes),
		total("resources", report.resourceBytes),
		total("ESP-IDF and all C, as measured for a C3", report.nativeEstimateBytes),
		total(`of a slot of ${report.slotBytes}, used (${percent} %)`, report.slotBytes - report.leftBytes),
		total("left", report.leftBytes),
		"\nOur script by folder, its bytes divided by length of text:\n",
		...report.folders.map(({ name, bytes }) => total(name, bytes)),
		`\nA slot has 16 bytes. RAM for what may change in preloaded modules: ${report.aliases * 4} bytes.\n`,
		warnings === "" ? "" : `\nThe linker warns; state belongs into instances, tables into Object.freeze:\n${warnings}`,
	].join("");
}

/**
 * Contents of a new unit's flash: boot loader, partition table, record of the slot to start, and firmware. ESP-IDF
 * lists their offsets (flasher_args.json). The areas between these parts contain data of the unit (settings, factory
 * data, history). If the parts are written one by one, these data remain; if the whole image is written, they are lost.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const NAMES = Object.freeze({
	bootloader: "bootloader.bin",
	"partition-table": "partition-table.bin",
	otadata: "otadata.bin",
	app: "firmware.bin",
});

const ERASED = 0xff;

export interface Part {
	readonly name: string;
	readonly offset: number;
	readonly bytes: Buffer;
}

/**
 * Reads the parts from ESP-IDF's build `folder`, sorted by offset. Throws an Error with a message for the user if a
 * unit could not start from them.
 */
export function readParts(folder: string): Part[] {
	const file = join(folder, "flasher_args.json");
	const listed = JSON.parse(readFileSync(file, "utf8")) as Record<string, { offset?: string; file?: string }>;
	const parts = Object.entries(NAMES).map(([key, name]): Part => {
		const { offset, file: path } = listed[key] ?? {};
		if (offset === undefined || path === undefined) throw new Error(`${file} does not say where "${key}" goes.`);
		return { name, offset: Number(offset), bytes: readFileSync(join(folder, path)) };
	});
	parts.sort((a, b) => a.offset - b.offset);
	let end = 0;
	for (const { name, offset, bytes } of parts) {
		if (!(offset >= end)) throw new Error(`${name} would overlap the part before it, at ${offset}.`);
		end = offset + bytes.length;
	}
	return parts;
}

export function wholeImage(parts: readonly Part[]): Buffer {
	const last = parts[parts.length - 1];
	const image = Buffer.alloc(last.offset + last.bytes.length, ERASED);
	for (const { offset, bytes } of parts) bytes.copy(image, offset);
	return image;
}

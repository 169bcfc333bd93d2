/**
 * Partition tables of ESP-IDF (CSV: name, type, subtype, offset, size, flags; `#` begins a comment), as far as
 * `npm run factory` needs them: where a partition lies.
 */

export interface Partition {
	readonly name: string;
	/** Bytes from the start of the flash. */
	readonly offset: number;
	/** Bytes. */
	readonly size: number;
}

/** The partition of that name. Throws an Error with a sentence where it isn't, or its place is not told by the table. */
export function findPartition(table: string, name: string): Partition {
	for (const line of table.split("\n")) {
		const [label, , , offset = "", size = ""] = line.split(",").map((cell) => cell.trim());
		if (label !== name) continue;
		return { name, offset: bytesOf(offset, name), size: bytesOf(size, name) };
	}
	throw new Error(`The partition table has no "${name}".`);
}

/** A number of the table: decimal or 0x…, with K or M behind it. */
function bytesOf(text: string, name: string): number {
	const match = /^(0x[0-9a-f]+|[0-9]+)([KM]?)$/i.exec(text);
	if (match === null) throw new Error(`The partition table gives "${name}" no offset and size.`);
	const units: Record<string, number> = { "": 1, K: 1024, M: 1024 * 1024 };
	return Number(match[1]) * units[match[2].toUpperCase()];
}

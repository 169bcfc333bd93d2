/** Parser for ESP-IDF's partition tables (CSV: name, type, subtype, offset, size, flags; `#` begins a comment). */

export interface Partition {
	readonly name: string;
	readonly offset: number;
	readonly size: number;
}

export function findPartition(table: string, name: string): Partition {
	for (const line of table.split("\n")) {
		const [label, , , offset = "", size = ""] = line.split(",").map((cell) => cell.trim());
		if (label !== name) continue;
		return { name, offset: bytesOf(offset, name), size: bytesOf(size, name) };
	}
	throw new Error(`The partition table has no "${name}".`);
}

function bytesOf(text: string, name: string): number {
	const match = /^(0x[0-9a-f]+|[0-9]+)([KM]?)$/i.exec(text);
	if (match === null) throw new Error(`The partition table gives "${name}" no offset and size.`);
	const units: Record<string, number> = { "": 1, K: 1024, M: 1024 * 1024 };
	return Number(match[1]) * units[match[2].toUpperCase()];
}

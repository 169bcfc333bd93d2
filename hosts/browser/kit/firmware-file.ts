/** Reads the metadata of a firmware file (docs/firmware-files.md). The signature is checked only by the gateway. */

const HEADER = 56;
const ELEMENT = 6;
const METADATA = 220;
/** Length of header, metadata element, and head of the next element. This head contains the length of that element. */
export const FIRMWARE_HEAD = HEADER + ELEMENT + METADATA + ELEMENT;
const PRODUCT = "smart-meter-gw";

export interface FirmwareFile {
	/** Device id of the board for which the file is. */
	readonly board: number;
	readonly chip: string;
	readonly version: string;
	readonly bytes: number;
}

/** Reads the first FIRMWARE_HEAD bytes. Returns undefined if they do not belong to firmware of this product. */
export function firmwareOf(head: ArrayBuffer): FirmwareFile | undefined {
	if (head.byteLength < FIRMWARE_HEAD) return undefined;
	const view = new DataView(head);
	const long = (at: number) => view.getUint32(at, true);
	const short = (at: number) => view.getUint16(at, true);
	const metadata = HEADER + ELEMENT;
	const text = (at: number, length: number) =>
		new TextDecoder().decode(new Uint8Array(head, metadata + at, length)).split("\0")[0];
	const isOurs =
		long(0) === 0x0beef11e &&
		short(6) === HEADER &&
		short(HEADER) === 0xf001 &&
		long(HEADER + 2) === METADATA &&
		view.getUint8(metadata) === 1 &&
		text(4, 16) === PRODUCT;
	if (!isOurs) return undefined;
	return {
		board: short(metadata + 2),
		chip: text(20, 16),
		version: text(40, 32),
		bytes: FIRMWARE_HEAD + long(metadata + 76),
	};
}

/**
 * Compares versions by their numbers (`1.2.3`); the rest is ignored. The result is negative if the first version is
 * older.
 */
export function compareVersions(one: string, other: string): number {
	const [numbers, others] = [one, other].map((version) => version.split("-")[0]);
	return numbers.localeCompare(others, "en", { numeric: true });
}

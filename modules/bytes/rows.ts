/**
 * Lists in one byte array, as settings store them: number of rows (1 byte), then rows of one size.
 */

/**
 * Returns the index of the first row that repeats an earlier one, or -1. Compares the first `keySize` of a row's `size`
 * bytes.
 */
export function findRepeated(list: Uint8Array, size: number, keySize = size): number {
	for (let i = 1; i < list[0]; i++) {
		for (let j = 0; j < i; j++) if (isSame(list, 1 + i * size, 1 + j * size, keySize)) return i;
	}
	return -1;
}

function isSame(list: Uint8Array, one: number, other: number, count: number): boolean {
	for (let i = 0; i < count; i++) if (list[one + i] !== list[other + i]) return false;
	return true;
}

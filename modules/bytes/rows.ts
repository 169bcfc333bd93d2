/**
 * Lists in one byte array, as settings store them: the number of rows (1 byte), then the rows, all of the same size.
 */

/**
 * Returns the index of the first row that equals an earlier row, or -1. Rows have `size` bytes, of which the first
 * `keySize` are compared.
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

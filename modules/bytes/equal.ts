/** Comparisons of arrays, in a time that does not depend on where they differ. They may be used for secrets. */
export function equalConstantTime(a: Uint8Array, b: Uint8Array): boolean {
	let difference = a.length ^ b.length;
	for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i % (b.length || 1)];
	return difference === 0;
}

export function holdsConstantTime(table: Uint8Array, offset: number, bytes: Uint8Array): boolean {
	let difference = 0;
	const count = bytes.length;
	for (let i = 0; i < count; i++) difference |= table[offset + i] ^ bytes[i];
	return difference === 0;
}

/** Makes packets as a client sends them. */

export function packet(type: number, data: readonly number[]): Buffer {
	const bytes = [...Buffer.from("IMPROV"), 1, type, data.length, ...data];
	return Buffer.from([...bytes, bytes.reduce((sum, byte) => sum + byte, 0) & 0xff, 10]);
}

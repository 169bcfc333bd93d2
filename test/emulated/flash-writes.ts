/** Writes to an emulated flash, in order, from QEMU's record (tools/emulate/qemu.ts). */

const ERASED = 0xff;
const EVENT =
	/^m25p80_(?:page_program \[\w+\] page program cur_addr=0x([0-9a-f]+) data=0x([0-9a-f]+)|flash_erase \[\w+\] offset = 0x([0-9a-f]+), len = (\d+))$/gm;

/** A programmed byte, or an erase. */
export interface FlashWrite {
	readonly offset: number;
	readonly length: number;
	/** Value of the byte; undefined for an erase. */
	readonly byte: number | undefined;
}

export function readWrites(log: string): FlashWrite[] {
	return [...log.matchAll(EVENT)].map(([, at, byte, erasedAt, length]) =>
		at === undefined
			? { offset: Number.parseInt(erasedAt!, 16), length: Number(length), byte: undefined }
			: { offset: Number.parseInt(at, 16), length: 1, byte: Number.parseInt(byte!, 16) },
	);
}

/** Programming only clears bits. */
export function applyWrite(flash: Uint8Array, { offset, length, byte }: FlashWrite): void {
	if (byte === undefined) flash.fill(ERASED, offset, offset + length);
	else flash[offset] &= byte;
}

/** True if the write at `index` does not continue the one before it. */
export function begins(writes: readonly FlashWrite[], index: number): boolean {
	const [before, write] = [writes[index - 1], writes[index]!];
	return before?.byte === undefined || write.byte === undefined || write.offset !== before.offset + 1;
}

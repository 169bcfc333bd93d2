/**
 * The chips that Espressif's QEMU emulates: program, machine, and the eFuses of a chip as it is sold, with the same
 * revision as `idf.py qemu` uses (ESP-IDF v6.0.1, tools/idf_py_actions/qemu_ext.py).
 */
import type { Chip } from "../../hosts/esp32/boards.js";

export interface EmulatedChip {
	readonly program: "qemu-system-xtensa" | "qemu-system-riscv32";
	readonly tool: "qemu-xtensa" | "qemu-riscv32";
	readonly machine: string;
	readonly fuseBytes: number;
	readonly fuses: Readonly<Record<number, number>>;
}

const XTENSA = Object.freeze({ program: "qemu-system-xtensa", tool: "qemu-xtensa" } as const);
const RISCV = Object.freeze({ program: "qemu-system-riscv32", tool: "qemu-riscv32" } as const);
/** eFuses for revision 0.3: WAFER_VERSION_MINOR. */
const REVISION_0_3 = Object.freeze({ 38: 0x0c });

export const EMULATED_CHIPS: Readonly<Record<Chip, EmulatedChip>> = Object.freeze({
	// The eFuses state revision 3: CHIP_VER_REV1 and CHIP_VER_REV2.
	esp32: Object.freeze({ ...XTENSA, machine: "esp32", fuseBytes: 124, fuses: Object.freeze({ 13: 0x80, 22: 0x10 }) }),
	esp32s3: Object.freeze({ ...XTENSA, machine: "esp32s3", fuseBytes: 1024, fuses: REVISION_0_3 }),
	esp32c3: Object.freeze({ ...RISCV, machine: "esp32c3", fuseBytes: 1024, fuses: REVISION_0_3 }),
	esp32c6: Object.freeze({ ...RISCV, machine: "esp32c6", fuseBytes: 1024, fuses: REVISION_0_3 }),
});

export function newFuses({ fuseBytes, fuses }: EmulatedChip): Uint8Array {
	const bytes = new Uint8Array(fuseBytes);
	for (const [place, value] of Object.entries(fuses)) bytes[Number(place)] = value;
	return bytes;
}

/**
 * Parts that `npm run size` does not build: ESP-IDF with Wi-Fi, lwIP and Mbed TLS, and the C of the engine and the
 * project. Each figure is the largest linked image that is known, minus the bytes that this program counts itself. The
 * images were linked on 2026-11-28 with ESP-IDF v6.0.1, optimized for size, newlib with nano formatting, Mbed TLS 4.0.0
 * with the chip's accelerators, by Debian's compilers. If ESP-IDF's tools are installed, `npm run build -- --all` gives
 * the true size of each image.
 */
import type { Board, Chip } from "../../hosts/esp32/boards.js";

/** The chip maps flash in pages. Constants come first; the code after them begins at the same offset in its page. */
export const PAGE_BYTES = 64 * 1024;

export interface Native {
	/** Code in flash and in memory, and constants, without the bytes that this program counts itself. */
	readonly bytes: number;
	/** Part of `bytes`: constants in flash, which are mapped together with the script and the resources. */
	readonly constantBytes: number;
	/** Part of `bytes`: code and data that the boot loader copies to memory. */
	readonly memoryBytes: number;
}

/**
 * Measured with esp32-devkitc, esp32s3-devkitc and esp32c3-devkitm. The S3's constants were not measured. The C6 has the
 * C3's values, although its image has 100 KB more. S3 and C6 have enough room.
 */
const NATIVE: Readonly<Record<Chip, Native>> = Object.freeze({
	esp32: Object.freeze({ bytes: 941706, constantBytes: 55174, memoryBytes: 66728 }),
	esp32s3: Object.freeze({ bytes: 924589, constantBytes: 0, memoryBytes: PAGE_BYTES }),
	esp32c3: Object.freeze({ bytes: 958485, constantBytes: 62005, memoryBytes: 47976 }),
	esp32c6: Object.freeze({ bytes: 958485, constantBytes: 62005, memoryBytes: 47976 }),
});

/** ESP-IDF's driver and our C for Ethernet, measured with slzb-06 and slzb-06xu. */
const ETHERNET_BYTES = Object.freeze({ rmii: 19913, w5500: 26641, openeth: 10787 });

export function nativeOf({ chip, ethernet }: Pick<Board, "chip" | "ethernet">): Native {
	const native = NATIVE[chip];
	return { ...native, bytes: native.bytes + (ethernet === undefined ? 0 : ETHERNET_BYTES[ethernet.kind]) };
}

const IMAGE_HEADER_BYTES = 24;
const SEGMENT_HEADER_BYTES = 8;

/**
 * Bytes of padding between constants and code. The code begins in a new page. The parts that are copied to memory fill
 * the page before it, and esptool fills the rest with zeros. `constantBytes`: all constants, with script and resources.
 */
export function paddingOf(constantBytes: number, memoryBytes: number): number {
	const end = IMAGE_HEADER_BYTES + SEGMENT_HEADER_BYTES + constantBytes;
	const gap = PAGE_BYTES - ((end - IMAGE_HEADER_BYTES) % PAGE_BYTES);
	return gap === PAGE_BYTES ? 0 : Math.max(0, gap - memoryBytes);
}

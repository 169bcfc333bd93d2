/**
 * Sizes that `npm run size` cannot measure, because it does not build ESP-IDF (with Wi-Fi, lwIP and Mbed TLS) or the C
 * of the engine and the project. Each figure is from the largest linked image that is known, minus the bytes that this
 * program counts itself. The images were linked on 2026-11-28 with ESP-IDF v6.0.1, optimized for size, newlib with nano
 * formatting, Mbed TLS 4.0.0 with the chip's accelerators, by Debian's compilers. If ESP-IDF's tools are installed,
 * `npm run build -- --all` reports the true size of each image.
 */
import type { Board, Chip } from "../../hosts/esp32/boards.js";

/**
 * Size of the pages in which the chip maps flash. Constants come first. The code after them begins at the same offset
 * in its page.
 */
export const PAGE_BYTES = 64 * 1024;

export interface Native {
	/** Bytes of code in flash and in memory, and of constants, without the bytes that this program counts itself. */
	readonly bytes: number;
	/** Share of `bytes` that are constants in flash. They are mapped together with the script and the resources. */
	readonly constantBytes: number;
	/** Share of `bytes` that are code and data which the boot loader copies to memory. */
	readonly memoryBytes: number;
}

/**
 * Values measured with esp32-devkitc, esp32s3-devkitc and esp32c3-devkitm. The constants of the S3 were not measured.
 * The C6 has the values of the C3, although its image has 100 KB more. S3 and C6 have enough room.
 */
const NATIVE: Readonly<Record<Chip, Native>> = Object.freeze({
	esp32: Object.freeze({ bytes: 941706, constantBytes: 55174, memoryBytes: 66728 }),
	esp32s3: Object.freeze({ bytes: 924589, constantBytes: 0, memoryBytes: PAGE_BYTES }),
	esp32c3: Object.freeze({ bytes: 958485, constantBytes: 62005, memoryBytes: 47976 }),
	esp32c6: Object.freeze({ bytes: 958485, constantBytes: 62005, memoryBytes: 47976 }),
});

/**
 * Size of ESP-IDF's driver and our C for Ethernet, measured with slzb-06 and slzb-06xu.
 */
const ETHERNET_BYTES = Object.freeze({ rmii: 19913, w5500: 26641, openeth: 10787 });

export function nativeOf({ chip, ethernet }: Pick<Board, "chip" | "ethernet">): Native {
	const native = NATIVE[chip];
	return { ...native, bytes: native.bytes + (ethernet === undefined ? 0 : ETHERNET_BYTES[ethernet.kind]) };
}

const IMAGE_HEADER_BYTES = 24;
const SEGMENT_HEADER_BYTES = 8;

/**
 * Returns the number of padding bytes between constants and code, which begins in a new page. The data that are copied
 * to memory fill the end of the page before the code, and esptool fills the rest with zeros. `constantBytes` counts all
 * constants, including script and resources.
 */
export function paddingOf(constantBytes: number, memoryBytes: number): number {
	const end = IMAGE_HEADER_BYTES + SEGMENT_HEADER_BYTES + constantBytes;
	const gap = PAGE_BYTES - ((end - IMAGE_HEADER_BYTES) % PAGE_BYTES);
	return gap === PAGE_BYTES ? 0 : Math.max(0, gap - memoryBytes);
}

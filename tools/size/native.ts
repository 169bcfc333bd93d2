/**
 * Parts that `npm run size` does not build: ESP-IDF with Wi-Fi, lwIP and Mbed TLS, and the C of the engine and the
 * project. Each figure is a linked image minus the bytes that this program counts itself. Up to 16 KB of an image are
 * padding to a page of memory. The images were linked on 2026-11-23 (ESP32-S3) and 2026-11-27 with ESP-IDF v6.0.1,
 * optimized for size, newlib with nano formatting, Mbed TLS 4.0.0 with the chip's accelerators, by Debian's compilers.
 * If ESP-IDF's tools are installed, `npm run build -- --all` gives the true size of each image.
 */
import type { Board, Chip } from "../../hosts/esp32/boards.js";

/**
 * Bytes by chip, measured with esp32-devkitc, esp32s3-devkitc and esp32c3-devkitm. The ESP32-C6 has room enough for the
 * value of the C3.
 */
const NATIVE_BYTES: Readonly<Record<Chip, number>> = Object.freeze({
	esp32: 960871,
	esp32s3: 931482,
	esp32c3: 981660,
	esp32c6: 981660,
});

/**
 * Bytes that Ethernet adds: ESP-IDF's driver and our C. A W5500 has the value of RMII, and room enough.
 */
const ETHERNET_BYTES = Object.freeze({ rmii: 18300, w5500: 18300, openeth: 10787 });

export function nativeBytesOf({ chip, ethernet }: Pick<Board, "chip" | "ethernet">): number {
	return NATIVE_BYTES[chip] + (ethernet === undefined ? 0 : ETHERNET_BYTES[ethernet.kind]);
}

/** Application images of ESP-IDF (esp_image_header_t), as far as a mistake of the one who signs can be seen in them. */
import type { Chip } from "../../hosts/esp32/boards.js";

const MAGIC = 0xe9;
const CHIP_AT = 12;
const HEADER_LENGTH = 24;

/** esp_chip_id_t. */
const CHIPS: Readonly<Record<Chip, number>> = { esp32: 0, esp32c3: 5, esp32s3: 9, esp32c6: 13 };

/** Throws an Error with a sentence when it is no image that the boot loader of this chip would start. */
export function checkImage(image: Uint8Array, chip: Chip): void {
	if (image.length < HEADER_LENGTH || image[0] !== MAGIC)
		throw new Error("This is no application image of ESP-IDF, which begins with E9. It is xs_esp32.bin of a build.");
	const id = image[CHIP_AT] | (image[CHIP_AT + 1] << 8);
	if (id === CHIPS[chip]) return;
	const other = Object.entries(CHIPS).find(([, one]) => one === id)?.[0] ?? `chip ${id}`;
	throw new Error(`The image is for ${other}, not for the board's ${chip}.`);
}

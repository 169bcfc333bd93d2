/**
 * Makes the manifest of a board's firmware for ESP Web Tools (manifest.json). It states the chip, and the parts with
 * their offsets.
 */
import type { Board, Chip } from "../../hosts/esp32/boards.js";
import { PRODUCT } from "../../modules/product/product.js";
import { omissionsOf } from "../sdk/omissions.js";
import type { Part } from "./parts.js";

const FAMILIES: Readonly<Record<Chip, string>> = Object.freeze({
	esp32: "ESP32",
	esp32s3: "ESP32-S3",
	esp32c3: "ESP32-C3",
	esp32c6: "ESP32-C6",
});

/**
 * Time that ESP Web Tools waits for Improv. It must be long, because a unit that has just started first scans for
 * networks.
 */
const IMPROV_WAIT_S = 15;

/**
 * Makes the manifest. Its `name` is the one that Improv reports. Therefore ESP Web Tools updates a unit without
 * offering to erase it.
 */
export function manifestOf(board: Board, version: string, parts: readonly Part[]): object {
	const hasImprov = !omissionsOf(board).includes("improv");
	return {
		name: PRODUCT,
		version,
		new_install_prompt_erase: true,
		new_install_improv_wait_time: hasImprov ? IMPROV_WAIT_S : 0,
		builds: [{ chipFamily: FAMILIES[board.chip], parts: parts.map(({ name, offset }) => ({ path: name, offset })) }],
	};
}

/** Speeds of the optical port (IEC 62056-21, 6.3.14). */
import { IEC62056_CONFIG } from "../kit/bodies.js";
import { choicesOf } from "../kit/limits.js";
import { t } from "../kit/text.js";

/** Returns a speed as text, such as `9600 baud`. It has no thousands separator, as on meters and in data sheets. */
export function speedText(baud: number | string): string {
	return t("iec.baud", { n: String(baud) });
}

export const SPEEDS = choicesOf(IEC62056_CONFIG.mode_d_baudrate, speedText);

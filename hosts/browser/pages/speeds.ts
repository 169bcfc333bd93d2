/** The speeds of the optical port (IEC 62056-21, 6.3.14) to choose from. */
import { IEC62056_CONFIG } from "../kit/bodies.js";
import { formatNumber } from "../kit/format.js";
import { choicesOf } from "../kit/limits.js";
import { language, t } from "../kit/text.js";

export const SPEEDS = choicesOf(IEC62056_CONFIG.mode_d_baudrate, (value) =>
	t("iec.baud", { n: formatNumber(value, language) }),
);

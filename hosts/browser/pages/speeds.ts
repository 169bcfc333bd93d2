/** The speeds of the optical port (IEC 62056-21, 6.3.14) to choose from. */
import { formatNumber } from "../kit/format.js";
import { language, t } from "../kit/text.js";

export const SPEEDS = [300, 600, 1200, 2400, 4800, 9600, 19_200].map((value) => ({
	value,
	label: t("iec.baud", { n: formatNumber(value, language) }),
}));

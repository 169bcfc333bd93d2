/** Settings of the peaks. */
import { ENTRY_PEAKS } from "../../config/entries.js";
import { CHOICE, entry, field } from "../../config/schema.js";

/**
 * Length of the intervals for which the mean power is calculated, minutes: 15 in Flanders, 60 in Norway and Sweden; 0
 * for none.
 */
export const PEAKS_INTERVAL_MINS = field<number>({
	entry: ENTRY_PEAKS,
	id: 1,
	name: "interval_mins",
	kind: CHOICE,
	choices: Object.freeze([0, 15, 60]),
	initial: 0,
});
/** Number of days that make up the month's peak: it is the mean of the highest intervals of this many days. */
export const PEAKS_COUNT = field<number>({
	entry: ENTRY_PEAKS,
	id: 2,
	name: "count",
	kind: CHOICE,
	choices: Object.freeze([1, 3]),
	initial: 1,
});
export const PEAKS = entry("peaks", 1, [PEAKS_INTERVAL_MINS, PEAKS_COUNT]);

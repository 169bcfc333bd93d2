/** Sieges of seconds on the firmware on Linux, with its native core; siege.long.ts runs minutes. */
import { siegeOf } from "./check.js";

siegeOf("linux", "The firmware on Linux under siege", {
	ms: 6000,
	stalled: [1, 2, 3, 8],
	crowds: [60, 240],
	mixed: 12,
	strangers: [3, 7, 8, 20, 60],
	streams: [3, 8, 20],
});

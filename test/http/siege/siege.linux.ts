/** The firmware on Linux, its native core among strangers: for seconds each. Minutes of it are in siege.long.ts. */
import { siegeOf } from "./check.js";

siegeOf("linux", "The firmware on Linux under siege", { ms: 6000, stalled: [1, 2, 3, 8], crowds: [60, 240] });

/**
 * A week with everything on, in both engines. One of its days has 25 hours. XS reads each quarter of an hour only, because
 * its days take longer.
 */
import { unattendedDays } from "./unattended-days-checks.js";

const START_MS = Date.UTC(2026, 9, 21, 22);

unattendedDays("A week with everything on", "node", { startMs: START_MS, days: 7, lossesADay: 1, period: 1 });
unattendedDays("A week with everything on", "xs", { startMs: START_MS, days: 7, lossesADay: 1, period: 15 });

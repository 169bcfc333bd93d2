/**
 * A day of 23 hours with everything on, in which each peer is lost once. `npm run test:long` has a week
 * (unattended-days.long.ts).
 */
import { unattendedDays } from "./unattended-days-checks.js";

const START_MS = Date.UTC(2026, 2, 28, 23);

unattendedDays("A day with everything on", "node", { startMs: START_MS, days: 1, lossesADay: 7, period: 5 });

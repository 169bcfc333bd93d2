/** Two days with everything on, the first of which has 23 hours. `npm run test:long` has a week (unattended-days.long.ts). */
import { unattendedDays } from "./unattended-days-checks.js";

const START_MS = Date.UTC(2026, 2, 28, 23);
const OPTIONS = { startMs: START_MS, days: 2, lossesADay: 4, period: 15 };

unattendedDays("Two days with everything on", "node", OPTIONS);

/** A week with everything on and a readout each minute, in both engines. One of its days has 25 hours. */
import { unattendedDays } from "./unattended-days-checks.js";

const START_MS = Date.UTC(2026, 9, 21, 22);

unattendedDays("A week with everything on", "node", { startMs: START_MS, days: 7, lossesADay: 1, period: 1 });
unattendedDays("A week with everything on", "xs", { startMs: START_MS, days: 7, lossesADay: 1, period: 1 });

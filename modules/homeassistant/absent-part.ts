/** Replaces part.ts in a firmware without the hub (../absent.ts). */
import { Absent, absentPart, keptEntry } from "../absent.js";

const NAME = "hub";
/** Storage key of the progress of the statistics (statistic-progress.ts). */
const PROGRESS = "hub_statistics";

export const HUB = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry("hub", 13)]),
		open: (core) => new Absent(NAME, core, "hub_cert", PROGRESS),
		state: () => ["hub_state", "absent", "hub_sent", 0],
		status: () => ["home_hub_enabled", false],
	},
	["hub", "hub/send"],
);

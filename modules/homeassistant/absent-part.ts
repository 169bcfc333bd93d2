/** In the place of part.ts in a firmware without the hub. */
import { absentPart, keptEntry } from "../absent.js";

export const HUB = absentPart(
	{
		name: "hub",
		entries: Object.freeze([keptEntry("hub", 13)]),
		state: () => ["hub_state", "absent", "hub_sent", 0],
		status: () => ["home_hub_enabled", false],
	},
	["hub", "hub/send"],
	Object.freeze({ keys: "hub_cert", limit: 10_239 }),
);

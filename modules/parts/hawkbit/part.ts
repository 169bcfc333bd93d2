/** Part that installs the firmware that an Eclipse hawkBit server deploys (docs/fleet.md). */
import { backupGroup } from "../../api/backup-group.js";
import { settingsRoutes } from "../../api/route.js";
import { unixSeconds } from "../../core/facts.js";
import { applied, part } from "../../part/part.js";
import { HAWKBIT as ENTRY, HAWKBIT_CERTIFICATE, HAWKBIT_ENABLED, HAWKBIT_TOKEN, HAWKBIT_URL } from "./fields.js";
import { HAWKBIT_EVENTS, Hawkbit } from "./hawkbit.js";
import { HAWKBIT_SETTINGS } from "./routes.js";

const PATH = "hawkbit";

export const HAWKBIT = part<Hawkbit>({
	name: PATH,
	events: HAWKBIT_EVENTS,
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze(settingsRoutes(PATH, HAWKBIT_SETTINGS)),
	backup: Object.freeze([
		backupGroup(PATH, HAWKBIT_SETTINGS, {
			secrets: Object.freeze([HAWKBIT_TOKEN, HAWKBIT_CERTIFICATE]),
			boundTo: HAWKBIT_URL,
			needing: HAWKBIT_ENABLED,
		}),
	]),
	reactions: Object.freeze([applied(ENTRY.fields, (hawkbit: Hawkbit) => hawkbit.settingsChanged())]),
	open: (core) => new Hawkbit(core),
	state: ({ state, visitedUtcMs }) => ["hawkbit_state", state, "hawkbit_polled", unixSeconds(visitedUtcMs)],
	report: ({ state }, _, section) => (section === "network" ? `hawkbit: ${state}` : ""),
});

/** Part that sends to a Home Assistant hub (API text, "Hub"). */

import { backupGroup } from "../../api/backup-group.js";
import { settingsRoutes } from "../../api/route.js";
import type { Core } from "../../core/core.js";
import { unixSeconds } from "../../core/facts.js";
import { sample } from "../../core/metrics-text.js";
import { applied, changed, part } from "../../part/part.js";
import { BACKFILL } from "../backfill/part.js";
import { HISTORY } from "../history/part.js";
import { WIFI_HOSTNAME } from "../network/fields.js";
import { OutputPart } from "../publish/output-part.js";
import { PUBLISH } from "../publish/part.js";
import { sendRoute } from "../publish/send-route.js";
import { HUB as ENTRY, HUB_CERTIFICATE, HUB_ENABLED, HUB_TOKEN, HUB_URL } from "./fields.js";
import { HUB_EVENTS, HUB_PART, Hub } from "./hub.js";
import { HUB_SETTINGS } from "./routes.js";

export const HUB = part<OutputPart<Hub>>({
	name: "hub",
	events: HUB_EVENTS,
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze([...settingsRoutes("hub", HUB_SETTINGS), sendRoute("hub/send")]),
	backup: Object.freeze([
		backupGroup("hub", HUB_SETTINGS, {
			secrets: Object.freeze([HUB_TOKEN, HUB_CERTIFICATE]),
			boundTo: HUB_URL,
			needing: HUB_ENABLED,
		}),
	]),
	reactions: Object.freeze([
		applied(ENTRY.fields, ({ sender }: OutputPart<Hub>) => sender?.settingsChanged()),
		// The entity ids in the hub contain the host name, so they change when it changes.
		changed([WIFI_HOSTNAME], ({ sender }: OutputPart<Hub>) => sender?.settingsChanged()),
	]),
	open: (core) => {
		const deps = core.find(PUBLISH);
		if (deps === undefined) return new OutputPart<Hub>(core, HUB_PART);
		const history = core.find(HISTORY);
		const sources = history && { backfill: core.find(BACKFILL), history, storage: core.storage };
		return new Hub(core, deps, sources);
	},
	state: ({ sender }, core) => [
		...["hub_state", stateOf(sender, core)],
		...["hub_sent", unixSeconds(sender?.output.sentUtcMs ?? 0)],
		...["hub_statistics", sender?.statistics.state ?? "off"],
		...["hub_statistics_upto", sender?.statistics.uptoS ?? 0],
	],
	status: (_, { config }) => ["home_hub_enabled", config.get(HUB_ENABLED)],
	metrics: ({ sender }) =>
		sample("gateway_hub_states_total", "States that the hub accepted.", sender?.taken) +
		sample("gateway_hub_failures_total", "Failed attempts to send to the hub.", sender?.output.failures),
	report: ({ sender }, core, section) => (section === "network" ? `hub: ${stateOf(sender, core)}` : ""),
});

/** Returns the state of the hub; "unsupported" if nothing can be sent, as in safe mode. */
function stateOf(hub: Hub | undefined, { config }: Core): string {
	return config.get(HUB_ENABLED) ? (hub?.state ?? "unsupported") : "off";
}

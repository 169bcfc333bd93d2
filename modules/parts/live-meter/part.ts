/** Live values for batteries and wallboxes, in the dialects of well-known meters (docs/live-values.md). */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { settingsOf } from "../../api/settings.js";
import { SCOPE_READ } from "../../auth/scope.js";
import { METHOD_GET, METHOD_POST } from "../../http/request.js";
import { changed, part } from "../../part/part.js";
import { CONTROL_SIMULATOR_EN, METER } from "../meter/fields.js";
import { LIVE_METER as ENTRY, LIVE_CLIENTS } from "./fields.js";
import { LiveMeter } from "./live-meter.js";
import {
	acceptLiveClients,
	getLiveClients,
	getLiveStatus,
	LIVE_CLIENTS_BODY,
	postLiveClients,
	writeLiveClients,
} from "./routes.js";

const SETTINGS = settingsOf(Object.freeze(ENTRY.fields.filter((field) => field !== LIVE_CLIENTS)));

export const LIVE_METER = part<LiveMeter>({
	name: "live-meter",
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze([
		...settingsRoutes("live-meter", SETTINGS),
		route(METHOD_GET, "live-meter/clients", getLiveClients),
		route(METHOD_POST, "live-meter/clients", postLiveClients, { body: LIVE_CLIENTS_BODY }),
		route(METHOD_GET, "live-meter/status", getLiveStatus, { scope: SCOPE_READ }),
	]),
	backup: Object.freeze([
		backupGroup("live-meter", SETTINGS),
		backupGroup("live-meter/clients", LIVE_CLIENTS_BODY, { accept: acceptLiveClients, writeList: writeLiveClients }),
	]),
	reactions: Object.freeze([
		changed(ENTRY.fields, (live: LiveMeter) => live.settingsChanged()),
		// After a change of these settings, the values belong to another meter, or come from the simulated one.
		changed([...METER.fields, CONTROL_SIMULATOR_EN], (live: LiveMeter) => live.meterChanged()),
	]),
	open: (core) => new LiveMeter(core),
});

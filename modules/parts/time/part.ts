/** Clock and time zone. */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import type { Core } from "../../core/core.js";
import type { Facts } from "../../core/facts.js";
import { METHOD_GET, METHOD_POST } from "../../http/request.js";
import { changed, part } from "../../part/part.js";
import { localText } from "../../time/iso.js";
import { SYSTEM, SYSTEM_TIMEZONE } from "./fields.js";
import { CLOCK_BODY, getClock, postClock, TIMEZONE_SETTINGS } from "./routes.js";

const ZONE_PATH = "system/timezone";

export const TIME = part({
	name: "time",
	entries: Object.freeze([SYSTEM]),
	routes: Object.freeze([
		route(METHOD_GET, "system/clock", getClock),
		route(METHOD_POST, "system/clock", postClock, { body: CLOCK_BODY }),
		...settingsRoutes(ZONE_PATH, TIMEZONE_SETTINGS, SCOPE_READ),
	]),
	backup: Object.freeze([backupGroup(ZONE_PATH, TIMEZONE_SETTINGS)]),
	reactions: Object.freeze([
		changed([SYSTEM_TIMEZONE], (_: undefined, { zone, config }) => zone.select(config.get(SYSTEM_TIMEZONE))),
	]),
	state: (_, { clock }): Facts => {
		const utcMs = clock.utcMs();
		return ["timestamp", Math.floor((utcMs ?? 0) / 1000), "clock_valid", utcMs !== undefined];
	},
	status: (_, { clock, zone, text }: Core): Facts => {
		const utcMs = clock.utcMs();
		return ["localtime", utcMs === undefined ? "" : localText(utcMs, zone.offsetMinutes(utcMs), text)];
	},
});

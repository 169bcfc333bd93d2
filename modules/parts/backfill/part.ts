/** Fills the history from the meter's own load profile (docs/history.md). */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import { METHOD_GET } from "../../http/request.js";
import { changed, part } from "../../part/part.js";
import { Backfill } from "./backfill.js";
import { BACKFILL as ENTRY } from "./fields.js";
import { BACKFILL_SETTINGS, getBackfill } from "./routes.js";

const PATH = "meter/backfill";

export const BACKFILL = part<Backfill>({
	name: "backfill",
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze([
		...settingsRoutes(PATH, BACKFILL_SETTINGS),
		route(METHOD_GET, "meter/backfill/status", getBackfill, { scope: SCOPE_READ }),
	]),
	backup: Object.freeze([backupGroup(PATH, BACKFILL_SETTINGS)]),
	reactions: Object.freeze([changed(ENTRY.fields, (backfill: Backfill) => backfill.settingsChanged())]),
	open: (core) => new Backfill(core),
});

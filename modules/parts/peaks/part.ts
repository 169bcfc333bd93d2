/** The highest mean power of a month. Grid operators in Flanders, Norway and Sweden charge for it (docs/peaks.md). */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { settingsOf } from "../../api/settings.js";
import { SCOPE_READ } from "../../auth/scope.js";
import type { Facts } from "../../core/facts.js";
import { sample } from "../../core/metrics-text.js";
import { METHOD_GET } from "../../http/request.js";
import { changed, part } from "../../part/part.js";
import { PEAKS as ENTRY } from "./fields.js";
import { Peaks } from "./peaks.js";
import { getPeaks, PEAK_MEMBERS } from "./routes.js";

const PATH = "peaks";
const SETTINGS = settingsOf(ENTRY.fields);

export const PEAKS = part<Peaks>({
	name: PATH,
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze([
		...settingsRoutes(PATH, SETTINGS),
		route(METHOD_GET, "peaks/status", getPeaks, { scope: SCOPE_READ }),
	]),
	backup: Object.freeze([backupGroup(PATH, SETTINGS)]),
	reactions: Object.freeze([changed(ENTRY.fields, (peaks: Peaks) => peaks.settingsChanged())]),
	open: (core) => new Peaks(core),
	state: ({ values }) => {
		const facts: Facts[number][] = [];
		for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) facts.push(PEAK_MEMBERS[i], values[i]);
		return facts;
	},
	metrics: ({ values }) =>
		sample("smartmeter_peak_watts", "Peak of the month.", values[0] >= 0 ? values[0] : undefined),
});

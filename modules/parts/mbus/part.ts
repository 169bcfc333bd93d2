/** Settings of M-Bus, and the search for its slaves. */
import { backupGroup } from "../../api/backup-group.js";
import type { BodyValues } from "../../api/body.js";
import type { Exchange } from "../../api/exchange.js";
import { route, settingsRoutes } from "../../api/route.js";
import { failField, putsOf, settingsOf } from "../../api/settings.js";
import type { Put } from "../../config/schema.js";
import { METHOD_POST } from "../../http/request.js";
import { part } from "../../part/part.js";
import { MBUS as ENTRY, MBUS_SECONDARY, MBUS_SLAVES_LIMIT } from "../meter/mbus-fields.js";
import { secondaryOf } from "../meter/mbus-store.js";
import { postSearch } from "./routes.js";

const PATH = "mbus/config";
const SETTINGS = settingsOf(ENTRY.fields, [], { accept });

export const MBUS = part({
	name: "mbus",
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze([
		...settingsRoutes(PATH, SETTINGS),
		route(METHOD_POST, "mbus/search", postSearch, { waits: true, readsMeter: true }),
	]),
	backup: Object.freeze([backupGroup(PATH, SETTINGS)]),
});

function accept(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	if (secondaryOf(values.get(MBUS_SECONDARY) ?? "") !== undefined) return putsOf(ENTRY.fields, values);
	const { name } = MBUS_SECONDARY;
	const message = `${name} has up to ${MBUS_SLAVES_LIMIT} addresses of 8 or 16 hex digits; the first 8 are 0 to 9 or F.`;
	failField(exchange, MBUS_SECONDARY, message);
	return undefined;
}

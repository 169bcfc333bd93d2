/** Settings of M-Bus. */
import { backupGroup } from "../api/backup-group.js";
import { settingsRoutes } from "../api/route.js";
import { settingsOf } from "../api/settings.js";
import type { ConfigStore } from "../config/store.js";
import type { Slaves } from "../mbus/session.js";
import { part } from "../part.js";
import { MBUS as ENTRY, MBUS_ADDRESS, MBUS_BAUDRATE, MBUS_METERS } from "./mbus-fields.js";

const PATH = "mbus/config";
const SETTINGS = settingsOf(ENTRY.fields);

export const MBUS = part({
	name: "mbus",
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze(settingsRoutes(PATH, SETTINGS)),
	backup: Object.freeze([backupGroup(PATH, SETTINGS)]),
});

export function slavesOf(config: ConfigStore): Slaves {
	return { baud: config.get(MBUS_BAUDRATE), address: config.get(MBUS_ADDRESS), count: config.get(MBUS_METERS) };
}

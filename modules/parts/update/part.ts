/** Firmware: running version, updates, and the check for newer versions. */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import { METHOD_DELETE, METHOD_GET, METHOD_POST } from "../../http/request.js";
import { changed, part } from "../../part/part.js";
import { UPDATE_EVENTS } from "../../update/log-events.js";
import { UPGRADE, UPGRADE_FOUND } from "./fields.js";
import { Firmware } from "./firmware.js";
import { cancelFirmware, postFirmware } from "./routes/firmware.js";
import { postInstall } from "./routes/install.js";
import { UPGRADE_SETTINGS } from "./routes/upgrade.js";
import { getVersion } from "./routes/version.js";
import { upgradeVersionOf } from "./upgrade.js";

/** The part's instance is undefined if the host has no second OTA slot. */
export const UPDATE = part<Firmware | undefined>({
	name: "update",
	events: UPDATE_EVENTS,
	entries: Object.freeze([UPGRADE, UPGRADE_FOUND]),
	routes: Object.freeze([
		route(METHOD_GET, "system/version", getVersion, { scope: SCOPE_READ }),
		route(METHOD_POST, "system/ota", postFirmware, { body: undefined }),
		route(METHOD_DELETE, "system/ota", cancelFirmware),
		route(METHOD_POST, "system/upgrade/install", postInstall),
		...settingsRoutes("system/upgrade", UPGRADE_SETTINGS),
	]),
	backup: Object.freeze([backupGroup("system/upgrade", UPGRADE_SETTINGS)]),
	reactions: Object.freeze([changed(UPGRADE.fields, (firmware: Firmware | undefined) => firmware?.settingsChanged())]),
	open: Firmware.open,
	state: (firmware, { config, info }) => {
		const { updater } = firmware ?? {};
		return [
			...["ota_state", firmware?.state ?? "idle", "ota_received", updater?.received ?? 0],
			...["ota_total", updater?.total ?? 0, "ota_last_error", updater?.lastError ?? ""],
			...["upgrade_version", upgradeVersionOf(config, info)],
		];
	},
	report: (firmware, { host }, section) => {
		if (section !== "update") return "";
		const { state, givenUp, securityLevel } = host.update ?? {};
		const lastError = firmware?.updater.lastError;
		return `on_trial: ${state}\ngiven_up: ${givenUp}\nsecurity_level: ${securityLevel}\nlast_error: ${lastError}`;
	},
});

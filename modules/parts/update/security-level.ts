/** Marks newer firmware that fixes a vulnerability: its security level is higher than that of the running firmware. */
import { type Put, put } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import type { Update } from "../../io/flash.js";
import type { Clock } from "../../io/host.js";
import { securityLevelOf } from "../../update/front.js";
import { UPGRADE_FOUND_SECURITY, UPGRADE_FOUND_VERSION } from "./fields.js";

/** Returns the values to store together with the version of a file that the check has found. */
export function securityPuts(
	front: Uint8Array,
	{ securityLevel }: Pick<Update, "securityLevel">,
	{ clock, config }: { readonly clock: Pick<Clock, "utcMs">; readonly config: Pick<ConfigStore, "get"> },
): Put[] {
	const isFirst = config.get(UPGRADE_FOUND_VERSION) === "";
	const nowS = Math.floor((clock.utcMs() ?? 0) / 1000);
	// A later version does not delay the installation of a security update.
	const sinceS = (isFirst ? 0 : config.get(UPGRADE_FOUND_SECURITY)) || nowS;
	return [put(UPGRADE_FOUND_SECURITY, securityLevelOf(front) > securityLevel ? sinceS : 0)];
}

/** Route `system/upgrade`: settings of the check for newer firmware. */

import type { BodyValues } from "../../../api/body.js";
import type { Exchange } from "../../../api/exchange.js";
import { failField, putsOf, settingsOf } from "../../../api/settings.js";
import { type Put, put } from "../../../config/schema.js";
import { parseFileURL } from "../../../http/url.js";
import { UPGRADE, UPGRADE_FOUND_VERSION, UPGRADE_URL } from "../fields.js";
import { withBoard } from "../upgrade.js";

export const UPGRADE_SETTINGS = settingsOf(UPGRADE.fields, [], { accept });

function accept(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const { config, info } = exchange.core;
	const given = values.get(UPGRADE_URL);
	const url = given ?? "";
	const isFile = url === "" || parseFileURL(withBoard(url, info.board)) !== undefined;
	if (isFile) {
		const puts = putsOf(UPGRADE.fields, values);
		// A version that was found at the old address is not a version of the new address.
		const isOther = given !== undefined && given !== config.get(UPGRADE_URL);
		return isOther ? [...puts, put(UPGRADE_FOUND_VERSION, "")] : puts;
	}
	const message =
		"upgrade_url must be https:// with a name or an IPv4 address and the path of a firmware file, or empty.";
	failField(exchange, UPGRADE_URL, message);
	return undefined;
}

/** `system/upgrade`: where a newer firmware is looked for (decision 51). */
import type { Put } from "../config/schema.js";
import { UPGRADE, UPGRADE_URL } from "../config/upgrade-fields.js";
import { parseFileURL } from "../http/url.js";
import { withBoard } from "../ota/upgrade.js";
import type { BodyValues } from "./body.js";
import type { Exchange } from "./exchange.js";
import { failField, putsOf, settingsOf } from "./settings.js";

export const UPGRADE_SETTINGS = settingsOf(UPGRADE.fields, [], { accept });

function accept(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const url = values.get(UPGRADE_URL) ?? "";
	const isFile = url === "" || parseFileURL(withBoard(url, exchange.services.info.board)) !== undefined;
	if (isFile) return putsOf(UPGRADE.fields, values);
	const message =
		"upgrade_url must be https:// with a name or an IPv4 address and the path of a firmware file, or empty.";
	failField(exchange, UPGRADE_URL, message);
	return undefined;
}

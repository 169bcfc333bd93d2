/**
 * Replaces settings.ts in a firmware without SMA or SunSpec. Requests can't turn these dialects on. If a backup turns
 * them on, the setting is stored for a firmware that has them.
 */
import { UNSUPPORTED } from "../../api/errors.js";
import { putsOf, type SettingsTable, settingsOf } from "../../api/settings.js";
import { isOmitted } from "../../product/omitted.js";
import { LIVE_CLIENTS, LIVE_METER, LIVE_SMA, LIVE_SUNSPEC } from "./fields.js";

const FIELDS = Object.freeze(LIVE_METER.fields.filter((field) => field !== LIVE_CLIENTS));
const MISSING = Object.freeze([LIVE_SMA, LIVE_SUNSPEC].filter(({ name }) => isOmitted(name)));

const accept: NonNullable<SettingsTable["accept"]> = (exchange, values) => {
	const wanted = exchange.within === "" ? MISSING.find((field) => values.get(field) === true) : undefined;
	if (wanted === undefined) return putsOf(FIELDS, values);
	exchange.fail(501, UNSUPPORTED, `This firmware was built without the dialect ${wanted.name}.`, wanted.name);
	return undefined;
};

export const LIVE_METER_SETTINGS = settingsOf(FIELDS, [], { accept });

/**
 * Replaces settings.ts in a firmware without SunSpec, which cannot be turned on. A backup may contain it turned on: it is
 * stored for a firmware that has it.
 */
import { UNSUPPORTED } from "../api/errors.js";
import { putsOf, type SettingsTable, settingsOf } from "../api/settings.js";
import { LIVE_CLIENTS, LIVE_METER, LIVE_SUNSPEC } from "./fields.js";

const FIELDS = Object.freeze(LIVE_METER.fields.filter((field) => field !== LIVE_CLIENTS));

const accept: NonNullable<SettingsTable["accept"]> = (exchange, values) => {
	if (exchange.within !== "" || values.get(LIVE_SUNSPEC) !== true) return putsOf(FIELDS, values);
	exchange.fail(501, UNSUPPORTED, "This firmware was built without SunSpec.", LIVE_SUNSPEC.name);
	return undefined;
};

export const LIVE_METER_SETTINGS = settingsOf(FIELDS, [], { accept });

/** Settings of the live values, as the API changes them. */
import { settingsOf } from "../../api/settings.js";
import { LIVE_CLIENTS, LIVE_METER } from "./fields.js";

export const LIVE_METER_SETTINGS = settingsOf(
	Object.freeze(LIVE_METER.fields.filter((field) => field !== LIVE_CLIENTS)),
);

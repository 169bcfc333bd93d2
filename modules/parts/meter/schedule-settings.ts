/** Converts the settings of the schedule to the form of time/recurrence.ts. */

import type { ConfigStore } from "../../config/store.js";
import {
	SCHEDULE_ENABLED,
	SCHEDULE_PERIOD_UNIT,
	SCHEDULE_PERIOD_VALUE,
	SCHEDULE_TRIGGER_DAY,
	SCHEDULE_TRIGGER_HOUR,
	SCHEDULE_TRIGGER_MINUTE,
	UNIT_DAYS,
	UNIT_HOURS,
	UNIT_MINUTES,
} from "./schedule-fields.js";

const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;
/** Start of 1970-01-05, the first Monday of 1970, in minutes. Periods of days are counted from it. */
const MONDAY_MINUTES = 4 * DAY_MINUTES;

/** Returns the schedule; undefined if automatic reading is disabled. */
export function scheduleOf(store: Pick<ConfigStore, "get">) {
	if (!store.get(SCHEDULE_ENABLED)) return undefined;
	const unit = store.get(SCHEDULE_PERIOD_UNIT);
	const value = store.get(SCHEDULE_PERIOD_VALUE);
	const minute = store.get(SCHEDULE_TRIGGER_MINUTE);
	const minuteOfDay = store.get(SCHEDULE_TRIGGER_HOUR) * HOUR_MINUTES + minute;
	const day = store.get(SCHEDULE_TRIGGER_DAY);
	if (unit === UNIT_MINUTES) return { minutes: value, originMinutes: 0, months: 0, day };
	if (unit === UNIT_HOURS) return { minutes: value * HOUR_MINUTES, originMinutes: minute, months: 0, day };
	const days = unit === UNIT_DAYS ? value : 0;
	const originMinutes = days === 0 ? minuteOfDay : MONDAY_MINUTES + minuteOfDay;
	return { minutes: days * DAY_MINUTES, originMinutes, months: days === 0 ? value : 0, day };
}

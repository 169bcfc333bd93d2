/** Settings of automatic readouts (API text, "Reading schedule"). */
import { ENTRY_SCHEDULE } from "../../config/entries.js";
import { BOOLEAN, CHOICE, entry, field, INTEGER } from "../../config/schema.js";

export const UNIT_MINUTES = "minutes";
export const UNIT_HOURS = "hours";
export const UNIT_DAYS = "days";
export const UNIT_MONTHS = "months";

export const SCHEDULE_ENABLED = field<boolean>({
	entry: ENTRY_SCHEDULE,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: true,
});
export const SCHEDULE_PERIOD_UNIT = field<string>({
	entry: ENTRY_SCHEDULE,
	id: 2,
	name: "period_unit",
	kind: CHOICE,
	choices: Object.freeze([UNIT_MINUTES, UNIT_HOURS, UNIT_DAYS, UNIT_MONTHS]),
	initial: UNIT_MINUTES,
});
/** Number of units in a period, one of the values allowed for the unit (PERIOD_UNITS). */
export const SCHEDULE_PERIOD_VALUE = field<number>({
	entry: ENTRY_SCHEDULE,
	id: 3,
	name: "period_value",
	kind: INTEGER,
	minimum: 1,
	maximum: 30,
	initial: 15,
});
/** Local hour of the day, if the unit is days or months. */
export const SCHEDULE_TRIGGER_HOUR = field<number>({
	entry: ENTRY_SCHEDULE,
	id: 4,
	name: "trigger_hour",
	kind: INTEGER,
	maximum: 23,
	initial: 0,
});
export const SCHEDULE_TRIGGER_MINUTE = field<number>({
	entry: ENTRY_SCHEDULE,
	id: 5,
	name: "trigger_minute",
	kind: INTEGER,
	maximum: 59,
	initial: 0,
});
/** Day of the month, if the unit is months. Only days that every month has are allowed. */
export const SCHEDULE_TRIGGER_DAY = field<number>({
	entry: ENTRY_SCHEDULE,
	id: 6,
	name: "trigger_day",
	kind: INTEGER,
	minimum: 1,
	maximum: 28,
	initial: 1,
});
export const SCHEDULE = entry("schedule", 1, [
	SCHEDULE_ENABLED,
	SCHEDULE_PERIOD_UNIT,
	SCHEDULE_PERIOD_VALUE,
	SCHEDULE_TRIGGER_HOUR,
	SCHEDULE_TRIGGER_MINUTE,
	SCHEDULE_TRIGGER_DAY,
]);

export interface PeriodUnit {
	readonly values: readonly number[];
	readonly triggers: readonly string[];
}

const MINUTE = SCHEDULE_TRIGGER_MINUTE.name;
const HOUR = SCHEDULE_TRIGGER_HOUR.name;
const DAY = SCHEDULE_TRIGGER_DAY.name;

/** Permitted periods and required triggers for each unit, in the order of the choices of SCHEDULE_PERIOD_UNIT. */
export const PERIOD_UNITS: readonly PeriodUnit[] = Object.freeze([
	Object.freeze({ values: Object.freeze([1, 5, 10, 15, 30]), triggers: Object.freeze([]) }),
	Object.freeze({ values: Object.freeze([1, 2, 4, 8, 12]), triggers: Object.freeze([MINUTE]) }),
	Object.freeze({ values: Object.freeze([1, 7, 14, 28]), triggers: Object.freeze([HOUR, MINUTE]) }),
	Object.freeze({ values: Object.freeze([1, 2, 3, 6]), triggers: Object.freeze([HOUR, MINUTE, DAY]) }),
]);

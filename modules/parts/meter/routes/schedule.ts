/** Route `iec62056/schedule`: times of automatic readouts. */

import { type BodyValues, needed } from "../../../api/body.js";
import { INVALID_FIELD, MISSING_FIELD } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { describe, describeMissing } from "../../../api/field-value.js";
import { putsOf, settingsOf } from "../../../api/settings.js";
import type { Put } from "../../../config/schema.js";
import {
	PERIOD_UNITS,
	SCHEDULE,
	SCHEDULE_ENABLED,
	SCHEDULE_PERIOD_UNIT,
	SCHEDULE_PERIOD_VALUE,
	SCHEDULE_TRIGGER_DAY,
	SCHEDULE_TRIGGER_HOUR,
	SCHEDULE_TRIGGER_MINUTE,
} from "../schedule-fields.js";

const TRIGGERS = Object.freeze([SCHEDULE_TRIGGER_HOUR, SCHEDULE_TRIGGER_MINUTE, SCHEDULE_TRIGGER_DAY]);
const PERIOD = Object.freeze([SCHEDULE_ENABLED, SCHEDULE_PERIOD_UNIT, SCHEDULE_PERIOD_VALUE]);

export const SCHEDULE_SETTINGS = settingsOf(
	SCHEDULE.fields,
	PERIOD.map(({ name }) => name),
	{ lenient: Object.freeze(TRIGGERS.map(({ name }) => name)), accept },
);

/** Returns the settings to store. Only the triggers that the unit needs are required. */
function accept(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const unit = PERIOD_UNITS[SCHEDULE_PERIOD_UNIT.choices.indexOf(needed(values, SCHEDULE_PERIOD_UNIT))];
	if (!unit.values.includes(needed(values, SCHEDULE_PERIOD_VALUE))) {
		const { name } = SCHEDULE_PERIOD_VALUE;
		exchange.fail(400, INVALID_FIELD, `${name} must be one of ${unit.values.join(", ")} with this period_unit.`, name);
		return undefined;
	}
	const required = TRIGGERS.filter(({ name }) => unit.triggers.includes(name));
	const wrong = required.find((field) => Number.isNaN(values.get(field)));
	const missing = required.find((field) => values.get(field) === undefined);
	if (wrong !== undefined) exchange.fail(400, INVALID_FIELD, describe(wrong), wrong.name);
	else if (missing !== undefined) exchange.fail(400, MISSING_FIELD, describeMissing(missing.name), missing.name);
	else return putsOf([...PERIOD, ...required], values);
	return undefined;
}

/** Returns the settings of a backup: also the triggers that the unit does not use, as far as they are valid. */
export function acceptAllTriggers(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const valid = SCHEDULE.fields.filter((field) => !Number.isNaN(values.get(field)));
	return accept(exchange, values) && putsOf(valid, values);
}

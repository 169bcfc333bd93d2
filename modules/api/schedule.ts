/** `iec62056/schedule` of the API text: when the meter is read by itself (decisions 5 and 30). */
import {
	PERIOD_UNITS,
	SCHEDULE,
	SCHEDULE_ENABLED,
	SCHEDULE_PERIOD_UNIT,
	SCHEDULE_PERIOD_VALUE,
	SCHEDULE_TRIGGER_DAY,
	SCHEDULE_TRIGGER_HOUR,
	SCHEDULE_TRIGGER_MINUTE,
} from "../config/schedule-fields.js";
import { INVALID_FIELD, MISSING_FIELD } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { describe, describeMissing } from "./field-value.js";
import { booleanMember, numberMember, textMember } from "./members.js";
import { BODY_LIMIT, type BodyTable, type Value } from "./validate.js";

export const SCHEDULE_BODY: BodyTable = Object.freeze({
	fields: SCHEDULE.fields,
	required: Object.freeze([SCHEDULE_ENABLED.name, SCHEDULE_PERIOD_UNIT.name, SCHEDULE_PERIOD_VALUE.name]),
	limit: BODY_LIMIT,
	lenient: Object.freeze([SCHEDULE_TRIGGER_HOUR.name, SCHEDULE_TRIGGER_MINUTE.name, SCHEDULE_TRIGGER_DAY.name]),
});

export function getSchedule(exchange: Exchange): void {
	const { config } = exchange.services;
	exchange.object((writer) => {
		booleanMember(writer, SCHEDULE_ENABLED.name, config.get(SCHEDULE_ENABLED));
		textMember(writer, SCHEDULE_PERIOD_UNIT.name, config.get(SCHEDULE_PERIOD_UNIT));
		numberMember(writer, SCHEDULE_PERIOD_VALUE.name, config.get(SCHEDULE_PERIOD_VALUE));
		numberMember(writer, SCHEDULE_TRIGGER_HOUR.name, config.get(SCHEDULE_TRIGGER_HOUR));
		numberMember(writer, SCHEDULE_TRIGGER_MINUTE.name, config.get(SCHEDULE_TRIGGER_MINUTE));
		numberMember(writer, SCHEDULE_TRIGGER_DAY.name, config.get(SCHEDULE_TRIGGER_DAY));
	});
}

/** The triggers that the unit uses must be there and right; the others are neither looked at nor changed. */
export function postSchedule(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const { fields } = SCHEDULE;
	const unit = PERIOD_UNITS[SCHEDULE_PERIOD_UNIT.choices.indexOf(values[1] as string)];
	if (!unit.values.includes(values[2] as number)) {
		const { name } = SCHEDULE_PERIOD_VALUE;
		exchange.fail(400, INVALID_FIELD, `${name} must be one of ${unit.values.join(", ")} with this period_unit.`, name);
		return;
	}
	const changes = values.slice(0, 3);
	let missing = "";
	for (let i = 3; i < fields.length; i++) {
		const { name } = fields[i];
		if (!unit.triggers.includes(name)) continue;
		changes[i] = values[i];
		if (values[i] === undefined) missing ||= name;
		else if (Number.isNaN(values[i])) {
			exchange.fail(400, INVALID_FIELD, describe(fields[i]), name);
			return;
		}
	}
	if (missing !== "") {
		exchange.fail(400, MISSING_FIELD, describeMissing(missing), missing);
		return;
	}
	exchange.services.config.set(SCHEDULE, changes);
	getSchedule(exchange);
}

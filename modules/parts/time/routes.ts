/** System routes of the API: clock and time zone. */

import { BODY_LIMIT, type BodyTable, type BodyValues, needed } from "../../api/body.js";
import { INVALID_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { settingsOf } from "../../api/settings.js";
import { bodyField, INTEGER, type Put, put } from "../../config/schema.js";
import { localText, utcText } from "../../time/iso.js";
import { SYSTEM, SYSTEM_TIMEZONE } from "./fields.js";

/** Time to set, Unix seconds, from the years 2024 to 2099. It is not stored; the host's clock keeps it. */
const TIMESTAMP = bodyField<number>({
	name: "timestamp",
	kind: INTEGER,
	minimum: 1_704_067_200,
	maximum: 4_102_444_799,
	initial: 0,
});

export const CLOCK_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([TIMESTAMP]),
	required: Object.freeze([TIMESTAMP.name]),
	limit: BODY_LIMIT,
});
export const TIMEZONE_SETTINGS = settingsOf(SYSTEM.fields, [SYSTEM_TIMEZONE.name], { accept: acceptTimezone });

export function getClock(exchange: Exchange): void {
	const { clock, zone, text, config } = exchange.core;
	const utcMs = clock.utcMs();
	const timestamp = Math.floor((utcMs ?? 0) / 1000);
	const utc = utcMs === undefined ? "" : utcText(utcMs, text);
	const local = utcMs === undefined ? "" : localText(utcMs, zone.offsetMinutes(utcMs), text);
	const timezone = config.get(SYSTEM_TIMEZONE);
	exchange.object((writer) => {
		numberMember(writer, TIMESTAMP.name, timestamp);
		textMember(writer, "utc", utc);
		textMember(writer, "localtime", local);
		booleanMember(writer, "is_valid", utcMs !== undefined);
		textMember(writer, SYSTEM_TIMEZONE.name, timezone);
	});
}

export function postClock(exchange: Exchange, values: BodyValues): void {
	const { core } = exchange;
	core.clock.setUTC(needed(values, TIMESTAMP) * 1000);
	core.clockChanged();
	getClock(exchange);
}

function acceptTimezone(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const name = needed(values, SYSTEM_TIMEZONE);
	if (exchange.core.zone.has(name)) return [put(SYSTEM_TIMEZONE, name)];
	const message = "timezone must be a name of the IANA time zone database, such as Europe/Berlin, or empty for UTC.";
	exchange.fail(400, INVALID_FIELD, message, SYSTEM_TIMEZONE.name);
	return undefined;
}

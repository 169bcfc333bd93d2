/** Routes `meter/backfill` and `meter/backfill/status`. */
import type { BodyValues } from "../../api/body.js";
import { INVALID_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { numberMember, textMember } from "../../api/members.js";
import { putsOf, settingsOf } from "../../api/settings.js";
import type { Put } from "../../config/schema.js";
import { FILL_DAYS } from "../../history/filling.js";
import { GROUP_PROFILE, OBISCode } from "../../obis/code.js";
import { DAY_S } from "../../time/calendar.js";
import { type Backfill, CURSOR_S, END, LINE_MS, OLDEST_S, ROWS, TOP_S } from "./backfill.js";
import { BACKFILL, BACKFILL_OBIS } from "./fields.js";

const MINUTE_MS = 60_000;
/** Names in the API for the reasons why reading has ended, in the order of END_…; "" while reading continues. */
const END_REASONS = Object.freeze([
	"",
	"complete",
	"full",
	"meter_changed",
	"no_profile",
	"no_counters",
	"meter_clock",
	"no_history",
]);

/** Names in the API for STATE_…. STATE_STORING is also called "reading". */
const STATES = Object.freeze(["off", "waiting", "reading", "reading", "ended"]);

export const BACKFILL_SETTINGS = settingsOf(BACKFILL.fields, [], { accept });

function accept(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const obis = values.get(BACKFILL_OBIS);
	const code = new OBISCode();
	const bytes = exchange.core.text.encode(obis ?? BACKFILL_OBIS.initial ?? "");
	// In value group C, 98 is the profile of billing periods, and 99 are the other profiles (IEC 62056-6-1, 7.4.1).
	if (code.parse(bytes, 0, bytes.length) && (code.c === GROUP_PROFILE || code.c === GROUP_PROFILE - 1))
		return putsOf(BACKFILL.fields, values);
	exchange.fail(400, INVALID_FIELD, "obis must be the code of a profile, such as 1-0:99.1.0.", BACKFILL_OBIS.name);
	return undefined;
}

export function getBackfill(exchange: Exchange<Backfill>): void {
	const { bottomS, failure, minutesLeft, numbers, state } = exchange.part;
	const topS = numbers?.[TOP_S] ?? 0;
	exchange.object((writer) => {
		textMember(writer, "state", STATES[state]);
		textMember(writer, "ended", END_REASONS[numbers?.[END] ?? 0]);
		textMember(writer, "last_error", failure?.code ?? "");
		numberMember(writer, "history_days", FILL_DAYS);
		numberMember(writer, "rows", numbers?.[ROWS] ?? 0);
		numberMember(writer, "oldest", numbers?.[OLDEST_S] ?? 0);
		numberMember(writer, "minutes_done", Math.ceil((numbers?.[LINE_MS] ?? 0) / MINUTE_MS));
		numberMember(writer, "days_done", Math.floor((topS - (numbers?.[CURSOR_S] || topS)) / DAY_S));
		numberMember(writer, "days_total", topS === 0 ? FILL_DAYS : Math.ceil((topS - bottomS) / DAY_S));
		numberMember(writer, "minutes_left", minutesLeft);
	});
}

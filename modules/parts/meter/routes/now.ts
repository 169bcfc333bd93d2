/** Route `meter/now`: power, counters and cost per hour in one small reply. */
import type { Exchange } from "../../../api/exchange.js";
import { numberMember, textMember } from "../../../api/members.js";
import { LIVE_COUNT, LIVE_EXPORT, LIVE_IMPORT, LIVE_POWER, takeLiveValues } from "../../../live-meter/live-values.js";
import { costPerHour, currencyOf } from "../../prices/present-price.js";
import type { Metering } from "../metering.js";

/** Number by which watts and watt-hours are multiplied before they are rounded, so that rounding errors disappear. */
const PARTS = 1000;

/** Replies with what is known. The age is that of the power, if live mode has read it later than the counters. */
export function getNow(exchange: Exchange<Metering>): void {
	const { core } = exchange;
	const { clock, text } = core;
	const { isOld, last, lastMs } = exchange.part.reader.outcomes;
	const values = new Float64Array(LIVE_COUNT).fill(Number.NaN);
	if (last !== undefined) takeLiveValues(last, text, values);
	const power = isOld ? Number.NaN : Math.round(values[LIVE_POWER] * PARTS) / PARTS;
	const ageS = last === undefined ? Number.NaN : Math.floor((clock.monotonicMs() - lastMs) / 1000);
	const cost = costPerHour(core, power);
	exchange.object((writer) => {
		const known = (name: string, value: number) => {
			if (!Number.isNaN(value)) numberMember(writer, name, value);
		};
		known("age_secs", ageS);
		known("power_w", power);
		if (!Number.isNaN(power)) textMember(writer, "direction", power > 0 ? "import" : power < 0 ? "export" : "none");
		known("import_kwh", Math.round(values[LIVE_IMPORT] * PARTS) / PARTS / 1000);
		known("export_kwh", Math.round(values[LIVE_EXPORT] * PARTS) / PARTS / 1000);
		if (Number.isNaN(cost)) return;
		numberMember(writer, "cost_per_hour_micro", cost);
		textMember(writer, "currency", currencyOf(core));
	});
}

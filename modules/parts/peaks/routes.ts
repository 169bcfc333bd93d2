/** Route `peaks/status`. */
import type { Exchange } from "../../api/exchange.js";
import { numberMember, textMember } from "../../api/members.js";
import { localText } from "../../time/iso.js";
import { RANKS, STARTS, WATTS } from "./month.js";
import type { Peaks } from "./peaks.js";

export const PEAK_MEMBERS = Object.freeze(["peak_w", "peak_mean_w", "peak_forecast_w"]);

export function getPeaks(exchange: Exchange<Peaks>): void {
	const { text, zone } = exchange.core;
	const { highest, values } = exchange.part;
	exchange.object((writer) => {
		for (let i = 0; i < PEAK_MEMBERS.length; i++) numberMember(writer, PEAK_MEMBERS[i], values[i] ?? Number.NaN);
		writer.key("highest");
		writer.beginArray();
		for (let rank = 0; rank < RANKS && highest[STARTS + rank] !== 0; rank++) {
			const startS = highest[STARTS + rank];
			writer.beginObject();
			numberMember(writer, "start", startS);
			textMember(writer, "localtime", localText(startS * 1000, zone.offsetMinutes(startS * 1000), text));
			numberMember(writer, "mean_w", highest[WATTS + rank]);
			writer.endObject();
		}
		writer.endArray();
	});
}

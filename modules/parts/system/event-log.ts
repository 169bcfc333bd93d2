/** `GET system/log`: events of the gateway, oldest first. */

import type { Exchange } from "../../api/exchange.js";
import { numberMember, textMember } from "../../api/members.js";
import { EventCursor } from "../../diagnostics/event-log.js";
import { countAt, detailEnd, timeAt, UNIT, uptimeAt } from "../../diagnostics/event-record.js";
import { eventKind } from "../../diagnostics/events.js";
import type { System } from "./status.js";

export function getEventLog(exchange: Exchange<System>): void {
	const { parts } = exchange.part;
	const { events } = exchange.core;
	const cursor = new EventCursor(events.copy());
	const { dropped, uptimeS } = events;
	let current = 0;
	let hasEvent = false;
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			numberMember(writer, "uptime", uptimeS);
			numberMember(writer, "dropped", dropped);
			writer.key("events");
			writer.beginArray();
			return true;
		}
		if (unit !== current) {
			current = unit;
			hasEvent = cursor.next();
		}
		if (!hasEvent) {
			writer.endArray();
			writer.endObject();
			return false;
		}
		const { bytes, at } = cursor;
		writer.beginObject();
		numberMember(writer, "time", timeAt(bytes, at));
		numberMember(writer, "uptime", uptimeAt(bytes, at));
		textMember(writer, "event", eventKind(parts, bytes[at]).name);
		writer.key("detail");
		writer.ascii(bytes, at + UNIT, detailEnd(bytes, at));
		numberMember(writer, "count", countAt(bytes, at));
		writer.endObject();
		return true;
	});
}

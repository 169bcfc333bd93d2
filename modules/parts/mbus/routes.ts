/** Route `mbus/search`: searches for the slaves on the M-Bus. */
import type { Exchange } from "../../api/exchange.js";
import { booleanMember } from "../../api/members.js";
import { isMistake } from "../../io/fault.js";
import { Link } from "../../io/link.js";
import { SlaveSearch } from "../../mbus/search.js";
import { addressText } from "../../mbus/secondary.js";
import { FAILURE_PORT } from "../../meter/failures.js";
import { MBUS_BAUDRATE, MBUS_SLAVES_LIMIT } from "../meter/mbus-fields.js";
import { METER } from "../meter/part.js";
import { failBusy, failRead } from "../meter/routes/readout.js";

export function postSearch(exchange: Exchange): void {
	const { core, response } = exchange;
	const baud = core.config.get(MBUS_BAUDRATE);
	const isFree = core.find(METER).reader.lend((driver, port, { nowMs }, giveBack) => {
		const machine = new SlaveSearch(baud, MBUS_SLAVES_LIMIT, nowMs);
		let link: Link | undefined;
		const end = () => {
			link?.close();
			giveBack();
		};
		response.onCancelled = end;
		const linkEvent = () => {
			end();
			reply(exchange, machine);
		};
		const linkClosed = () => {
			end();
			failRead(exchange, FAILURE_PORT);
		};
		try {
			link = new Link(driver, { port, machine, listener: { linkEvent, linkClosed } });
		} catch (error) {
			linkClosed();
			if (isMistake(error)) throw error;
		}
		return { trying: `mbus ${baud}`, stop: () => link?.close() };
	});
	if (!isFree) failBusy(exchange, 503);
}

function reply(exchange: Exchange, { found, isComplete }: SlaveSearch): void {
	exchange.object((writer) => {
		writer.key("addresses");
		writer.beginArray();
		for (const address of found) {
			const text = addressText(address);
			writer.ascii(text, 0, text.length);
		}
		writer.endArray();
		booleanMember(writer, "complete", isComplete);
	});
}

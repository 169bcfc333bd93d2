/** System routes of the API: status, factory reset, reboot. */
import type { Exchange } from "../../api/exchange.js";
import { type Facts, writeFacts } from "../../core/facts.js";
import { stateOf } from "./state.js";
import type { System } from "./system.js";

export function getStatus(exchange: Exchange<System>): void {
	const { core, part } = exchange;
	const state = stateOf(core, part.parts);
	const more: Facts[number][] = [];
	for (const one of part.parts) more.push(...one.status(core.find(one), core));
	exchange.object((writer) => {
		writeFacts(writer, more);
		writeFacts(writer, state);
	});
}

/** Resets the settings. Firmware and factory data are kept. */
export function postFactoryReset(exchange: Exchange): void {
	exchange.core.factoryReset();
	exchange.empty();
}

export function postReboot(exchange: Exchange): void {
	exchange.empty();
	exchange.core.restartSoon();
}

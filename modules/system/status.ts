/** System routes of the API text: status, factory reset, reboot (decisions 4, 9, 40, 43, 52). */
import type { Exchange } from "../api/exchange.js";
import { type Facts, writeFacts } from "../core/facts.js";
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

/** Nothing of the owner's is left; the firmware and what the factory gave stay (decision 43). */
export function postFactoryReset(exchange: Exchange): void {
	exchange.core.factoryReset();
	exchange.empty();
}

export function postReboot(exchange: Exchange): void {
	exchange.empty();
	exchange.core.restartSoon();
}

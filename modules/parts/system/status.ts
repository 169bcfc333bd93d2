/** System routes of the API: status, factory reset, reboot. */
import type { Exchange } from "../../api/exchange.js";
import type { Core, Running } from "../../core/core.js";
import { type Facts, writeFacts } from "../../core/facts.js";
import type { Part } from "../../part/part.js";

/** State that the routes of this part share. */
export class System implements Running {
	readonly parts: readonly Part[];
	isReporting = false;

	constructor(parts: readonly Part[]) {
		this.parts = parts;
	}

	whenStopping(): void {}
}

/** Members of `system/status` that change on their own, for the route and for the event stream. */
export function stateOf(core: Core, parts: readonly Part[]): Facts {
	const facts: Facts[number][] = [];
	for (const part of parts) facts.push(...part.state(core.find(part), core));
	return facts;
}

export function getStatus(exchange: Exchange<System>): void {
	const { core, part } = exchange;
	const status: Facts[number][] = [];
	const state: Facts[number][] = [];
	for (const one of part.parts) {
		const instance = core.find(one);
		status.push(...one.status(instance, core));
		state.push(...one.state(instance, core));
	}
	exchange.object((writer) => {
		writeFacts(writer, status);
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

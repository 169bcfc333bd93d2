/** How reading the meter goes. */
import type { MeterReader } from "./reader.js";

/** `meter_state`: "reading", "ok", "idle" before the first attempt, or the code of what is wrong. */
export function stateOf({ outcomes, running }: MeterReader): string {
	const { failure, last } = outcomes;
	if (running) return "reading";
	return failure?.code ?? (last === undefined ? "idle" : "ok");
}

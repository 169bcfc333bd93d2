/** State of meter reading in the status. */
import type { MeterReader } from "../../meter/reader.js";

/** Returns "reading", "ok", "idle" before the first attempt, or the code of the failure. */
export function stateOf({ outcomes, running }: MeterReader): string {
	const { failure, last } = outcomes;
	if (running) return "reading";
	return failure?.code ?? (last === undefined ? "idle" : "ok");
}

/** Status of meter reading. */
import type { MeterReader } from "./reader.js";

/** "reading", "ok", "idle" before the first attempt, or the failure code. */
export function stateOf({ outcomes, running }: MeterReader): string {
	const { failure, last } = outcomes;
	if (running) return "reading";
	return failure?.code ?? (last === undefined ? "idle" : "ok");
}

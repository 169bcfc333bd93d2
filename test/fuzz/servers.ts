import { HostileBroker } from "./hostile-broker.js";
import { HostileHub } from "./hostile-hub.js";
import { runAll, runFor } from "./mutator.js";

/** Number of runs, or minutes for a long test. */
export type Extent = { readonly runs: number } | { readonly minutes: number };

export function fuzzHub(seed: number, extent: Extent): Promise<void> {
	const hub = new HostileHub();
	return fuzz("hostile hub", seed, extent, (mutator) => hub.run(mutator));
}

export function fuzzBroker(seed: number, extent: Extent): Promise<void> {
	const broker = new HostileBroker(seed);
	return fuzz("hostile broker", seed, extent, (mutator) => broker.run(mutator));
}

function fuzz(what: string, seed: number, extent: Extent, step: Parameters<typeof runAll>[3]): Promise<void> {
	return "runs" in extent ? runAll(what, seed, extent.runs, step) : runFor(what, seed, extent.minutes, step);
}

/**
 * Hostile servers in place of Home Assistant, an MQTT broker and hawkBit, and noise on the console, each for a number of
 * runs or for minutes.
 */
import { HostileBroker } from "./hostile-broker.js";
import { HostileConsole } from "./hostile-console.js";
import { HostileHub } from "./hostile-hub.js";
import { HostileRollout } from "./hostile-rollout.js";
import { Mutator, runAll, runFor } from "./mutator.js";

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

export async function fuzzRollout(seed: number, extent: Extent): Promise<void> {
	const rollout = await HostileRollout.start(seed, new Mutator(seed));
	try {
		await fuzz("hostile roll-out", seed, extent, (mutator) => rollout.run(mutator));
	} finally {
		await rollout.stop();
	}
}

export function fuzzConsole(seed: number, extent: Extent): Promise<void> {
	return fuzz("noise on the console", seed, extent, (mutator, run) => {
		const console = new HostileConsole(seed + run);
		try {
			console.run(mutator);
		} finally {
			console.stop();
		}
	});
}

function fuzz(what: string, seed: number, extent: Extent, step: Parameters<typeof runAll>[3]): Promise<void> {
	return "runs" in extent ? runAll(what, seed, extent.runs, step) : runFor(what, seed, extent.minutes, step);
}

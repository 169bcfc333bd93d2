/** Makes a simulated DLMS meter with a household from command-line options. */
import { DLMSMeter } from "./dlms-meter.js";
import type { DLMSProgramOptions } from "./dlms-options.js";
import { Household } from "./household.js";
import { IECMeter } from "./iec-meter.js";
import { steadyReading } from "./steady-household.js";

export interface Surroundings {
	/** Unix time at which the meter's time is 0. The option `--at` takes precedence. */
	utcMs: number;
	clocked: boolean;
	/** Reaction time. Default: 20 ms, and 200 ms at the sign-on. The command line takes precedence. */
	reactionMs?: number;
}

export function makeDLMSMeter(options: DLMSProgramOptions, { utcMs, clocked, reactionMs }: Surroundings): DLMSMeter {
	const { baud, signOn, atMs, reactionMs: wantedMs = reactionMs, ...rest } = options;
	const ident = signOn === undefined ? {} : { ident: signOn.ident };
	const steady = options.server.stored === undefined ? {} : { readingAt: steadyReading };
	const moving = new Household({ utcMs: atMs ?? utcMs, mode: "C", baud, ...ident, ...steady });
	const momentOf = (nowMs: number) => (atMs === undefined ? nowMs : 0);
	const household = { reading: (nowMs: number) => moving.reading(momentOf(nowMs)) };
	const common = { clocked, ...(wantedMs === undefined ? {} : { reactionMs: wantedMs }) };
	const meter = { ...rest, ...common, baud, server: { ...options.server, household } };
	if (signOn === undefined) return new DLMSMeter(meter);
	const { address, silence, lieBaud } = signOn;
	const iec = new IECMeter({
		...common,
		source: (nowMs) => moving.telegram(momentOf(nowMs)),
		handOver: signOn.only ? "only" : "both",
		confirmsHandOver: signOn.confirms,
		...(address === undefined ? {} : { address }),
		faults: { silence, ...(lieBaud === undefined ? {} : { lieBaud }) },
	});
	return new DLMSMeter({ ...meter, signOn: iec });
}

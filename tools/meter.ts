/** `npm run meter`: the meter simulator's program. See `--help`. Ends on SIGTERM and SIGINT. */
import { Household } from "./meter/household.js";
import * as Meter from "./meter/iec-meter.js";
import { LineRunner } from "./meter/line-runner.js";
import { HELP, type MeterOptions, parseOptions, UsageError } from "./meter/options.js";
import { openPseudoTerminal } from "./meter/pseudo-terminal.js";
import { openRealPort } from "./meter/real-port.js";
import { readTelegram, splitTelegram } from "./meter/telegram.js";

/** Pause before an answer where nothing takes its time. */
const UNPACED_REACTION_MS = 5;
const DEFAULT_BAUD = 9600;

const EVENT_TEXTS = new Map([
	[Meter.METER_SIGNED_ON, "sign-on"],
	[Meter.METER_REFUSED, "sign-on not answered"],
	[Meter.METER_ACKNOWLEDGED, "acknowledged"],
	[Meter.METER_DEFAULT, "no acknowledgement: default readout at 300 Bd"],
	[Meter.METER_DEAD, "acknowledged at a rate that does not work"],
	[Meter.METER_BLOCK, "sends the block"],
	[Meter.METER_REPEAT, "asked to repeat the block"],
	[Meter.METER_PROGRAMMING, "programming mode"],
	[Meter.METER_ENDED, "ready for a sign-on"],
	[Meter.METER_PUSH, "push"],
]);

function makeMeter(options: MeterOptions): Meter.IECMeter {
	const isClocked = options.pace || options.port !== undefined;
	const common = {
		...options,
		clocked: isClocked,
		...(options.reactionMs === undefined && !isClocked ? { reactionMs: UNPACED_REACTION_MS } : {}),
		pushBaud: options.baud ?? Meter.PUSH_BAUD,
	};
	if (options.telegram !== undefined) {
		const telegram = splitTelegram(readTelegram(options.telegram));
		return new Meter.IECMeter({ ...common, source: () => telegram });
	}
	const startMs = performance.now();
	const mode = options.mode ?? "C";
	const household = new Household({ utcMs: Date.now() - startMs, mode, baud: options.baud ?? DEFAULT_BAUD });
	return new Meter.IECMeter({ ...common, mode, source: (nowMs) => household.telegram(Math.max(nowMs, startMs)) });
}

async function run(options: MeterOptions): Promise<void> {
	const machine = makeMeter(options);
	const port = options.port === undefined ? await openPseudoTerminal() : await openRealPort(options.port);
	const log = (message: string) => {
		if (!options.quiet) process.stderr.write(`${new Date().toISOString().slice(11, 23)} ${message}\n`);
	};
	const onEvent = (code: number) => log(EVENT_TEXTS.get(code) ?? `event ${code}`);
	const runner = new LineRunner({ ...options, port, machine, onEvent });
	const end = (exitCode: number) => {
		runner.close();
		void port.close().finally(() => process.exit(exitCode));
	};
	port.onError((message) => {
		process.stderr.write(`${message}\n`);
		end(1);
	});
	process.on("SIGTERM", () => end(0));
	process.on("SIGINT", () => end(0));
	process.stdout.write(`meter ${port.path}\n`);
}

try {
	const options = parseOptions(process.argv.slice(2));
	if (options === undefined) process.stdout.write(HELP);
	else await run(options);
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n`);
	process.exit(error instanceof UsageError ? 2 : 1);
}

/** `npm run meter`: the meter simulator (see `--help`). Ends on SIGTERM, on SIGINT and with its parent process. */
import { FORMAT_7E1, FORMAT_8E1, FORMAT_8N1, FORMAT_8N2, type SerialFormat } from "../modules/io/host.js";
import type { Machine } from "../modules/io/machine.js";
import { AMISMeter, amisValues } from "./meter/amis-meter.js";
import { ControlledTime } from "./meter/controlled-time.js";
import { DLMS_HELP } from "./meter/dlms-help.js";
import * as DLMS from "./meter/dlms-meter.js";
import { parseDLMSOptions, wantsDLMS } from "./meter/dlms-options.js";
import { COUNTER_REFUSED, NOT_DECIPHERED } from "./meter/dlms-security.js";
import * as Server from "./meter/dlms-server.js";
import * as Station from "./meter/hdlc-station.js";
import { heatReading } from "./meter/heat.js";
import { HEAT_HELP, type HeatProgramOptions, parseHeatOptions, wantsHeat } from "./meter/heat-options.js";
import { Household } from "./meter/household.js";
import * as Meter from "./meter/iec-meter.js";
import { ProgrammingMode } from "./meter/iec-programming.js";
import { KMPMeter } from "./meter/kmp-meter.js";
import type { LinePort } from "./meter/line-port.js";
import { LineRunner } from "./meter/line-runner.js";
import { makeDLMSMeter } from "./meter/make-dlms-meter.js";
import { MBusMeter, slaveTelegrams } from "./meter/mbus-meter.js";
import type { MeterDisplay } from "./meter/meter-display.js";
import { HELP, type MeterOptions, parseOptions } from "./meter/options.js";
import { openPseudoTerminal } from "./meter/pseudo-terminal.js";
import { PushMeter } from "./meter/push-meter.js";
import { PUSH_HELP, type PushProgramOptions, parsePushOptions, wantsPush } from "./meter/push-options.js";
import { dlmsTelegram } from "./meter/push-telegrams.js";
import { openRealPort } from "./meter/real-port.js";
import { smlSource } from "./meter/sml-options.js";
import { SocketPort, takeSocket } from "./meter/socket-port.js";
import { steadyReading } from "./meter/steady-household.js";
import { readTelegram, splitTelegram } from "./meter/telegram.js";
import { UsageError } from "./meter/words.js";

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
	[Meter.METER_HANDED_OVER, "HDLC from here on"],
	[Station.LINK_OPENED, "link opened"],
	[Station.LINK_REFUSED, "link refused"],
	[Station.LINK_CLOSED, "link closed"],
	[Station.LINK_LOST, "link lost"],
	[Station.FRAME_REJECTED, "frame rejected"],
	[Station.FRAME_REPEATED, "frame out of order, or repeated"],
	[DLMS.FRAME_DAMAGED, "damaged frame"],
	[DLMS.LINK_IDLE, "link idle"],
	[Server.ASSOCIATED, "associated"],
	[Server.ASSOCIATION_REFUSED, "association refused"],
	[Server.AUTHENTICATED, "client authenticated"],
	[Server.AUTHENTICATION_FAILED, "client not authenticated"],
	[COUNTER_REFUSED, "invocation counter too low"],
	[NOT_DECIPHERED, "could not be deciphered"],
	[Server.RELEASED, "released"],
	[Server.ANSWERED, "request answered"],
	[Server.NOT_SERVED, "no such service"],
]);

interface Program {
	machine: Machine;
	port?: string;
	pace: boolean;
	echo: boolean;
	quiet: boolean;
	/** True if software makes the parity bit. */
	parityBits: boolean;
	format: SerialFormat;
	display?: MeterDisplay | undefined;
}

function makeIECMeter(options: MeterOptions): Meter.IECMeter {
	const isClocked = options.pace || options.port !== undefined;
	const common = {
		...options,
		clocked: isClocked,
		...(options.reactionMs === undefined && !isClocked ? { reactionMs: UNPACED_REACTION_MS } : {}),
		pushBaud: options.baud ?? Meter.PUSH_BAUD,
	};
	const { utcMs = Date.now(), mode = "C", baud = DEFAULT_BAUD } = options;
	const time = new ControlledTime(utcMs);
	process.on("message", (message) => time.setFrom(message));
	const programming = new ProgrammingMode(options.profile, () => time.nowMs);
	if (options.telegram !== undefined) {
		const telegram = splitTelegram(readTelegram(options.telegram));
		return new Meter.IECMeter({ ...common, programming, source: () => telegram });
	}
	const more = (nowMs: number) => programming.readoutLines(nowMs);
	const steady = options.profile.stored === undefined ? {} : { readingAt: steadyReading };
	const household = new Household({ utcMs, mode, baud, more, ...steady });
	const source = () => household.telegram(time.nowMs - utcMs);
	return new Meter.IECMeter({ ...common, programming, mode, source });
}

function makePushMeter(options: PushProgramOptions): PushMeter | AMISMeter {
	const {
		protocol,
		sml = {},
		telegramOf,
		form,
		telegram,
		baud,
		format = FORMAT_8N1,
		pushMs,
		replay = Number.POSITIVE_INFINITY,
		wrongTag,
	} = options;
	const household = new Household({ utcMs: Date.now() - performance.now(), mode: "C", baud: DEFAULT_BAUD });
	if (protocol === "amis") {
		const frame = telegram === undefined ? {} : { frame: readTelegram(telegram) };
		return new AMISMeter({ ...options, ...frame, source: (nowMs) => amisValues(household.reading(nowMs)) });
	}
	if (telegram !== undefined) {
		const bytes = readTelegram(telegram);
		return new PushMeter({ source: () => bytes, baud, format, pushMs });
	}
	const smlFor = smlSource(sml);
	let pushes = 0;
	let last = new Uint8Array(0);
	const source = (nowMs: number) => {
		const reading = household.reading(nowMs);
		if (telegramOf !== undefined) return telegramOf(reading);
		if (protocol === "sml") return smlFor(reading, nowMs);
		if (pushes < replay) {
			const hasWrongTag = wrongTag !== undefined && pushes % wrongTag === wrongTag - 1;
			last = new Uint8Array(dlmsTelegram(reading, form, options.counter + pushes++, hasWrongTag));
		}
		return last;
	};
	return new PushMeter({ source, baud, format, pushMs, ...sml });
}

/** Identification of the first slave. Each further slave has the next number. */
const FIRST_IDENT = 12_345_678;

function makeHeatMeter(options: HeatProgramOptions): KMPMeter | MBusMeter {
	const { protocol, address, slaves, idents = [], medium, isLong, telegram, pace, port } = options;
	const startUtcMs = Date.now() - performance.now();
	const source = (nowMs: number) => heatReading(startUtcMs, nowMs);
	const isClocked = pace || port !== undefined;
	const common = { ...options, ...(isClocked ? {} : { reactionMs: UNPACED_REACTION_MS }) };
	if (protocol === "kmp") return new KMPMeter({ ...common, source });
	const frame = telegram === undefined ? undefined : [...readTelegram(telegram).subarray(6, -2)];
	const all = Array.from({ length: slaves }, (_, i) => ({
		address: address + i,
		telegrams: (nowMs: number) =>
			frame ? [frame] : slaveTelegrams(source(nowMs), idents[i] ?? FIRST_IDENT + i, medium, isLong),
	}));
	return new MBusMeter({ ...common, slaves: all });
}

function makeProgram(args: string[]): Program | undefined {
	if (wantsPush(args)) {
		const options = parsePushOptions(args);
		if (options === undefined) return undefined;
		const { format = FORMAT_8N1, sml } = options;
		const form = { parityBits: false, echo: false, format };
		return { ...options, ...form, machine: makePushMeter(options), display: sml?.display };
	}
	if (wantsHeat(args)) {
		const options = parseHeatOptions(args);
		if (options === undefined) return undefined;
		const format = options.protocol === "kmp" ? FORMAT_8N2 : FORMAT_8E1;
		return { ...options, parityBits: false, echo: false, format, machine: makeHeatMeter(options) };
	}
	if (wantsDLMS(args)) {
		const options = parseDLMSOptions(args);
		// During the sign-on of mode E, one of the eight bits is the parity bit.
		const form = { parityBits: true, format: FORMAT_8N1 } as const;
		if (options === undefined) return undefined;
		const clocked = options.pace || options.port !== undefined;
		const surroundings = {
			utcMs: Date.now() - performance.now(),
			clocked,
			...(clocked ? {} : { reactionMs: UNPACED_REACTION_MS }),
		};
		return { ...options, ...form, machine: makeDLMSMeter(options, surroundings) };
	}
	const options = parseOptions(args);
	return options && { ...options, format: FORMAT_7E1, machine: makeIECMeter(options) };
}

function helpFor(args: readonly string[]): string {
	if (wantsPush(args)) return PUSH_HELP;
	if (wantsHeat(args)) return HEAT_HELP;
	return wantsDLMS(args) ? DLMS_HELP : HELP;
}

/** Longest time for which the program waits until its port is closed, ms. */
const CLOSE_LIMIT_MS = 3000;

function openPort({ port, format }: Program, socket: string | undefined): Promise<LinePort> {
	if (socket !== undefined) return Promise.resolve(new SocketPort(socket));
	return port === undefined ? openPseudoTerminal() : openRealPort(port, format);
}

async function run(program: Program, socket: string | undefined): Promise<void> {
	const { machine } = program;
	const port = await openPort(program, socket);
	const log = (message: string) => {
		if (!program.quiet) process.stderr.write(`${new Date().toISOString().slice(11, 23)} ${message}\n`);
	};
	if (program.display !== undefined) program.display.onShows = (what) => log(`display: ${what}`);
	const onEvent = (code: number) => log(EVENT_TEXTS.get(code) ?? `event ${code}`);
	const runner = new LineRunner({ ...program, port, machine, onEvent });
	const end = (exitCode: number) => {
		runner.close();
		const exit = () => process.exit(exitCode);
		// The system may keep a port open for as long as nobody reads what was written.
		setTimeout(exit, CLOSE_LIMIT_MS);
		void port.close().finally(exit);
	};
	port.onError((message) => {
		process.stderr.write(`${message}\n`);
		end(1);
	});
	process.on("SIGTERM", () => end(0));
	process.on("SIGINT", () => end(0));
	// The channel closes when the parent process has ended.
	process.on("disconnect", () => end(0));
	process.stdout.write(`meter ${port.path}\n`);
}

try {
	const args = process.argv.slice(2);
	const socket = takeSocket(args);
	const program = makeProgram(args);
	if (program === undefined) process.stdout.write(helpFor(args));
	else await run(program, socket);
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n`);
	process.exit(error instanceof UsageError ? 2 : 1);
}

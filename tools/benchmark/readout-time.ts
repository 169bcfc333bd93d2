/**
 * Part a: duration of a readout, from the request to the last byte of its reply, on the simulator's pseudo-terminal at
 * the speed of a wire. It is compared with the shortest time that the wire and the standard permit:
 *
 *     characters both ways × 10 bits ÷ baud, and the pauses of IEC 62056-21, 6.3.1: the meter's reaction time before
 *     the identification and before the block, the reader's before the acknowledgement, 200 ms each (20 ms if the third
 *     letter of the maker is lower case). Mode D: only the characters of the push, counted from its `/`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answersQuickly, type Telegram } from "../meter/telegram.js";
import { BenchGateway, nowMs } from "./benchmark-gateway.js";
import { BenchMeter } from "./benchmark-meter.js";
import { median, progress, type Row, round, type Section } from "./report.js";
import * as telegrams from "./telegrams.js";

const BITS = 10;
const OPENING_BAUD = 300;
/** Length of `/?!` CR LF. */
const SIGN_ON_LENGTH = 5;
/** Length of ACK 0 Z 0 CR LF. */
const ACKNOWLEDGE_LENGTH = 6;
/** Each case is repeated for MEASURE_MS, or until there are enough readouts. The result is the median. */
const MEASURE_MS = 8000;
const REPEATS = 3;
/**
 * Pause between two readouts. For 1500 ms after a readout, the meter can still be asked to repeat its block, and
 * accepts no sign-on.
 */
const PAUSE_MS = 2000;

interface Case {
	readonly mode: "C" | "D";
	readonly baud: number;
	readonly name: string;
	readonly quick: boolean;
}

/** Meters that use 300 Bd send little data, as in the first case. */
const CASES: readonly Case[] = [
	{ mode: "C", baud: 300, name: telegrams.ZMF100, quick: false },
	{ mode: "C", baud: 600, name: telegrams.LK13, quick: false },
	{ mode: "C", baud: 1200, name: telegrams.LK13, quick: true },
	{ mode: "C", baud: 2400, name: telegrams.C500, quick: false },
	{ mode: "C", baud: 4800, name: telegrams.MT174, quick: false },
	{ mode: "C", baud: 9600, name: telegrams.MT174, quick: true },
	{ mode: "C", baud: 9600, name: telegrams.LK13, quick: false },
	{ mode: "D", baud: 2400, name: telegrams.T210D, quick: false },
	{ mode: "D", baud: 9600, name: telegrams.T210D, quick: true },
];

interface Run {
	readonly tookMs: number;
	/** Time that exceeds the minimum, by cause. Only measured in mode C. */
	readonly lateMs?: {
		readonly signOn: number;
		readonly acknowledge: number;
		readonly block: number;
		readonly reply: number;
	};
}

export async function measureReadouts(isQuick: boolean): Promise<Section> {
	const rows: Row[] = [];
	for (const one of CASES) {
		if (isQuick && !one.quick) continue;
		rows.push(await measure(one, isQuick));
	}
	return {
		part: "a",
		title: "Time of a whole readout against the wire's limit (engine xs, GET read over HTTPS)",
		notes: [
			"ratio = took ÷ limit. The late columns show where the rest was spent, in ms: until the meter had the sign-on, until it",
			"had the acknowledgement, until its block began (the meter simulator), until the reply arrived.",
		],
		rows,
	};
}

async function measure({ mode, baud, name }: Case, isQuick: boolean): Promise<Row> {
	progress(`  mode ${mode} at ${baud} Bd, ${name} …`);
	const telegram = mode === "D" ? telegrams.capture(name) : telegrams.framed(name);
	const folder = mkdtempSync(join(tmpdir(), "bench-"));
	const file = join(folder, "telegram");
	writeFileSync(file, Uint8Array.from([...telegram.opening, ...telegram.message]));
	// The interval exceeds the length of a push. Otherwise a request at the start of one push could be answered with
	// the previous push.
	const pushSeconds = Math.ceil(pushMs(telegram, baud) / 1000) + 1;
	const push = mode === "D" ? ["--mode", "D", "--baud", String(baud), "--push-seconds", String(pushSeconds)] : [];
	const meter = await BenchMeter.start(["--baud-pace", "--telegram", file, ...push]);
	const gateway = await BenchGateway.start("xs", meter.path);
	try {
		const settings = mode === "D" ? { mode_d_enabled: true, mode_d_baudrate: baud } : { baudrate_max: baud };
		await gateway.request("iec62056/config", settings);
		const limitMs = mode === "D" ? pushMs(telegram, baud) : sessionMs(telegram, baud).all;
		const count = isQuick ? 1 : Math.max(1, Math.min(REPEATS, Math.floor(MEASURE_MS / limitMs)));
		const runs: Run[] = [];
		while (runs.length < count) {
			if (runs.length > 0) await sleep(PAUSE_MS);
			runs.push(mode === "D" ? await runPushed(gateway, meter) : await runAsked(gateway, meter, telegram, baud));
		}
		return rowOf({ mode, baud, name, telegram, limitMs, runs });
	} finally {
		await gateway.stop();
		meter.end();
		rmSync(folder, { recursive: true });
	}
}

async function runAsked(gateway: BenchGateway, meter: BenchMeter, telegram: Telegram, baud: number): Promise<Run> {
	meter.forget();
	const startMs = nowMs();
	const { doneMs } = await gateway.request("iec62056/read");
	const signedOnMs = meter.timeOf("sign-on") ?? Number.NaN;
	const acknowledgedMs = meter.timeOf("acknowledged") ?? Number.NaN;
	const blockMs = meter.timeOf("sends the block") ?? Number.NaN;
	const limit = sessionMs(telegram, baud);
	return {
		tookMs: doneMs - startMs,
		lateMs: {
			signOn: signedOnMs - startMs - limit.signOn,
			acknowledge: acknowledgedMs - signedOnMs - limit.acknowledge,
			block: blockMs - acknowledgedMs - limit.reaction,
			reply: doneMs - blockMs - limit.block,
		},
	};
}

async function runPushed(gateway: BenchGateway, meter: BenchMeter): Promise<Run> {
	const startMs = await meter.next("push");
	const { doneMs } = await gateway.request("iec62056/read");
	return { tookMs: doneMs - startMs };
}

interface Result extends Omit<Case, "quick"> {
	readonly telegram: Telegram;
	readonly limitMs: number;
	readonly runs: readonly Run[];
}

function rowOf({ mode, baud, name, telegram, limitMs, runs }: Result): Row {
	const tookMs = median(runs.map((run) => run.tookMs));
	const late = runs.map((run) => run.lateMs).filter((lateMs) => lateMs !== undefined);
	const row = {
		mode,
		baud,
		telegram: name,
		characters: telegram.opening.length + telegram.message.length,
		limit_ms: round(limitMs),
		took_ms: round(tookMs),
		ratio: round(tookMs / limitMs, 4),
		late_ms: round(tookMs - limitMs),
	};
	if (late.length === 0) return row;
	return {
		...row,
		late_sign_on: round(median(late.map(({ signOn }) => signOn))),
		late_acknowledge: round(median(late.map(({ acknowledge }) => acknowledge))),
		late_block: round(median(late.map(({ block }) => block))),
		late_reply: round(median(late.map(({ reply }) => reply))),
	};
}

function charactersMs(count: number, baud: number): number {
	return (count * BITS * 1000) / baud;
}

function sessionMs(telegram: Telegram, baud: number) {
	const reaction = answersQuickly(telegram) ? 20 : 200;
	const signOn = charactersMs(SIGN_ON_LENGTH, OPENING_BAUD);
	const acknowledge = 2 * reaction + charactersMs(telegram.opening.length + ACKNOWLEDGE_LENGTH, OPENING_BAUD);
	const block = charactersMs(telegram.message.length, baud);
	return { signOn, acknowledge, reaction, block, all: signOn + acknowledge + reaction + block };
}

function pushMs(telegram: Telegram, baud: number): number {
	return charactersMs(telegram.opening.length - telegram.slash + telegram.message.length, baud);
}

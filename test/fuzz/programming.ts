/**
 * The whole reader with a meter on a modelled line that damages the replies of a load profile in programming mode. Each
 * request ends, only values that were sent are reported as good, and the rows are correct again when nothing is
 * damaged.
 */
import assert from "node:assert/strict";
import type { Failure } from "../../modules/readout/failure.js";
import type { Readout } from "../../modules/readout/readout.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type Answer, type ProfileOptions, ProgrammingMode } from "../../tools/meter/iec-programming.js";
import { frame, LF, STX, splitTelegram } from "../../tools/meter/telegram.js";
import { ReaderBed } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";
import { type Mutator, runAll } from "./mutator.js";
import { assertSent } from "./transmissions.js";

const UTC_MS = Date.UTC(2026, 5, 21, 18, 37);
const END_MS = 700_000;
const DAMAGE_ONE_IN = 3;
const OPENING = Buffer.from("/GWS5PROFILE\r\n");
const CLOCKS = ["0.9.1(183700)\r\n0.9.2(260621)\r\n", "0.9.2(0260621)\r\n", ""];
const WAYS: readonly ProfileOptions[] = [
	{},
	{ fault: "r6-only" },
	{ fault: "r6-only", lines: 1 },
	{ fault: "no-season" },
	{ period: 60 },
	{ fault: "error" },
	{ password: "12345678" },
];

class DamagedProgramming extends ProgrammingMode {
	/** Bytes sent, including their damage. */
	readonly sent: Uint8Array[] = [];
	readonly #mutator: Mutator;
	isDamaged = true;

	constructor(options: ProfileOptions, mutator: Mutator) {
		super({ place: "programming", ...options }, () => UTC_MS);
		this.#mutator = mutator;
	}

	override begin(): Answer | undefined {
		return this.#damaged(super.begin());
	}

	override more(): Answer | undefined {
		return this.#damaged(super.more());
	}

	override again(): Answer | undefined {
		return this.#damaged(super.again());
	}

	#damaged(answer: Answer | undefined): Answer | undefined {
		if (answer === undefined) return undefined;
		const isWhole = !this.isDamaged || !this.#mutator.random.oneIn(DAMAGE_ONE_IN);
		const bytes = isWhole ? answer.bytes : this.#mutator.mutate(answer.bytes, OPENING);
		// A part of the profile may begin with a row after STX, as a line begins after LF; so STX is recorded as LF.
		this.sent.push(bytes.map((byte) => (byte === STX ? LF : byte)));
		return { ...answer, bytes };
	}
}

interface Reply {
	readonly readout: Readout | undefined;
	readonly failure: Failure | undefined;
}

function requestProfile(bed: ReaderBed): Reply {
	const { reader, world } = bed;
	let result: Reply | undefined;
	const profile = { code: Uint8Array.of(1, 0, 99, 1, 0, 255), entries: 10 };
	reader.read({ finished: (readout, failure) => (result = { readout, failure }) }, profile);
	world.time.runWhile(() => result === undefined || reader.running, world.time.nowMs + END_MS);
	assert.ok(result !== undefined && !reader.running, "the session does not end");
	return result;
}

export async function fuzzProgramming(seed: number, runs: number): Promise<void> {
	await runAll("programming mode", seed, runs, (mutator) => {
		const block = frame(Buffer.from(`${mutator.pick(CLOCKS)}1.8.0(5*kWh)\r\n!\r\n`));
		const telegram = splitTelegram(Buffer.concat([OPENING, block]));
		const way = mutator.pick(WAYS);
		const programming = new DamagedProgramming(way, mutator);
		const password = Buffer.from(way.password ?? "");
		const bed = new ReaderBed({ password }, { echo: mutator.random.oneIn(4), hardwareParity: mutator.random.oneIn(2) });
		bed.world.serial.meter.connect(new IECMeter({ source: () => telegram, mode: "C", programming }));
		const { readout, failure } = requestProfile(bed);
		if (readout !== undefined && failure === undefined) assertSent(readout.records, Buffer.concat(programming.sent));
		else assert.ok(failure !== undefined);
		programming.isDamaged = false;
		bed.world.advance(5000);
		const good = requestProfile(bed);
		if (way.fault === "error") assert.equal(good.failure?.code, "iec62056-21/no-profile");
		else {
			assert.equal(good.failure, undefined, good.failure?.code);
			const records = recordsOf(good.readout?.records);
			assert.ok(
				records.filter((line) => line.includes(": (") || /0\.\d{3}/.test(line)).length >= 10,
				records.join("\n"),
			);
		}
	});
}

/**
 * Damaged answers of KMP and M-Bus meters to the sessions that poll them. No session throws or fails to end. A value is
 * given as read only if the meter sent it, and a complete readout has all values. The meter is read in the end. Each
 * answer is damaged at random again, so that no damage repeats.
 */
import assert from "node:assert/strict";
import { type Machine, OUTPUT_EVENT, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { KMP } from "../../modules/kmp/protocol.js";
import { MBUS } from "../../modules/mbus/protocol.js";
import { parseAddress } from "../../modules/mbus/secondary.js";
import type { MeterSettings } from "../../modules/meter/settings.js";
import {
	EVENT_END,
	type MeterProtocol,
	type ReadSession,
	type SessionContext,
} from "../../modules/readout/protocol.js";
import { type Readout, STATUS_OK } from "../../modules/readout/readout.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { heatReading } from "../../tools/meter/heat.js";
import { KMPMeter } from "../../tools/meter/kmp-meter.js";
import { MBusMeter, slaveTelegrams } from "../../tools/meter/mbus-meter.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { ReaderBed } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";
import { type Mutator, runAll } from "./mutator.js";

/** Longest session, ms, and largest number of steps in it. */
const END_MS = 600_000;
const STEPS = 100_000;
/** Kamstrup's revision may be missing: a meter that withholds its type is read too. */
const REVISION = "0-0:0.2.0";
/** Transmission of a character, ms. */
const CHARACTER_MS = 5;

type Damage = (bytes: Uint8Array) => Uint8Array;

interface Kind {
	readonly name: string;
	readonly protocol: MeterProtocol<MeterSettings>;
	/** Secondary addresses of the slaves. */
	readonly secondary?: readonly Uint8Array[];
	/** A meter that always sends the same. */
	meter(damage?: Damage): Machine;
}

const READING = heatReading(Date.UTC(2026, 10, 20, 6), 0);
const { settings, world } = new ReaderBed();

/** Connects a session with a meter, without a line between them, until the session ends. */
function runSession(session: ReadSession, meter: Machine, deliver: (bytes: Uint8Array, to: Machine) => void): void {
	let nowMs = 0;
	let hasEnded = false;
	const pump = (from: Machine, to: Machine): void => {
		for (let output = from.poll(); output.kind !== OUTPUT_NONE; output = from.poll()) {
			if (from === session && output.kind === OUTPUT_EVENT && output.code === EVENT_END) hasEnded = true;
			if (output.kind !== OUTPUT_TRANSMIT) continue;
			deliver(output.bytes.slice(output.start, output.end), to);
		}
	};
	for (let step = 0; !hasEnded; step++) {
		assert.ok(step < STEPS && nowMs < END_MS, "the session does not end");
		pump(session, meter);
		pump(meter, session);
		nowMs = Math.max(nowMs + CHARACTER_MS, Math.min(session.deadlineMs, meter.deadlineMs));
		if (meter.deadlineMs <= nowMs) meter.advance(nowMs);
		else session.advance(nowMs);
		pump(meter, session);
		pump(session, meter);
	}
}

function readOnce(kind: Kind, mutator?: Mutator, damage?: Damage): Readout | undefined {
	const { storage, crypto } = world;
	const records = new RecordWriter();
	const memory = { kept: undefined, speed: undefined };
	const opening: SessionContext<MeterSettings> = {
		settings: { ...settings, mbus: { ...settings.mbus, secondary: kind.secondary ?? [] } },
		records,
		memory,
		storage,
		crypto,
		quietMs: 0,
		nowMs: 0,
		trace: () => {},
	};
	const session = kind.protocol.open(opening);
	const meter = kind.meter(damage);
	let nowMs = 0;
	runSession(session, meter, (bytes, to) => {
		nowMs += bytes.length * CHARACTER_MS;
		if (to === meter || mutator === undefined) to.receive(bytes, 0, bytes.length, nowMs);
		else mutator.inPieces(bytes, (buffer, start, end) => to.receive(buffer, start, end, nowMs));
	});
	return session.readout(EVENT_END, 1);
}

async function fuzz(what: string, kinds: readonly Kind[], seed: number, damaged: number): Promise<number> {
	const good = kinds.map((kind) => {
		const readout = readOnce(kind);
		assert.equal(readout?.status, STATUS_OK, kind.name);
		return recordsOf(readout?.records);
	});
	let count = 0;
	let kept = 0;
	await runAll(what, seed, Number.POSITIVE_INFINITY, (mutator, run) => {
		if (count >= damaged) throw new Done();
		const index = run % kinds.length;
		const rate = 1 + mutator.random.below(4);
		const readout = readOnce(kinds[index], mutator, (bytes) => {
			if (mutator.random.below(rate) > 1) return bytes;
			count++;
			return mutator.mutate(bytes, bytes);
		});
		if (readout === undefined) return;
		kept++;
		const records = recordsOf(readout.records);
		for (const record of records)
			assert.ok(good[index].includes(record), `${kinds[index].name}: ${record} was never sent`);
		const complete = good[index].filter((record) => !record.startsWith(REVISION) || records.includes(record));
		if (readout.status === STATUS_OK) assert.deepEqual(records, complete, kinds[index].name);
	}).catch((error: Error) => {
		if (!(error.cause instanceof Done)) throw error;
	});
	assert.ok(kept > 0);
	return kept;
}

class Done extends Error {}

const KMP_KIND: Kind = {
	name: "KMP",
	protocol: KMP,
	meter: (damage) => new KMPMeter({ source: () => READING, ...(damage && { damage }) }),
};

function slaveKind(name: string, telegrams: readonly (readonly number[])[]): Kind {
	const slaves = [{ address: 1, telegrams: () => telegrams }];
	return { name, protocol: MBUS, meter: (damage) => new MBusMeter({ slaves, ...(damage && { damage }) }) };
}

/** Two slaves with the same primary address, selected one after the other. */
const SELECTED_KIND: Kind = {
	name: "secondary addresses",
	protocol: MBUS,
	secondary: ["12345678", "223FFFFF"].map((text) => parseAddress(text)!),
	meter: (damage) => {
		const idents = [12_345_678, 22_345_678];
		const slaves = idents.map((ident, i) => ({
			address: 0,
			telegrams: () => slaveTelegrams(READING, ident, 4 + 3 * i, false),
		}));
		return new MBusMeter({ slaves, ...(damage && { damage }) });
	},
};

function mbusKinds(): Kind[] {
	const captures = vectorNames("mbus-slave").map((name) => ({
		name,
		bytes: readTelegram(vectorPath("mbus-slave", name)),
	}));
	// Without frames that announce another, and without those of the fixed structure, which are refused.
	const single = captures.filter(({ bytes }) => bytes[6] === 0x72 && bytes.lastIndexOf(0x1f) < 0);
	return [
		SELECTED_KIND,
		slaveKind("two frames", slaveTelegrams(READING, 12_345_678, 4, true)),
		...single.map(({ name, bytes }) => slaveKind(name, [[...bytes.subarray(6, -2)]])),
	];
}

export async function fuzzKMP(seed: number, damaged: number): Promise<void> {
	await fuzz("KMP", [KMP_KIND], seed, damaged);
}

export async function fuzzMBus(seed: number, damaged: number): Promise<void> {
	await fuzz("M-Bus", mbusKinds(), seed, damaged);
}

/**
 * Damaged captures for the session of modes A, B and C, sent by a meter that ignores requests, in simulated time. After
 * every hundred a good capture must be read.
 */

import assert from "node:assert/strict";
import { IEC_CHECK_WRONG } from "../../modules/iec62056-21/failures.js";
import { MeterSession, OUTCOME_BLOCK, type SessionOptions } from "../../modules/iec62056-21/session.js";
import { OUTPUT_EVENT, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { EVENT_END } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { ACK, NAK, type Telegram } from "../../tools/meter/telegram.js";
import { textOf } from "../latin1.js";
import { Mutator, runAll } from "./mutator.js";
import { assertSent, hasWrongCheck, split, type Transmission, transmissions } from "./transmissions.js";

/**
 * Limit of exchanges in a session. An ordinary session has at most five: wake-up, sign-on, acknowledgement, two
 * repetitions.
 */
const STEP_LIMIT = 40;
const SLASH = 0x2f;
/** Speed letters (Z in the identification) of modes A, B and C. */
const SPEED_LETTERS = [..."!9ADF0356"].map((letter) => letter.charCodeAt(0));

/** Runs sessions, one after another, into one writer. */
class SessionBed {
	readonly writer = new RecordWriter();
	#session!: MeterSession;
	#nowMs = 0;
	#hasEnded = false;

	hold({ opening, slash, message }: Telegram, mutator: Mutator, options: Partial<SessionOptions> = {}): MeterSession {
		const plain = {
			address: new Uint8Array(0),
			battery: false,
			speed: { speedFor: () => 9600 },
			identOnly: false,
			quietMs: 0,
		};
		this.#session = new MeterSession({ records: this.writer, ...plain, ...options }, this.#nowMs);
		this.#hasEnded = false;
		const z = opening[slash + 4];
		const isModeC = z >= 0x30 && z <= 0x36;
		// Some meters of mode C send the block without an acknowledgement.
		const answer = isModeC && !mutator.random.oneIn(8) ? opening : Uint8Array.from([...opening, ...message]);
		let reply: Uint8Array | undefined;
		for (let steps = 0; !this.#hasEnded; steps++) {
			assert.ok(steps < STEP_LIMIT, "the session does not end");
			if (reply === undefined) this.#advance();
			else this.#send(reply, mutator);
			const first = this.#poll();
			if (first === SLASH) reply = answer;
			else reply = first === ACK || first === NAK ? message : undefined;
		}
		return this.#session;
	}

	#advance(): void {
		const { deadlineMs } = this.#session;
		assert.ok(deadlineMs < Number.POSITIVE_INFINITY, "the session has neither ended nor a deadline");
		this.#nowMs = Math.max(this.#nowMs, deadlineMs);
		this.#session.advance(this.#nowMs);
		assert.ok(this.#session.deadlineMs > this.#nowMs, "the deadline has not moved after its handling");
	}

	#send(bytes: Uint8Array, mutator: Mutator): void {
		mutator.inPieces(bytes, (buffer, start, end) => {
			this.#nowMs += mutator.random.below(5);
			this.#session.receive(buffer, start, end, this.#nowMs);
		});
	}

	/**
	 * Takes all output of the session; returns the first character of the last transmission, or undefined without one.
	 */
	#poll(): number | undefined {
		let first: number | undefined;
		for (let output = this.#session.poll(); output.kind !== OUTPUT_NONE; output = this.#session.poll()) {
			if (output.kind === OUTPUT_EVENT && output.code === EVENT_END) this.#hasEnded = true;
			if (output.kind === OUTPUT_TRANSMIT) first = output.bytes[output.start];
		}
		return first;
	}
}

/** Packed records of an undamaged transmission, as hex. */
function readWell(bed: SessionBed, { bytes, name, wrong, pushed }: Transmission): string {
	const { outcome, failure } = bed.hold(split(bytes), new Mutator(1));
	// A session does not check the CRC of a pushed telegram.
	assert.equal(failure ?? outcome, wrong && !pushed ? IEC_CHECK_WRONG : OUTCOME_BLOCK, name);
	return Buffer.from(bed.writer.kept ?? []).toString("hex");
}

function checkBlock({ writer }: SessionBed, session: MeterSession, { opening, message }: Telegram): void {
	assert.equal(writer.keptIsGood, true);
	assertSent(writer.kept ?? new Uint8Array(0), Uint8Array.from([...opening, ...message]));
	// This test and the session may find different ends of a damaged identification.
	const isSameIdent = textOf(opening)
		.trimEnd()
		.endsWith(`/${textOf(session.ident.copy())}`);
	if (isSameIdent) assert.equal(hasWrongCheck(message), false, "a block with a wrong check was accepted");
}

export async function fuzzSession(seed: number, runs: number): Promise<void> {
	const all = transmissions();
	const bed = new SessionBed();
	const good = new Map(all.map((one) => [one, readWell(bed, one)]));
	await runAll("session", seed, runs, (mutator, run) => {
		const one = mutator.pick(all);
		const bytes = one.bytes.slice();
		if (mutator.random.oneIn(2)) bytes[split(bytes).slash + 4] = mutator.pick(SPEED_LETTERS);
		const telegram = split(mutator.mutate(bytes, mutator.pick(all).bytes));
		const session = bed.hold(telegram, mutator, {
			battery: mutator.random.oneIn(50),
			speed: { speedFor: () => mutator.pick([300, 2400, 9600, 19_200]) },
			identOnly: mutator.random.oneIn(50),
			quietMs: mutator.pick([0, 100, 2000]),
		});
		if (session.outcome === OUTCOME_BLOCK) checkBlock(bed, session, telegram);
		if (run % 100 === 99)
			assert.equal(readWell(bed, one), good.get(one), `${one.name}: misread after the damaged ones`);
	});
}

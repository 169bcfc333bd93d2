/**
 * Damaged mode D captures for the listener, in simulated time, some directly followed by a good telegram. After every
 * hundred a good telegram must be read.
 */

import assert from "node:assert/strict";
import { MeterListener } from "../../modules/iec62056-21/listener.js";
import { OUTPUT_NONE } from "../../modules/io/machine.js";
import { EVENT_POOR, EVENT_READOUT } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { Mutator, runAll } from "./mutator.js";
import { assertSent, hasWrongCRC, type Transmission, transmissions } from "./transmissions.js";

class ListenerBed {
	readonly writer = new RecordWriter();
	readonly #listener = new MeterListener(this.writer);
	#nowMs = 0;

	/** Feeds bytes, then silence; returns the codes of events, and calls `onTelegram` with each good telegram. */
	receiveBytes(bytes: Uint8Array, mutator: Mutator, onTelegram: (packed: Uint8Array) => void = () => {}): number[] {
		const events: number[] = [];
		mutator.inPieces(bytes, (buffer, start, end) => {
			this.#nowMs += mutator.random.below(5);
			// Poll after each byte: on a real line the piece before a poll holds at most one telegram.
			for (let i = start; i < end; i++) {
				this.#listener.receive(buffer, i, i + 1, this.#nowMs);
				this.#poll(events, onTelegram);
			}
		});
		while (this.#listener.deadlineMs < Number.POSITIVE_INFINITY) {
			this.#nowMs = this.#listener.deadlineMs;
			this.#listener.advance(this.#nowMs);
			this.#poll(events, onTelegram);
		}
		return events;
	}

	/** Packed records of an undamaged telegram, as hex. */
	receiveGood({ bytes, name, wrong }: Transmission): string {
		assert.deepEqual(this.receiveBytes(bytes, new Mutator(1)), [wrong ? EVENT_POOR : EVENT_READOUT], name);
		return hexOf(this.writer.kept);
	}

	#poll(events: number[], onTelegram: (packed: Uint8Array) => void): void {
		for (let output = this.#listener.poll(); output.kind !== OUTPUT_NONE; output = this.#listener.poll()) {
			events.push(output.code);
			if (output.code !== EVENT_READOUT) continue;
			assert.equal(this.writer.keptIsGood, true);
			onTelegram(this.writer.kept ?? new Uint8Array(0));
		}
	}
}

function hexOf(bytes: Uint8Array = new Uint8Array(0)): string {
	return Buffer.from(bytes).toString("hex");
}

export async function fuzzListener(seed: number, runs: number): Promise<void> {
	const all = transmissions().filter(({ pushed }) => pushed);
	const bed = new ListenerBed();
	const good = new Map(all.map((one) => [one, bed.receiveGood(one)]));
	await runAll("listener", seed, runs, (mutator, run) => {
		const one = mutator.pick(all);
		const damaged = mutator.mutate(one.bytes, mutator.pick(all).bytes);
		const sent = mutator.random.oneIn(2) ? Uint8Array.from([...damaged, ...one.bytes]) : damaged;
		bed.receiveBytes(sent, mutator, (packed) => {
			assertSent(packed, sent);
			const isWrong = hasWrongCRC(damaged) && hexOf(packed) !== good.get(one);
			assert.equal(isWrong, false, "a telegram with a wrong CRC was accepted");
		});
		if (run % 100 === 99)
			assert.equal(bed.receiveGood(one), good.get(one), `${one.name}: misread after the damaged ones`);
	});
}

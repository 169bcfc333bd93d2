/** Runs the meter's machine in virtual time and puts its output on the wire, character by character. */
import { FORMAT_7E1, type LineSettings, type SerialFormat } from "../../modules/io/host.js";
import { OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import type { VirtualTime } from "./virtual-time.js";
import {
	bitsOf,
	decodeCharacter,
	encodeCharacter,
	FaultInjector,
	isSameFrame,
	type LitMachine,
} from "./wire-character.js";

export interface MeterWire {
	readonly time: VirtualTime;
	readonly meterEvents: number[];
	/** Carries a character to the gateway. Its first bit was sent at `startMs`. */
	carryToGateway(wire: number, line: LineSettings, startMs: number): void;
}

export class MeterEnd {
	line: LineSettings = { baud: 300, format: FORMAT_7E1 };
	readonly #wire: MeterWire;
	readonly #machine: LitMachine;
	readonly #faultInjector = new FaultInjector();
	readonly #queue: (number | LineSettings)[] = [];
	readonly #character = new Uint8Array(1);
	#queuedFormat: SerialFormat = FORMAT_7E1;
	#head = 0;
	#changedMs = 0;
	#timer = 0;
	#isBusy = false;
	#isConnected = true;

	constructor(wire: MeterWire, machine: LitMachine) {
		this.#wire = wire;
		this.#machine = machine;
		this.#pump();
	}

	disconnect(): void {
		this.#isConnected = false;
		this.#wire.time.clear(this.#timer);
	}

	/** Called when a character has arrived. `baud` is 0 if a change of the line interrupted the character. */
	arrive(wire: number, { baud, format }: LineSettings, startMs: number): void {
		this.#machine.light?.(startMs, this.#wire.time.nowMs);
		if (baud === this.line.baud && isSameFrame(format, this.line.format) && startMs >= this.#changedMs) {
			this.#take(wire);
			return;
		}
		for (const seen of this.#faultInjector.garble(wire, baud === 0 ? 1 : this.line.baud / baud)) this.#take(seen);
	}

	#take(wire: number): void {
		this.#character[0] = this.line.format === FORMAT_7E1 ? decodeCharacter(wire) : wire;
		this.#machine.receive(this.#character, 0, 1, this.#wire.time.nowMs);
		this.#pump();
	}

	#pump(): void {
		for (;;) {
			const output = this.#machine.poll();
			if (output.kind === OUTPUT_NONE) break;
			if (output.kind === OUTPUT_EVENT) this.#wire.meterEvents.push(output.code);
			if (output.kind === OUTPUT_LINE) {
				this.#queuedFormat = output.format;
				this.#queue.push({ baud: output.baud, format: output.format });
			}
			if (output.kind !== OUTPUT_TRANSMIT) continue;
			const isFramed = this.#queuedFormat === FORMAT_7E1;
			for (let i = output.start; i < output.end; i++) {
				this.#queue.push(isFramed ? encodeCharacter(output.bytes[i]) : output.bytes[i]);
			}
		}
		if (!this.#isBusy) this.#sendNext();
		this.#arm();
	}

	#arm(): void {
		const time = this.#wire.time;
		time.clear(this.#timer);
		if (this.#machine.deadlineMs === Number.POSITIVE_INFINITY) return;
		this.#timer = time.at(this.#machine.deadlineMs, () => {
			this.#machine.advance(time.nowMs);
			this.#pump();
		});
	}

	#sendNext(): void {
		const time = this.#wire.time;
		let item = this.#queue[this.#head];
		while (typeof item === "object") {
			this.line = item;
			this.#changedMs = time.nowMs;
			item = this.#queue[++this.#head];
		}
		if (item === undefined) {
			this.#queue.length = 0;
			this.#head = 0;
			return;
		}
		const wire = item;
		const startMs = time.nowMs;
		const { line } = this;
		this.#isBusy = true;
		time.at(startMs + (bitsOf(line.format) * 1000) / line.baud, () => {
			this.#isBusy = false;
			if (!this.#isConnected) return;
			this.#head++;
			this.#wire.carryToGateway(wire, line, startMs);
			this.#sendNext();
		});
	}
}

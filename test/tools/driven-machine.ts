/** A simulated meter's machine with time driven by hand: bytes go in, and a log records the output with its times. */
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, type Output } from "../../modules/io/machine.js";

export abstract class DrivenMachine<Meter extends Machine> {
	readonly meter: Meter;
	nowMs = 0;
	readonly events: number[] = [];
	/** Entries `<ms> line <line>` and `<ms> <bytes sent>` since the last `take`. */
	#log: string[] = [];

	constructor(meter: Meter) {
		this.meter = meter;
	}

	/** The line's speed and format, for the log. */
	protected abstract lineText(output: Output): string;
	/** The bytes of a transmission, for the log. */
	protected abstract sentText(output: Output): string;

	/** Delivers these bytes to the meter now. */
	protected deliver(bytes: Uint8Array): this {
		this.meter.receive(bytes, 0, bytes.length, this.nowMs);
		this.poll();
		return this;
	}

	pass(ms: number): this {
		const untilMs = this.nowMs + ms;
		while (this.meter.deadlineMs <= untilMs) {
			this.nowMs = Math.max(this.nowMs, this.meter.deadlineMs);
			this.meter.advance(this.nowMs);
			this.poll();
		}
		this.nowMs = untilMs;
		return this;
	}

	/** Returns the log and clears it. */
	take(): string[] {
		return this.#log.splice(0);
	}

	protected poll(): void {
		for (;;) {
			const output = this.meter.poll();
			if (output.kind === OUTPUT_NONE) return;
			if (output.kind === OUTPUT_EVENT) this.events.push(output.code);
			else if (output.kind === OUTPUT_LINE) this.#log.push(`${this.nowMs} line ${this.lineText(output)}`);
			else this.#log.push(`${this.nowMs} ${this.sentText(output)}`);
		}
	}
}

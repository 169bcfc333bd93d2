/** A meter's machine with time driven by hand: text goes in, and a log records the output with its times. */
import { OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE } from "../../modules/io/machine.js";
import { IECMeter, type IECMeterOptions } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { bytesOf, textOf } from "../latin1.js";

export class DrivenMeter {
	readonly meter: IECMeter;
	nowMs = 0;
	/** Entries `<ms> line <baud>` and `<ms> <text sent>` since the last `take`. */
	#log: string[] = [];
	readonly events: number[] = [];

	constructor(telegram: string, options: Partial<IECMeterOptions> = {}) {
		this.meter = new IECMeter({ source: () => splitTelegram(bytesOf(telegram)), ...options });
		this.#poll();
		this.take();
	}

	/** Delivers the reader's text to the meter now. */
	send(text: string): this {
		const bytes = bytesOf(text);
		this.meter.receive(bytes, 0, bytes.length, this.nowMs);
		this.#poll();
		return this;
	}

	pass(ms: number): this {
		const untilMs = this.nowMs + ms;
		while (this.meter.deadlineMs <= untilMs) {
			this.nowMs = Math.max(this.nowMs, this.meter.deadlineMs);
			this.meter.advance(this.nowMs);
			this.#poll();
		}
		this.nowMs = untilMs;
		return this;
	}

	/** Returns the log and clears it. */
	take(): string[] {
		const log = this.#log;
		this.#log = [];
		return log;
	}

	#poll(): void {
		for (;;) {
			const output = this.meter.poll();
			if (output.kind === OUTPUT_NONE) return;
			if (output.kind === OUTPUT_EVENT) this.events.push(output.code);
			else if (output.kind === OUTPUT_LINE) this.#log.push(`${this.nowMs} line ${output.baud}`);
			else this.#log.push(`${this.nowMs} ${textOf(output.bytes, output.start, output.end)}`);
		}
	}
}

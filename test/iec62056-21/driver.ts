/** Runs a machine of the reader on time that the test sets. The test feeds it characters; a log records its outputs. */
import { FORMAT_8N1 } from "../../modules/io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { bytesOf, textOf } from "../latin1.js";

export class Driver {
	readonly machine: Machine;
	nowMs = 0;
	/**
	 * Outputs since the last `take`: `<ms> sent <text>`, `<ms> line <baud>` (plus ` 8N1` in that format), `<ms> event
	 * <code>`.
	 */
	#log: string[] = [];

	constructor(machine: Machine) {
		this.machine = machine;
		this.#poll();
	}

	/** Feeds the machine characters that arrive at the present time. */
	receive(characters: string | Uint8Array): this {
		const bytes = typeof characters === "string" ? bytesOf(characters) : characters;
		this.machine.receive(bytes, 0, bytes.length, this.nowMs);
		this.#poll();
		return this;
	}

	/** Advances time to `ms`, and calls the machine at each of its deadlines. */
	to(ms: number): this {
		while (this.machine.deadlineMs <= ms) {
			this.nowMs = Math.max(this.nowMs, this.machine.deadlineMs);
			this.machine.advance(this.nowMs);
			this.#poll();
		}
		this.nowMs = ms;
		return this;
	}

	/** Returns the log and clears it. */
	take(): string[] {
		const log = this.#log;
		this.#log = [];
		return log;
	}

	#poll(): void {
		for (let output = this.machine.poll(); output.kind !== OUTPUT_NONE; output = this.machine.poll()) {
			if (output.kind === OUTPUT_EVENT) this.#log.push(`${this.nowMs} event ${output.code}`);
			if (output.kind === OUTPUT_LINE)
				this.#log.push(`${this.nowMs} line ${output.baud}${output.format === FORMAT_8N1 ? " 8N1" : ""}`);
			if (output.kind === OUTPUT_TRANSMIT)
				this.#log.push(`${this.nowMs} sent ${textOf(output.bytes, output.start, output.end)}`);
		}
	}
}

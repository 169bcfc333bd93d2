/** A meter that sends unsolicited telegrams of eight-bit characters over a line with fixed settings. */

import type { LitMachine } from "../../hosts/node/wire-character.js";
import { FORMAT_8N1, type SerialFormat } from "../../modules/io/host.js";
import type { Output } from "../../modules/io/machine.js";
import { METER_PUSH } from "./iec-meter.js";
import type { MeterDisplay } from "./meter-display.js";
import { eventOf, lineChange, noOutput, transmission } from "./outputs.js";

export interface PushMeterOptions {
	/** Returns the bytes to send now, as they are on the wire. */
	readonly source: (nowMs: number) => Uint8Array;
	readonly baud: number;
	/** Format of the line. Default: 8N1. The bytes of TIC then include the parity bit of 7E1. */
	readonly format?: SerialFormat;
	readonly pushMs: number;
	readonly display?: MeterDisplay;
}

export class PushMeter implements LitMachine {
	/** Time of the next telegram. The first one follows after a full pause. */
	deadlineMs: number;
	readonly #options: PushMeterOptions;
	readonly #outputs: Output[];

	constructor(options: PushMeterOptions, nowMs = 0) {
		this.#options = options;
		this.#outputs = [lineChange(options.baud, options.format ?? FORMAT_8N1)];
		this.deadlineMs = nowMs + options.pushMs;
	}

	receive(): void {}

	light(fromMs: number, toMs: number): void {
		this.#options.display?.light(fromMs, toMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const { source, pushMs } = this.#options;
		this.deadlineMs = nowMs + pushMs;
		this.#outputs.push(eventOf(METER_PUSH), transmission(source(nowMs)));
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}
}

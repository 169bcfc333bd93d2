/** A meter of IEC 62056-21 with time driven by hand: text goes in, and a log records the output with its times. */
import type { Output } from "../../modules/io/machine.js";
import { IECMeter, type IECMeterOptions } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { bytesOf, textOf } from "../latin1.js";
import { DrivenMachine } from "./driven-machine.js";

export class DrivenMeter extends DrivenMachine<IECMeter> {
	constructor(telegram: string, options: Partial<IECMeterOptions> = {}) {
		super(new IECMeter({ source: () => splitTelegram(bytesOf(telegram)), ...options }));
		this.poll();
		this.take();
	}

	/** Delivers the reader's text to the meter now. */
	send(text: string): this {
		return this.deliver(bytesOf(text));
	}

	protected override lineText({ baud }: Output): string {
		return String(baud);
	}

	protected override sentText({ bytes, start, end }: Output): string {
		return textOf(bytes, start, end);
	}
}

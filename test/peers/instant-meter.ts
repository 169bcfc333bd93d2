/**
 * A serial port with a simulated meter in this process. Characters take no time, and the port does the framing of 7E1.
 */
import { ByteQueue } from "../../hosts/node/byte-queue.js";
import type { Serial, SerialOptions, SerialPort } from "../../modules/io/host.js";
import { OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import type { Telegram } from "../../tools/meter/telegram.js";

const REACTION_MS = 5;
const WRITABLE = 1024;

/** A gateway's serial port; while `isSilent`, the meter receives nothing. */
export function instantMeter(source: () => Telegram, isSilent: () => boolean): SerialPort {
	const meter = new IECMeter({ source, clocked: false, reactionMs: REACTION_MS });
	return { io: InstantSerial, pins: { meter, isSilent }, hardwareParity: true };
}

class InstantSerial implements Serial {
	readonly #options: SerialOptions;
	readonly #meter: IECMeter;
	readonly #isSilent: () => boolean;
	readonly #received = new ByteQueue();
	#timer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(options: SerialOptions, pins: object) {
		this.#options = options;
		const { meter, isSilent } = pins as { meter: IECMeter; isSilent: () => boolean };
		this.#meter = meter;
		this.#isSilent = isSilent;
		setImmediate(() => this.#isClosed || options.onWritable?.(WRITABLE));
		this.#pump();
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#received.read(into, start, end);
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		const sent = bytes.slice(start, end);
		setImmediate(() => {
			if (this.#isClosed) return;
			if (!this.#isSilent()) this.#meter.receive(sent, 0, sent.length, performance.now());
			this.#options.onWritable?.(WRITABLE);
			if (!this.#isClosed) this.#options.onDrained?.();
			this.#pump();
		});
		return WRITABLE - sent.length;
	}

	configure(): void {}

	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
	}

	/** Sends the meter's bytes and schedules its next moment. */
	#pump(): void {
		for (let output = this.#meter.poll(); output.kind !== OUTPUT_NONE; output = this.#meter.poll()) {
			if (output.kind === OUTPUT_TRANSMIT) this.#received.push(output.bytes.slice(output.start, output.end));
		}
		if (this.#received.length > 0) {
			const count = this.#received.length;
			setImmediate(() => this.#isClosed || this.#options.onReadable?.(count));
		}
		const { deadlineMs } = this.#meter;
		if (this.#isClosed || deadlineMs === Number.POSITIVE_INFINITY) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(
			() => {
				this.#meter.advance(performance.now());
				this.#pump();
			},
			Math.max(1, Math.ceil(deadlineMs - performance.now())),
		);
	}
}

/** The built-in simulator as a row of the table of meter protocols: a readout is there as soon as it is asked for. */
import { asciiBytes } from "../bytes/ascii.js";
import { MODE_C } from "../iec62056-21/ident.js";
import { PROTOCOL_IEC62056_21 } from "../iec62056-21/protocol.js";
import { type Output, OutputQueue } from "../io/machine.js";
import type { Conversation, MeterProtocol, Opening } from "../readout/protocol.js";
import { type Readout, STATUS_OK } from "../readout/readout.js";
import type { MeterSettings } from "./settings.js";
import { MeterSimulator, SIMULATOR_BAUD, SIMULATOR_IDENT } from "./simulator.js";

/** It says nothing and hears nothing, since there is no line. */
class SimulatedConversation implements Conversation {
	readonly #opening: Opening<MeterSettings>;

	constructor(opening: Opening<MeterSettings>) {
		this.#opening = opening;
	}

	get line(): undefined {
		return undefined;
	}

	get anyFraming(): boolean {
		return false;
	}

	get failure(): undefined {
		return undefined;
	}

	get meterId(): Uint8Array {
		return asciiBytes(SIMULATOR_IDENT);
	}

	get received(): number {
		return 0;
	}

	get damaged(): number {
		return 0;
	}

	get deadlineMs(): number {
		return Number.POSITIVE_INFINITY;
	}

	readout(_event: number, utcMs: number): Readout {
		const { records: writer, nowMs } = this.#opening;
		// Without a clock it goes by the time since the start.
		new MeterSimulator().run(writer, utcMs === 0 ? nowMs : utcMs);
		const records = writer.kept ?? new Uint8Array(0);
		const { meterId } = this;
		const status = STATUS_OK;
		return { protocol: PROTOCOL_IEC62056_21, meterId, mode: MODE_C, baud: SIMULATOR_BAUD, utcMs, status, records };
	}

	receive(): void {}

	advance(): void {}

	poll(): Output {
		return new OutputQueue().poll();
	}

	abort(): void {}

	next(): undefined {}
}

export const SIMULATED: MeterProtocol<MeterSettings> = Object.freeze({
	isChosen: (settings: MeterSettings) => settings.simulator,
	listenBaud: () => 0,
	isSimulated: true,
	late: undefined,
	open: (opening: Opening<MeterSettings>) => new SimulatedConversation(opening),
	probe: (opening: Opening<MeterSettings>) => new SimulatedConversation(opening),
	forget: () => {},
});

/**
 * Stand-in of a meter protocol that this firmware was built without (tools/sdk/omissions.ts). A stored setting of the
 * protocol is kept, but each attempt to read the meter fails immediately.
 */
import { FORMAT_8N1, type LineSettings } from "../io/host.js";
import { NO_BYTES, type Output, OutputQueue } from "../io/machine.js";
import { finalFailure, METER_ERROR } from "./failure.js";
import { EVENT_END, type Probing, type ReadSession } from "./protocol.js";

export const PROTOCOL_ABSENT = finalFailure(
	METER_ERROR,
	"protocol/absent",
	0,
	"This firmware was built without the configured protocol. Choose another one, or install a firmware that has it.",
);

const LINE: LineSettings = Object.freeze({ baud: 9600, format: FORMAT_8N1 });

export class AbsentSession implements ReadSession, Probing {
	readonly line = LINE;
	readonly failure = PROTOCOL_ABSENT;
	readonly meterId = NO_BYTES;
	readonly received = 0;
	readonly deadlineMs = Number.POSITIVE_INFINITY;
	readonly #outputs = new OutputQueue();

	constructor() {
		this.#outputs.event(EVENT_END);
	}

	receive(): void {}

	advance(): void {}

	abort(): void {}

	readout(): undefined {
		return undefined;
	}

	poll(): Output {
		return this.#outputs.poll();
	}
}

function open(): AbsentSession {
	return new AbsentSession();
}

export const ABSENT = Object.freeze({ open, probe: open });

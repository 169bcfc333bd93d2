/** Entry for SML in the table of meter protocols. One SMLListener runs, and each complete telegram is a readout. */

import { FORMAT_8N1, type LineSettings } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import {
	EVENT_READOUT,
	type MeterProtocol,
	type Probing,
	type ReadSession,
	type SessionContext,
} from "../readout/protocol.js";
import { type Readout, STATUS_CHECK_WRONG, statusOf } from "../readout/readout.js";
import { PROTOCOL_SML, SML_BROKEN, SML_NO_TELEGRAM } from "./failures.js";
import { SMLListener } from "./listener.js";

const PROTOCOL = "SML";
/** Speed of all meters with an optical port (BSI TR-03109-1; FNN specification of the base meter). */
export const SML_BAUD = 9600;

const LINE: LineSettings = Object.freeze({ baud: SML_BAUD, format: FORMAT_8N1 });

class SMLReadSession extends SMLListener implements ReadSession, Probing {
	readonly line = LINE;

	readout(event: number, utcMs: number): Readout | undefined {
		if (this.failure === SML_BROKEN) return undefined;
		const { meterId } = this;
		const status = event === EVENT_READOUT ? statusOf(this.isCut) : STATUS_CHECK_WRONG;
		const { kept: records = NO_BYTES } = this.records;
		return { protocol: PROTOCOL, meterId, mode: 0, baud: SML_BAUD, utcMs, status, records };
	}
}

function listen({ records }: SessionContext<unknown>): SMLReadSession {
	return new SMLReadSession(records);
}

export const SML: MeterProtocol<unknown> = Object.freeze({
	name: PROTOCOL_SML,
	listenBaud: () => SML_BAUD,
	late: SML_NO_TELEGRAM,
	open: listen,
	probe: listen,
});

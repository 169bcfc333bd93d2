/** Entry for TIC in the table of meter protocols. One TICListener runs until it is aborted. */

import type { LineSettings } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import type { MeterProtocol, Probing, ReadSession, SessionContext } from "../readout/protocol.js";
import { type Readout, statusOf } from "../readout/readout.js";
import { PROTOCOL_TIC, TIC_NO_FRAME } from "./failures.js";
import { TIC_LINE, TICListener } from "./listener.js";

const PROTOCOL = "TIC";

/** Session in which each frame is a readout. It determines the speed itself. */
class TICReadSession extends TICListener implements ReadSession, Probing {
	get line(): LineSettings {
		return TIC_LINE;
	}

	readout(_event: number, utcMs: number): Readout {
		const { meterId, baud, isCut } = this;
		const { kept: records = NO_BYTES } = this.records;
		return { protocol: PROTOCOL, meterId, mode: 0, baud, utcMs, status: statusOf(isCut), records };
	}
}

function listen({ records }: SessionContext<unknown>): TICReadSession {
	return new TICReadSession(records);
}

export const TIC: MeterProtocol<unknown> = Object.freeze({
	name: PROTOCOL_TIC,
	listenBaud: () => TIC_LINE.baud,
	late: TIC_NO_FRAME,
	open: listen,
	probe: listen,
});

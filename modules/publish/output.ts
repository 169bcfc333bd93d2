/** What readings leave by: the hub, MQTT. Types, for gateway.ts. */
import type { Readout } from "../readout/readout.js";

export interface Output {
	/**
	 * A meter has given this readout just now, and it passed its checks (decision 20): none that is simulated, unchecked or
	 * old comes here. Returns soon; sends nothing inside the call.
	 */
	measured(readout: Readout): void;
	/** Something waits to be sent or is on its way, and may soon be there: a device on battery sleeps later. */
	readonly busy: boolean;
	stop(): void;
}

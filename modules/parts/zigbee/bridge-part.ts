/** Zigbee part with its bridge, which is bundled only for boards with a coprocessor. */
import type { Core } from "../../core/core.js";
import type { Extra } from "../../part/part.js";
import { NETWORK } from "../network/part.js";
import { UPDATE } from "../update/part.js";
import { verifyMapping, ZIGBEE } from "./part.js";
import { Zigbee } from "./zigbee.js";

/** This is a function, because the bundler would not remove an unused table. */
export function zigbeeBridge(): Extra {
	return { part: ZIGBEE, open };
}

function open(core: Core): Zigbee | undefined {
	const port = core.host.serial.zigbee;
	verifyMapping(core);
	if (port === undefined) return undefined;
	return new Zigbee(core, { networking: core.find(NETWORK), port, updater: core.find(UPDATE)?.updater });
}

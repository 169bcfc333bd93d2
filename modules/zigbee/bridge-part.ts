/** The bridge, for boards with a coprocessor: others have none of its code in their flash. */
import type { Core } from "../core/core.js";
import { UPDATE } from "../ota/part.js";
import type { Extra } from "../part.js";
import { NETWORK } from "../wifi/part.js";
import { Zigbee } from "./owner.js";
import { verifyMapping, ZIGBEE } from "./part.js";

/** A function, which the bundler leaves out where no host calls it, unlike a table. */
export function zigbeeBridge(): Extra {
	return { part: ZIGBEE, open };
}

/** Undefined where the host has no coprocessor all the same. */
function open(core: Core): Zigbee | undefined {
	const { config, driver, events, host, isRoutine, light, live, safeMode, storage } = core;
	const port = host.serial.zigbee;
	verifyMapping(core);
	if (port === undefined) return undefined;
	return new Zigbee({
		clockChanged: () => core.clockChanged(),
		config,
		driver,
		events,
		host,
		isRoutine,
		isSafeMode: safeMode !== "",
		light,
		live,
		networking: core.find(NETWORK),
		port,
		storage,
		updater: core.find(UPDATE)?.updater,
	});
}

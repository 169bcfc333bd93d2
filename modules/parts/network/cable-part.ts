/** The network part with Ethernet, which is bundled only for boards with Ethernet. */
import type { Core } from "../../core/core.js";
import { CablePolicy } from "../../network/cable.js";
import type { Extra } from "../../part/part.js";
import { Networking } from "./networking.js";
import { NETWORK } from "./part.js";

/** This is a function, because the bundler would not remove an unused table. */
export function networkWithCable(): Extra {
	return { part: NETWORK, open: (core: Core) => new Networking(core, CablePolicy) };
}

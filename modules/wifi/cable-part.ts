/** Network part for boards with Ethernet. Other boards do not include its policy in their flash. */
import type { Core } from "../core/core.js";
import type { Extra } from "../part.js";
import { CablePolicy } from "./cable.js";
import { Networking } from "./networking.js";
import { NETWORK } from "./part.js";

/** A function, because the bundler removes an uncalled function but not an unused table. */
export function networkWithCable(): Extra {
	return { part: NETWORK, open: (core: Core) => new Networking(core, CablePolicy) };
}

/** The network of boards with Ethernet: others have none of its policy in their flash. */
import type { Core } from "../core/core.js";
import type { Extra } from "../part.js";
import { CablePolicy } from "./cable.js";
import { Networking } from "./networking.js";
import { NETWORK } from "./part.js";

/** A function, which the bundler leaves out where no host calls it, unlike a table. */
export function networkWithCable(): Extra {
	return { part: NETWORK, open: (core: Core) => new Networking(core, CablePolicy) };
}

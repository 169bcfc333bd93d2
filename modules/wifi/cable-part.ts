/** The network of boards with Ethernet: others have none of its policy in their flash. */
import type { Core } from "../core/core.js";
import type { Extra } from "../part.js";
import { CablePolicy } from "./cable.js";
import { Networking } from "./networking.js";
import { NETWORK } from "./part.js";

export const NETWORK_WITH_CABLE: Extra = Object.freeze({
	part: NETWORK,
	open: (core: Core) => new Networking(core, CablePolicy),
});

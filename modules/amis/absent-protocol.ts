/** Replaces protocol.ts in a firmware without AMIS. */

import { ABSENT, type Chosen } from "../readout/absent.js";
import { PROTOCOL_AMIS } from "../readout/protocol-names.js";

export const AMIS = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_AMIS });

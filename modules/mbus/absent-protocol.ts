/** Replaces protocol.ts in a firmware without M-Bus as master. */

import { ABSENT, type Chosen } from "../readout/absent.js";
import { PROTOCOL_MBUS } from "../readout/protocol-names.js";

export const MBUS = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_MBUS });

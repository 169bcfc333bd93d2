/** Replaces protocol.ts in a firmware without KMP. */

import { ABSENT, type Chosen } from "../readout/absent.js";
import { PROTOCOL_KMP } from "../readout/protocol-names.js";

export const KMP = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_KMP });

/** Replaces protocol.ts in a firmware without TIC. */

import { ABSENT, type Chosen } from "../readout/absent.js";
import { PROTOCOL_TIC } from "../readout/protocol-names.js";

export const TIC = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_TIC });

/** Replaces protocol.ts in a firmware without SML. */

import { ABSENT, type Chosen } from "../readout/absent.js";
import { PROTOCOL_SML } from "../readout/protocol-names.js";

export const SML_BAUD = 9600;
export const SML = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_SML });

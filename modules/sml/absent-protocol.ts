/** Replaces protocol.ts in a firmware without SML. */

import { ABSENT } from "../readout/absent.js";
import { PROTOCOL_SML } from "./failures.js";

export const SML_BAUD = 9600;
export const SML = Object.freeze({ ...ABSENT, name: PROTOCOL_SML });

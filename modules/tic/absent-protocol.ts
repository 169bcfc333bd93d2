/** Replaces protocol.ts in a firmware without TIC. */

import { ABSENT } from "../readout/absent.js";
import { PROTOCOL_TIC } from "./failures.js";

export const TIC = Object.freeze({ ...ABSENT, name: PROTOCOL_TIC });

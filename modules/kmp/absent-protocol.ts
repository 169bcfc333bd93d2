/** Replaces protocol.ts in a firmware without KMP. */

import { ABSENT } from "../readout/absent.js";
import { PROTOCOL_KMP } from "./failures.js";

export const KMP = Object.freeze({ ...ABSENT, name: PROTOCOL_KMP });

/** Replaces protocol.ts in a firmware without M-Bus as master. */

import { ABSENT } from "../readout/absent.js";
import { PROTOCOL_MBUS } from "./failures.js";

export const MBUS = Object.freeze({ ...ABSENT, name: PROTOCOL_MBUS });

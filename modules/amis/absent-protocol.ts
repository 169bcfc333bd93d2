/** Replaces protocol.ts in a firmware without AMIS. */

import { ABSENT } from "../readout/absent.js";
import { PROTOCOL_AMIS } from "./failures.js";

export const AMIS = Object.freeze({ ...ABSENT, name: PROTOCOL_AMIS });

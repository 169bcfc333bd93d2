/** In the place of push.ts in a firmware without DLMS/COSEM; protocol.ts has the row that is chosen. */
import { ABSENT } from "../readout/absent.js";

export const DLMS_PUSH = Object.freeze({ ...ABSENT, isChosen: () => false });

/** Replaces push.ts in a firmware without DLMS/COSEM. The row of absent-protocol.ts is chosen instead. */
import { ABSENT } from "../readout/absent.js";

export const DLMS_PUSH = Object.freeze({ ...ABSENT, isChosen: () => false });

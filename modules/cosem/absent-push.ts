/** Replaces push.ts in a firmware without DLMS/COSEM. This row is never chosen; that of absent-protocol.ts is. */
import { ABSENT } from "../readout/absent.js";

export const DLMS_PUSH = Object.freeze({ ...ABSENT, isChosen: () => false });

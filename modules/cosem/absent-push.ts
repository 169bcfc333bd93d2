/**
 * Replaces push.ts in a firmware without DLMS/COSEM. This row of the table of protocols is never chosen, because the
 * row of absent-protocol.ts is chosen in its place.
 */
import { ABSENT } from "../readout/absent.js";

export const DLMS_PUSH = Object.freeze({ ...ABSENT, isChosen: () => false });

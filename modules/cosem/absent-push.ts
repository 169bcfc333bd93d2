/**
 * Replaces push.ts in firmware without DLMS/COSEM. The table of protocols then uses the entry in absent-protocol.ts.
 */
import { ABSENT } from "../readout/absent.js";

export const DLMS_PUSH = Object.freeze({ ...ABSENT, isChosen: () => false });

/** Replaces protocol.ts in a firmware without KMP. */
import { ABSENT, type Chosen } from "../readout/absent.js";

export const PROTOCOL_KMP = "kmp";
export const KMP = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_KMP });

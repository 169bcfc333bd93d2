/** Replaces protocol.ts in a firmware without TIC. */
import { ABSENT, type Chosen } from "../readout/absent.js";

export const PROTOCOL_TIC = "tic";
export const TIC = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_TIC });

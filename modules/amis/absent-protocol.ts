/** Replaces protocol.ts in a firmware without AMIS. */
import { ABSENT, type Chosen } from "../readout/absent.js";

export const PROTOCOL_AMIS = "amis";
export const AMIS = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_AMIS });

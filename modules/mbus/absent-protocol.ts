/** Replaces protocol.ts in a firmware without M-Bus as master. */
import { ABSENT, type Chosen } from "../readout/absent.js";

export const PROTOCOL_MBUS = "mbus";
export const MBUS = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_MBUS });

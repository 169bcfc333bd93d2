/** In the place of protocol.ts in a firmware without M-Bus. Pushes in M-Bus frames are a matter of DLMS/COSEM. */
import { ABSENT, type Chosen } from "../readout/absent.js";

export const PROTOCOL_MBUS = "mbus";
export const MBUS = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === PROTOCOL_MBUS });
export const probeMBus = ABSENT.probe;

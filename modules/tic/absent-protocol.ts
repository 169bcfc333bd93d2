/** In the place of protocol.ts in a firmware without TIC. */
import { absentProtocol } from "../readout/absent.js";

export const PROTOCOL_TIC = "tic";
export const TIC = absentProtocol(PROTOCOL_TIC);

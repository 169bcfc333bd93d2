/** In the place of protocol.ts in a firmware without SML. */
import { absentProtocol } from "../readout/absent.js";

export const PROTOCOL_SML = "sml";
export const SML_BAUD = 9600;
export const SML = absentProtocol(PROTOCOL_SML);

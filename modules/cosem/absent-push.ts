/** In the place of push.ts in a firmware without DLMS/COSEM. */
import { absentProtocol } from "../readout/absent.js";

export const DLMS_PUSH = absentProtocol("dlms");

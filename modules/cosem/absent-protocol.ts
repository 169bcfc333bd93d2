/** Replaces protocol.ts in a firmware without DLMS/COSEM. A meter that supports mode E is then read in mode C. */
import { IECReadSession } from "../iec62056-21/protocol.js";
import { ABSENT, AbsentSession, type Chosen } from "../readout/absent.js";

export const SignOnSession = IECReadSession;
export const ConnectionProbe = AbsentSession;

export const DLMS = Object.freeze({ ...ABSENT, isChosen: ({ protocol }: Chosen) => protocol === "dlms" });
export const DLMS_AFTER_SIGN_ON = Object.freeze({ ...ABSENT, isChosen: () => false });

/** Log events of the provisioning by signed files. */
import { kind } from "../diagnostics/events.js";

/** A file was applied. Details: its counter, and the way on which it came. */
export const EVENT_PROVISION_APPLIED = kind(40, "provision_applied", { isPlain: true, needsLogin: true });
/** A file was refused. Details: the code, and the way. */
export const EVENT_PROVISION_REFUSED = kind(41, "provision_refused", { isPlain: true });

export const PROVISION_EVENTS = Object.freeze([EVENT_PROVISION_APPLIED, EVENT_PROVISION_REFUSED]);

/** Log events of the provisioning by signed files. */
import { kind } from "../diagnostics/events.js";

/** A file was applied. Details: its counter, and how it was delivered. */
export const EVENT_PROVISION_APPLIED = kind(40, "provision_applied", { isPlain: true, needsLogin: true });
/** A file was refused. Details: the code, and how the file was delivered. */
export const EVENT_PROVISION_REFUSED = kind(41, "provision_refused", { isPlain: true });

export const PROVISION_EVENTS = Object.freeze([EVENT_PROVISION_APPLIED, EVENT_PROVISION_REFUSED]);

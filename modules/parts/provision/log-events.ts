/** Log events of the provisioning by signed files. */
import { kind } from "../../diagnostics/events.js";

/** A file was applied. The event's details are its counter and the way of delivery. */
export const EVENT_PROVISION_APPLIED = kind(40, "provision_applied", { isPlain: true, needsLogin: true });
/** A file was refused. The event's details are the code and the way of delivery. */
export const EVENT_PROVISION_REFUSED = kind(41, "provision_refused", { isPlain: true });

export const PROVISION_EVENTS = Object.freeze([EVENT_PROVISION_APPLIED, EVENT_PROVISION_REFUSED]);

/** All settings that outlive a restart. */
import { ACCESS } from "./access-fields.js";
import { CONTROL, IEC_SPEED, IEC62056, METER } from "./meter-fields.js";
import type { Entry } from "./schema.js";

/** Each at the position that its fields name (schema.ts). */
export const ENTRIES: readonly Entry[] = Object.freeze([METER, IEC62056, CONTROL, ACCESS, IEC_SPEED]);

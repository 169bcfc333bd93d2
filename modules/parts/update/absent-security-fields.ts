/** Replaces security-fields.ts in a firmware without automatic security updates. */
import type { SettingField } from "../../config/schema.js";

export const SECURITY_FIELDS: readonly SettingField[] = Object.freeze([]);
export const FOUND_SECURITY_FIELDS = SECURITY_FIELDS;

/** Replaces security-fields.ts in a firmware that installs nothing by itself. */
import type { SettingField } from "../config/schema.js";

export const SECURITY_FIELDS: readonly SettingField[] = Object.freeze([]);
export const FOUND_SECURITY_FIELDS = SECURITY_FIELDS;

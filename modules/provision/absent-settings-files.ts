/** Replaces settings-files.ts in a firmware that is built without the part. */
export const SETTINGS_FILES: boolean = false;

/** Replaces settings-files.ts in a firmware that is built without the provisioning by signed files. */
export const SETTINGS_FILES: boolean = false;

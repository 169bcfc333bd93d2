/** True unless the firmware is built without the part; the build then drops the code that depends on this constant. */
export const SETTINGS_FILES: boolean = true;

/** True unless the firmware is built without the part. Code behind it is dropped then. */
export const SETTINGS_FILES: boolean = true;

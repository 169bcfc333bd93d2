/** Rights of the holder of a token. */

export const SCOPE_NONE = 0;
/** Permission to read readings, meter data and the state of the device, but no settings, and to change nothing. */
export const SCOPE_READ = 1;
/** Permission for everything. This is the scope of sessions, and the default scope of tokens. */
export const SCOPE_FULL = 2;

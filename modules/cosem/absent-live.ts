/** Replaces live.ts in a firmware without live mode. */
export const openLive = undefined;

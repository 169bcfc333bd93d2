/** `send` is allowed. */
export const EVENT_CONNECTED = 1;
/** Response `apdu[0..apduLength)`, valid until the next `send`, which is allowed. */
export const EVENT_APDU = 2;
/** Last event: see `failure`. */
export const EVENT_END = 3;

/** The connection is established; `send` is allowed. */
export const EVENT_CONNECTED = 1;
/** The response `apdu[0..apduLength)` is valid until the next `send`, which is allowed now. */
export const EVENT_APDU = 2;
/** Last event: see `failure`. */
export const EVENT_END = 3;

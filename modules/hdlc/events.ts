/** The connection is established. `send` may be called now. */
export const EVENT_CONNECTED = 1;
/**
 * The response has arrived. It is the first `apduLength` bytes of `apdu`, and valid until the next `send`, which may be
 * called now.
 */
export const EVENT_APDU = 2;
/** The connection has ended; `failure` says why. This is the last event. */
export const EVENT_END = 3;

/** Events of an HDLC connection (connection.ts) for its caller. */

/** Connected: `send` may be called. */
export const EVENT_CONNECTED = 1;
/** A response is complete: `apdu[0..apduLength)` is valid until the next `send`, which may be called. */
export const EVENT_APDU = 2;
/** The connection has ended: see `failure`. Last event. */
export const EVENT_END = 3;

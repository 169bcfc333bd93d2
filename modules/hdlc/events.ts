/** What a connection tells its owner: the events of connection.ts. */

/** The meter has agreed: `send` may be called. */
export const EVENT_CONNECTED = 1;
/** An answer is whole: `apdu[0..apduLength)`, until the next `send`, which may be called. */
export const EVENT_APDU = 2;
/** It is over: see `failure`. The last event. */
export const EVENT_END = 3;

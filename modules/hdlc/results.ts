/** What a connection tells its owner: the events of connection.ts, and how it ended. */

/** Events. */
/** The meter has agreed: `send` may be called. */
export const EVENT_CONNECTED = 1;
/** An answer is whole: `apdu[0..apduLength)`, until the next `send`, which may be called. */
export const EVENT_APDU = 2;
/** It is over: see `result`. The last event. */
export const EVENT_END = 3;

/** Results. Those of failures grow with how far it came. */
export const RESULT_NONE = 0;
/** Disconnected as the owner wished. */
export const RESULT_DONE = 1;
/** The settings name an address that HDLC does not have; nothing was sent. */
export const RESULT_NO_ADDRESS = 2;
/** Not a single byte came in answer to SNRM. */
export const RESULT_SILENCE = 3;
/** Only the head's echo of what was sent. */
export const RESULT_ECHO_ONLY = 4;
/** Bytes in answer to SNRM, but no frame among them. */
export const RESULT_GARBAGE = 5;
/** Frames in answer to SNRM, but none between these two addresses. */
export const RESULT_OTHER_ADDRESS = 6;
/** The meter is there, but answers SNRM with DM, or not at all. */
export const RESULT_REFUSED = 7;
/** The meter rejected a frame with FRMR. */
export const RESULT_FRAME_REJECTED = 8;
/** Connected, and then DM: the meter has ended it. */
export const RESULT_DISCONNECTED = 9;
/** Connected, and then no answer. */
export const RESULT_LOST = 10;
/** Connected, and then nothing but damaged frames. */
export const RESULT_DAMAGED = 11;
/** The meter kept on telling that it is not ready, or has no answer yet. */
export const RESULT_BUSY = 12;
/** The answer has no LLC header. */
export const RESULT_BAD_ANSWER = 13;
/** The answer is longer than the owner's buffer. */
export const RESULT_TOO_LONG = 14;

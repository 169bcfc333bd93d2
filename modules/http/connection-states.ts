/**
 * States and sizes of a connection of the HTTP server (connection.ts).
 *
 * The two halves run side by side, for a handler may answer before the body is complete: `#input` says what arriving
 * bytes are for, `#reply` how far the answer is. What they are together, and what ends it:
 *
 *     #input    #reply NONE               AWAITED                          GIVEN
 *     HEAD      waits for a request       -                                -
 *               head: BODY or DONE,
 *               AWAITED; refused: LINGER
 *     BODY      -                         body goes to the sink, or away   rest of a short body goes away
 *                                         end: DONE; long, bad or late:    end: DONE; long: LINGER
 *                                         LINGER; to a slow sink: HELD
 *     HELD      -                         the next turn: BODY              as BODY
 *     DONE      -                         the handler thinks               the reply leaves; then HEAD, NONE or CLOSED
 *                                         `reply`: GIVEN
 *     LINGER    -                         the handler thinks               the reply leaves, what comes goes away;
 *                                         `reply`: GIVEN                   LINGER_LIMIT, deadline: CLOSED
 *     CLOSED    nothing happens any more, whatever #reply was; an error of the socket leads here from everywhere
 *
 * `-` can't be: a request exists from the end of its head to the end of its reply. What comes at the wrong time does
 * nothing: a second reply, a reply after the end, a callback of the socket without anything to read or to send.
 */

/** Receive buffer: the largest head, and a piece of the body. */
export const IN_SIZE = 2048;
/** Send buffer: the largest head of a reply, and a piece of its body. */
export const OUT_SIZE = 1024;
/** Unwanted body that is read and thrown away so that the connection can be used again. */
export const DISCARD_LIMIT = 4096;
/** What is read and thrown away before a connection is closed. */
export const LINGER_LIMIT = 65536;

/** Bytes that arrive are a head … */
export const INPUT_HEAD = 0;
/** … a body: for the sink, or nobody's and short enough to be thrown away … */
export const INPUT_BODY = 1;
/** … left in the socket until the reply has been sent … */
export const INPUT_DONE = 2;
/** … thrown away, because the connection ends with this reply … */
export const INPUT_LINGER = 3;
/** … none of ours: the socket is closed. */
export const INPUT_CLOSED = 4;
/** … a body for a slow sink, which has had its piece of this turn. */
export const INPUT_HELD = 5;

/** There is no request. */
export const REPLY_NONE = 0;
/** The handler has not answered yet. */
export const REPLY_AWAITED = 1;
/** The reply is in `#out`, or has left. */
export const REPLY_GIVEN = 2;

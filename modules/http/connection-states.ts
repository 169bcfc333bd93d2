/**
 * States and buffer sizes of an HTTP server connection (connection.ts).
 *
 * Receiving and sending run in parallel, because a handler may reply before the body is complete. `#input` is the state
 * of the received bytes, `#reply` that of the reply. Possible combinations and transitions:
 *
 *     #input    #reply NONE               AWAITED                          GIVEN
 *     HEAD      waits for a request       -                                -
 *               head: BODY or DONE,
 *               AWAITED; refused: LINGER
 *     BODY      -                         body: to the sink or discarded   rest of a short body is discarded
 *                                         end: DONE; too long, malformed   end: DONE; too long: LINGER
 *                                         or late: LINGER; slow sink: HELD
 *     HELD      -                         next tick: BODY                  as BODY
 *     DONE      -                         handler is working               reply is sent; then HEAD, NONE or CLOSED
 *                                         `reply`: GIVEN
 *     LINGER    -                         handler is working               reply is sent, input is discarded;
 *                                         `reply`: GIVEN                   LINGER_LIMIT, deadline: CLOSED
 *     CLOSED    final in any #reply state; a socket error leads here from every state
 *
 * `-` is impossible: a request exists from the end of its head to the end of its reply. Calls at the wrong time have no
 * effect: a second reply, a reply after the end, a socket callback with nothing to read or to send.
 */

/** Bytes of the receive buffer: the largest head, and one piece of the body. */
export const IN_SIZE = 2048;
/** Bytes of the send buffer: the largest head of a reply, and one piece of its body. */
export const OUT_SIZE = 1024;
/** Maximum bytes of an unwanted body that are discarded to reuse the connection. */
export const DISCARD_LIMIT = 4096;
/** Maximum bytes discarded before a connection is closed. */
export const LINGER_LIMIT = 65536;

/** Received bytes are a head. */
export const INPUT_HEAD = 0;
/** Received bytes are a body, for the sink or short enough to be discarded. */
export const INPUT_BODY = 1;
/** Received bytes stay in the socket until the reply has been sent. */
export const INPUT_DONE = 2;
/** Received bytes are discarded, because the connection ends with this reply. */
export const INPUT_LINGER = 3;
/** The socket is closed. */
export const INPUT_CLOSED = 4;
/** Received bytes are a body for a slow sink, which has had its piece of this event-loop tick. */
export const INPUT_HELD = 5;

export const REPLY_NONE = 0;
/** The handler has not replied yet. */
export const REPLY_AWAITED = 1;
/** The reply is in `#out` or has been sent. */
export const REPLY_GIVEN = 2;

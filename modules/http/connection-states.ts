/**
 * States and buffer sizes of a server connection.
 *
 * A connection has two states, `#input` and `#reply`, because a handler may reply before the body is complete.
 *
 *     #input    #reply NONE               AWAITED                          GIVEN
 *     HEAD      waits for a request       -                                -
 *               head: BODY or DONE,
 *               AWAITED; refused: LINGER
 *     BODY      -                         body: to the sink or discarded   the rest of a short body is discarded
 *                                         end: DONE; too long, malformed   end: DONE; too long: LINGER
 *                                         or late: LINGER; slow sink: HELD
 *     HELD      -                         next tick: BODY                  as BODY
 *     DONE      -                         handler is working               reply is sent; then HEAD, NONE or CLOSED
 *                                         `reply`: GIVEN; 101: OPEN
 *     LINGER    -                         handler is working               reply is sent, input is discarded;
 *                                         `reply`: GIVEN                   LINGER_LIMIT, deadline: CLOSED
 *     OPEN      -                         -                                bytes go to the live body; its end: CLOSED
 *     CLOSED    final in any #reply state; a socket error leads here from every state
 *
 * A combination with `-` is impossible, because a request lasts from the end of its head to the end of its reply. Calls
 * at the wrong time have no effect.
 */

/** Size of the buffer for the head of a request or a piece of its body, bytes. */
export const IN_SIZE = 2048;
/** Size of the buffer for the head of a reply or a piece of its body, bytes. */
export const OUT_SIZE = 1024;
/** Length up to which an unwanted body is discarded so that the connection can be used again, bytes. */
export const DISCARD_LIMIT = 4096;
/** Maximum number of bytes that are discarded before the connection is closed. */
export const LINGER_LIMIT = 65536;

export const INPUT_HEAD = 0;
/** The body arrives. It goes to the sink, or it is so short that it is discarded. */
export const INPUT_BODY = 1;
/** The body has ended. Further bytes stay in the socket until the reply is sent. */
export const INPUT_DONE = 2;
/** Input is discarded until the connection is closed. */
export const INPUT_LINGER = 3;
export const INPUT_CLOSED = 4;
/** A slow sink has received a piece in this pass of the event loop. It gets the next piece in the next pass. */
export const INPUT_HELD = 5;
/** The status of the reply was 101, after which the client uses another protocol. */
export const INPUT_OPEN = 6;

export const REPLY_NONE = 0;
export const REPLY_AWAITED = 1;
export const REPLY_GIVEN = 2;

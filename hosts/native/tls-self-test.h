/*
 * One TLS handshake of an identity with itself, before it is relied upon: a certificate and a key may fit each other
 * and still be of no use to any client (key usage, RFC 5280, 4.2.1.3; a curve that the port does not have). The server's
 * side has the settings of the port itself, the client's side all that Mbed TLS can do in TLS 1.2 (RFC 5246), and trusts
 * any certificate. No socket: the bytes go through two buffers in memory.
 *
 * Runs to its end in the calling thread, in which the identity may be in use by others of the same thread only (on the
 * stream server's: its other connections wait); takes as long as the sums of two handshakes, and as much stack as one.
 * Heap, until it returns: both sides' record buffers, and some 22 KB for all else (measured with Mbed TLS 2.28 on a
 * 64-bit PC: 87 KB, 64 of them the buffers; with 16 KB in and 4 KB out on each side that is 62 KB).
 */
#ifndef TLS_SELF_TEST_H
#define TLS_SELF_TEST_H

#include "tls-identity.h"

/* `message`, of `size` bytes: "" when it went well, else why not, in a sentence for the user. */
void tls_self_test(tls_identity *identity, char *message, size_t size);

#endif

/*
 * One TLS handshake of an identity with itself, before it is used: a certificate and key may match and still be useless
 * to every client (key usage, RFC 5280, 4.2.1.3; a curve that the port does not have). The server has the settings of
 * the port; the client has everything that Mbed TLS supports in TLS 1.2 (RFC 5246) and trusts any certificate. There is
 * no socket: bytes go through two buffers in memory.
 *
 * Runs completely in the calling thread, which must be the only one to use the identity (in the stream server's thread
 * its connections wait); takes the computation of two handshakes and the stack of one. Heap, until it returns: both
 * sides' record buffers and about 22 KB for the rest (measured with Mbed TLS 2.28 on a 64-bit PC: 87 KB, 64 of them the
 * buffers; with 16 KB in and 4 KB out on each side that is 62 KB).
 */
#ifndef TLS_SELF_TEST_H
#define TLS_SELF_TEST_H

#include "tls-identity.h"

/* `message`, of `size` bytes: "" on success, else a message for the user. */
void tls_self_test(tls_identity *identity, char *message, size_t size);

#endif

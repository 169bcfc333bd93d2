/*
 * Makes one TLS handshake of an identity with itself before the identity is used. A certificate can match its key and
 * still be unusable for every client, because of its key usage (RFC 5280, 4.2.1.3) or because the port does not support
 * its curve. The client side of the test supports everything that Mbed TLS supports in TLS 1.2 (RFC 5246), and trusts
 * any certificate.
 *
 * The test runs completely in the calling thread, which must be the only thread that uses the identity. (The stream
 * server's connections wait until the test has returned.) The test takes heap for the record buffers of both sides and
 * about 22 KB more.
 */
#ifndef TLS_SELF_TEST_H
#define TLS_SELF_TEST_H

#include "tls-identity.h"

/* Tests the identity. `message`, which has `size` bytes, is set to "" on success, otherwise to a text for the user. */
void tls_self_test(tls_identity *identity, char *message, size_t size);

#endif

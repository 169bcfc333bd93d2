/*
 * Identity of a TLS port, for the stream server: certificate chain, key, and the settings of Mbed TLS. It is
 * reference-counted, so that open connections keep their identity when new connections get another one.
 */
#ifndef TLS_IDENTITY_H
#define TLS_IDENTITY_H

#include <stddef.h>

#include "tls-party.h"

typedef struct {
	/* Must be the first member, because a connection has a pointer to this member only. */
	tls_party party;
	mbedtls_x509_crt chain;
	mbedtls_pk_context key;
	mbedtls_ssl_ticket_context tickets;
} tls_identity;

/*
 * Returns an identity with one reference, which tls_party_free releases. Returns NULL on failure, with the reason in
 * `message`, which has `size` bytes. `certificate` and `key` are as in stream_server_options. They are copied.
 */
tls_identity *tls_identity_create(const char *certificate, const char *key, char *message, size_t size);

#endif

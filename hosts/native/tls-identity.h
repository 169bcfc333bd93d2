/*
 * Identity of a TLS port: certificate chain, key, and the Mbed TLS settings. For the stream server. It is
 * reference-counted, so that open connections keep theirs while new ones get another.
 */
#ifndef TLS_IDENTITY_H
#define TLS_IDENTITY_H

#include <stddef.h>

#include "tls-party.h"

typedef struct {
	/* Must be the first member: a connection knows only this part. */
	tls_party party;
	mbedtls_x509_crt chain;
	mbedtls_pk_context key;
	mbedtls_ssl_ticket_context tickets;
} tls_identity;

/*
 * Returns an identity with one reference, for tls_party_free. NULL: `message`, of `size` bytes, has the reason. The
 * texts are those of stream_server_options and are not kept.
 */
tls_identity *tls_identity_create(const char *certificate, const char *key, char *message, size_t size);

#endif

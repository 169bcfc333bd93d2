/*
 * Identity of a TLS port: certificate chain, key, and the Mbed TLS settings made of them. For the stream server. It is
 * reference-counted, so that open connections keep theirs while new ones get another.
 */
#ifndef TLS_IDENTITY_H
#define TLS_IDENTITY_H

#include <stddef.h>

#include "tls-party.h"

typedef struct {
	/* At the beginning: a connection knows nothing else of it. */
	tls_party party;
	mbedtls_x509_crt chain;
	mbedtls_pk_context key;
	mbedtls_ssl_ticket_context tickets;
} tls_identity;

/* With one reference, for tls_party_free; NULL: `message`, of `size` bytes, says why. Texts as in stream_server_options, not kept. */
tls_identity *tls_identity_create(const char *certificate, const char *key, char *message, size_t size);

#endif

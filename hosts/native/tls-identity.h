/*
 * Identity of a TLS port, for the stream server: certificate chain, key, and the settings of Mbed TLS. It is
 * reference-counted, so that open connections keep their identity when new connections get another.
 */
#ifndef TLS_IDENTITY_H
#define TLS_IDENTITY_H

#include <stddef.h>

#include "tls-party.h"

typedef struct {
	/* Must be the first member, because a connection knows only this part. */
	tls_party party;
	mbedtls_x509_crt chain;
	mbedtls_pk_context key;
	mbedtls_ssl_ticket_context tickets;
} tls_identity;

/*
 * One reference, to be released with tls_party_free. NULL on failure, with the reason in `message`, of `size` bytes.
 * `certificate` and `key` are those of stream_server_options. They are not kept.
 */
tls_identity *tls_identity_create(const char *certificate, const char *key, char *message, size_t size);

#endif

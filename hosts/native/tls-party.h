/*
 * Our side of TLS for a connection (stream-connection.h) of a port (tls-identity.h) or a client (tls-trust.h):
 * reference-counted settings of Mbed TLS, so that connections keep theirs while new ones get others.
 */
#ifndef TLS_PARTY_H
#define TLS_PARTY_H

#include "mbedtls-compat.h"

typedef struct tls_party {
	/* Changed under the lock of its connections only. */
	unsigned references;
	/* Frees the whole object that begins with this party. */
	void (*free)(struct tls_party *party);
	mbedtls_ssl_config config;
} tls_party;

/* For the last reference; NULL is allowed. */
static inline void tls_party_free(tls_party *party)
{
	if (party) party->free(party);
}

#endif

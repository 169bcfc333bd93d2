/*
 * Our side of TLS, as a connection (stream-connection.h) needs it, of a port (tls-identity.h) or of a client
 * (tls-trust.h): the settings of Mbed TLS, counted, so that connections keep theirs while new ones get others.
 */
#ifndef TLS_PARTY_H
#define TLS_PARTY_H

#include "mbedtls-compat.h"

typedef struct tls_party {
	/* Changed under the lock of its connections only. */
	unsigned references;
	/* Frees all of what begins with this party. */
	void (*free)(struct tls_party *party);
	mbedtls_ssl_config config;
} tls_party;

/* For the last reference; NULL is allowed. */
static inline void tls_party_free(tls_party *party)
{
	if (party) party->free(party);
}

#endif

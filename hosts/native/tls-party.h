/*
 * Our side of TLS for a connection (stream-connection.h) of a port (tls-identity.h) or of a client (tls-trust.h):
 * reference-counted settings of Mbed TLS, so that open connections keep their settings when new connections get
 * different ones.
 */
#ifndef TLS_PARTY_H
#define TLS_PARTY_H

#include "mbedtls-compat.h"

/* In place of an alert's description (RFC 5246, 7.2). */
enum { TLS_NO_ALERT = -1 };

typedef struct tls_party {
	/* Number of references. It changes only under the lock of the party's connections. */
	unsigned references;
	/* Frees the whole object that begins with this party. */
	void (*free)(struct tls_party *party);
	mbedtls_ssl_config config;
} tls_party;

/* Releases a reference. `party` may be NULL. */
static inline void tls_party_free(tls_party *party)
{
	if (party) party->free(party);
}

#endif

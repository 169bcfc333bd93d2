/*
 * The client's side of TLS 1.2 (RFC 5246) for one connection: trusted certificates, own identity, and session
 * resumption (RFC 5246, 7.4.1.2, and RFC 5077). Mbed TLS builds the chain; names, addresses and dates are checked here,
 * the dates against the given time.
 *
 * A stored session begins with a digest of the server's name and our certificates, and with the validity of the
 * server's certificates. A session that does not match is not offered, because a resumed session shows no certificate.
 */
#ifndef TLS_TRUST_H
#define TLS_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tls-party.h"

enum {
	/* Limits of modules/io/client.ts. */
	TRUST_SESSION_LIMIT = 3072,
	TRUST_NAME_LIMIT = 253,
	TRUST_MESSAGE_SIZE = 64,
};

/* Value of `trusted` that trusts any server (ANYBODY in modules/io/client.ts). */
#define TRUST_ANYBODY "anybody"

typedef struct {
	/* NUL-terminated PEM text, or TRUST_ANYBODY. */
	const char *trusted;
	/* A DNS name, or an IPv4 address. */
	const char *name;
	bool has_time;
	/* Unix time, s. */
	int64_t utc_s;
	/* PEM texts of the client's own identity; both NULL without one. Without `key`, `certificate` also has the key. */
	const char *certificate;
	const char *key;
	/* Session of an earlier connection, or NULL. */
	const uint8_t *session;
	size_t session_size;
} tls_trust_options;

typedef struct tls_trust tls_trust;

typedef enum {
	/* No problem was found; only the error of Mbed TLS has the reason. */
	TRUST_NO_VERDICT = 0,
	TRUST_UNTRUSTED,
	TRUST_WRONG_NAME,
	TRUST_EXPIRED,
	/* The server refused the handshake after it had our certificate, or none. */
	TRUST_CLIENT_REFUSED,
} trust_verdict;

/*
 * One reference, to be released with tls_party_free; keeps no pointer of the options. NULL on failure, with the reason
 * in `message`, "" if memory is short.
 */
tls_trust *tls_trust_create(const tls_trust_options *options, char message[TRUST_MESSAGE_SIZE]);

/* Argument for connection_begin. */
tls_party *tls_trust_party(tls_trust *trust);

/* Call it between mbedtls_ssl_setup and the handshake. Returns 0 or an error of Mbed TLS. */
int tls_trust_begin(tls_trust *trust, mbedtls_ssl_context *tls);

/* The certificate problem behind `error`, if any. */
trust_verdict tls_trust_verdict(const tls_trust *trust, const mbedtls_ssl_context *tls, int error);

bool tls_trust_is_memory_error(int error);

/*
 * Call it once after the handshake. Sets *session to a session of *size bytes, which the caller must free, or to NULL.
 * False if the server has shown no trusted certificate.
 */
bool tls_trust_settle(
	tls_trust *trust, const mbedtls_ssl_context *tls, bool *resumed, uint8_t **session, size_t *size);

#endif

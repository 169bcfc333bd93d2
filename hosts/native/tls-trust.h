/*
 * The client's side of TLS 1.2 (RFC 5246) for one connection: trusted certificates, own identity, and session
 * resumption (RFC 5246, 7.4.1.2, and RFC 5077). Mbed TLS builds the chain. Names, addresses and dates are checked here,
 * the dates against the given time.
 *
 * A stored session begins with a digest of the server's name and our certificates, and with the validity of the
 * server's certificates. A session is not offered if the digest differs or the validity has ended, because the server
 * shows no certificate when a session is resumed.
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
	/*
	 * PEM texts of the client's own certificate and key. Both are NULL if it has none. If only `key` is NULL,
	 * `certificate` also contains the key.
	 */
	const char *certificate;
	const char *key;
	/* Session of an earlier connection, or NULL. */
	const uint8_t *session;
	size_t session_size;
} tls_trust_options;

typedef struct tls_trust tls_trust;

typedef enum {
	/* No problem was found here; only the error of Mbed TLS tells the reason. */
	TRUST_NO_VERDICT = 0,
	TRUST_UNTRUSTED,
	TRUST_WRONG_NAME,
	TRUST_EXPIRED,
	/* The server refused the handshake after it had received our certificate, or the message that we have none. */
	TRUST_CLIENT_REFUSED,
} trust_verdict;

/*
 * Returns an object with one reference, which tls_party_free releases. No pointer from the options is kept. Returns
 * NULL on failure, with the reason in `message` ("" if memory is short).
 */
tls_trust *tls_trust_create(const tls_trust_options *options, char message[TRUST_MESSAGE_SIZE]);

/* Returns the argument for connection_begin. */
tls_party *tls_trust_party(tls_trust *trust);

/* Call it between mbedtls_ssl_setup and the handshake. Returns 0 or an error of Mbed TLS. */
int tls_trust_begin(tls_trust *trust, mbedtls_ssl_context *tls);

/* Returns the problem with a certificate that caused `error`, if any. `alert` is the result of connection_alert. */
trust_verdict tls_trust_verdict(const tls_trust *trust, const mbedtls_ssl_context *tls, int error, int alert);

bool tls_trust_is_memory_error(int error);

/*
 * Call it once after the handshake. Sets *session to a session of *size bytes, which the caller must free, or to NULL.
 * Returns false if the server has shown no trusted certificate and no trusted session was resumed.
 */
bool tls_trust_settle(
	tls_trust *trust, const mbedtls_ssl_context *tls, bool *resumed, uint8_t **session, size_t *size);

#endif

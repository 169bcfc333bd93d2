#include "tls-trust.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/platform_util.h>

#include "certificate-match.h"
#include "certificate-time.h"
#include "digest.h"
#include "ipv4.h"

/* RFC 8446, 6.2. Mbed TLS 2.28 has no constant for it. */
enum { ALERT_CERTIFICATE_REQUIRED = 116 };

typedef struct {
	/* Digest of the server's name, the trusted certificates and the gateway's own certificate. */
	uint8_t digest[DIGEST_SIZE];
	/* Time in which all certificates that the server has shown are valid, Unix time, s. */
	int64_t from_s, to_s;
} session_head;

typedef struct {
	mbedtls_x509_crt trusted, chain;
	mbedtls_pk_context key;
	char name[TRUST_NAME_LIMIT + 1];
	bool anybody;
	bool has_time;
	int64_t utc_s;
	session_head head;
	/* Session without its header, or NULL. */
	uint8_t *session;
	size_t session_size;
	bool offered, shown, untrusted, expired;
	trust_verdict verdict;
} handshake_part;

struct tls_trust {
	/* Must be the first member, because a connection has a pointer to this member only. */
	tls_party party;
	/* NULL after the handshake. */
	handshake_part *part;
};

static void free_session(uint8_t *session, size_t size)
{
	if (session) mbedtls_platform_zeroize(session, size);
	free(session);
}

static void free_part(tls_trust *trust)
{
	handshake_part *part = trust->part;
	trust->part = NULL;
	if (!part) return;
	mbedtls_pk_free(&part->key);
	mbedtls_x509_crt_free(&part->chain);
	mbedtls_x509_crt_free(&part->trusted);
	free_session(part->session, part->session_size);
	free(part);
}

static void free_trust(tls_party *party)
{
	tls_trust *trust = (tls_trust *)(void *)party;
	mbedtls_ssl_config_free(&party->config);
	free_part(trust);
	free(trust);
}

/* Returns true if the certificate itself is among the trusted ones. */
static bool is_pinned(const handshake_part *part, const mbedtls_x509_crt *certificate)
{
	for (const mbedtls_x509_crt *each = &part->trusted; each; each = each->next)
		if (each->raw.len == certificate->raw.len && memcmp(each->raw.p, certificate->raw.p, each->raw.len) == 0)
			return true;
	return false;
}

/* Mbed TLS calls this for each certificate of the chain. The server's own certificate (depth 0) comes last. */
static int check_certificate(void *context, mbedtls_x509_crt *certificate, int depth, uint32_t *flags)
{
	static const uint32_t checked_here =
		MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE | MBEDTLS_X509_BADCERT_CN_MISMATCH;
	handshake_part *part = context;
	int64_t from_s = certificate_time_s(&certificate->valid_from), to_s = certificate_time_s(&certificate->valid_to);
	bool expired = part->has_time && (part->utc_s < from_s || part->utc_s > to_s);
	bool pinned = depth == 0 && is_pinned(part, certificate);
	if (pinned) part->head.from_s = from_s, part->head.to_s = to_s;
	if (part->head.from_s < from_s) part->head.from_s = from_s;
	if (part->head.to_s > to_s) part->head.to_s = to_s;
	part->shown = true;
	if (part->anybody) {
		*flags = 0;
		return 0;
	}
	part->untrusted |= (*flags & ~checked_here) != 0;
	part->expired |= expired;
	*flags = 0;
	if (depth > 0) return 0;
	if (pinned) part->verdict = expired ? TRUST_EXPIRED : TRUST_NO_VERDICT;
	else if (part->untrusted) part->verdict = TRUST_UNTRUSTED;
	else if (part->expired) part->verdict = TRUST_EXPIRED;
	else if (!certificate_is_for(certificate, part->name)) part->verdict = TRUST_WRONG_NAME;
	if (part->verdict != TRUST_NO_VERDICT) *flags = MBEDTLS_X509_BADCERT_OTHER;
	return 0;
}

/* Loads the certificates, and ignores unreadable ones. Returns false if none was readable. */
static bool load_certificates(mbedtls_x509_crt *into, const char *text)
{
	mbedtls_x509_crt_parse(into, (const unsigned char *)text, strlen(text) + 1);
	return into->raw.p != NULL;
}

/* Returns NULL, or the problem as a text for the user ("" if memory is short). */
static const char *load(handshake_part *part, const tls_trust_options *options)
{
	size_t length = strlen(options->name);
	if (length == 0 || length > TRUST_NAME_LIMIT) return "no name that a server could have";
	memcpy(part->name, options->name, length + 1);
	part->anybody = strcmp(options->trusted, TRUST_ANYBODY) == 0;
	if (!part->anybody && !load_certificates(&part->trusted, options->trusted))
		return "there is no certificate in what is trusted";
	if (!options->certificate) return NULL;
	const char *key = options->key ? options->key : options->certificate;
	if (mbedtls_x509_crt_parse(
			&part->chain, (const unsigned char *)options->certificate, strlen(options->certificate) + 1) != 0)
		return "the certificate can't be read";
	if (mbedtls_pk_parse_key(&part->key, (const unsigned char *)key, strlen(key) + 1, NULL, 0) != 0)
		return "the private key can't be read";
	if (mbedtls_pk_check_pair(&part->chain.pk, &part->key) != 0) return "the key does not match the certificate";
	return NULL;
}

static bool compute_digest(handshake_part *part)
{
	digest d;
	bool done = digest_start(&d) && digest_update(&d, part->name, strlen(part->name) + 1);
	for (const mbedtls_x509_crt *each = &part->trusted; each && done; each = each->next)
		done = digest_update(&d, each->raw.p, each->raw.len);
	if (part->chain.raw.p) done = done && digest_update(&d, part->chain.raw.p, part->chain.raw.len);
	return done && digest_finish(&d, part->head.digest);
}

static bool keep_session(handshake_part *part, const tls_trust_options *options)
{
	session_head head;
	if (!options->session || options->session_size <= sizeof(head)) return true;
	memcpy(&head, options->session, sizeof(head));
	bool fits = memcmp(head.digest, part->head.digest, DIGEST_SIZE) == 0
		&& (!part->has_time || (part->utc_s >= head.from_s && part->utc_s <= head.to_s));
	if (!fits) return true;
	part->session_size = options->session_size - sizeof(head);
	part->session = malloc(part->session_size);
	if (!part->session) return false;
	memcpy(part->session, options->session + sizeof(head), part->session_size);
	part->head = head;
	return true;
}

static int configure(tls_trust *trust)
{
	mbedtls_ssl_config *config = &trust->party.config;
	handshake_part *part = trust->part;
	int error = mbedtls_ssl_config_defaults(
		config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
	if (error != 0) return error;
	compat_conf_any_client(config);
	mbedtls_ssl_conf_authmode(config, MBEDTLS_SSL_VERIFY_REQUIRED);
	mbedtls_ssl_conf_ca_chain(config, &part->trusted, NULL);
	mbedtls_ssl_conf_verify(config, check_certificate, part);
#if defined(MBEDTLS_SSL_SESSION_TICKETS)
	mbedtls_ssl_conf_session_tickets(config, MBEDTLS_SSL_SESSION_TICKETS_ENABLED);
#endif
	return part->chain.raw.p ? mbedtls_ssl_conf_own_cert(config, &part->chain, &part->key) : 0;
}

tls_trust *tls_trust_create(const tls_trust_options *options, char message[TRUST_MESSAGE_SIZE])
{
	tls_trust *trust = compat_start() == 0 ? calloc(1, sizeof(tls_trust)) : NULL;
	handshake_part *part = trust ? calloc(1, sizeof(handshake_part)) : NULL;
	message[0] = 0;
	if (!part) {
		free(trust);
		return NULL;
	}
	trust->party.references = 1;
	trust->party.free = free_trust;
	trust->part = part;
	mbedtls_ssl_config_init(&trust->party.config);
	mbedtls_x509_crt_init(&part->trusted);
	mbedtls_x509_crt_init(&part->chain);
	mbedtls_pk_init(&part->key);
	part->has_time = options->has_time;
	part->utc_s = options->utc_s;
	part->head.from_s = INT64_MIN;
	part->head.to_s = INT64_MAX;
	const char *problem = load(part, options);
	if (!problem && compute_digest(part) && keep_session(part, options) && configure(trust) == 0) return trust;
	if (problem) snprintf(message, TRUST_MESSAGE_SIZE, "%s", problem);
	free_trust(&trust->party);
	return NULL;
}

tls_party *tls_trust_party(tls_trust *trust)
{
	return &trust->party;
}

int tls_trust_begin(tls_trust *trust, mbedtls_ssl_context *tls)
{
	handshake_part *part = trust->part;
	uint32_t address;
	/* Server name indication must not contain an address (RFC 6066, 3). */
	int error = mbedtls_ssl_set_hostname(tls, ipv4_parse(part->name, &address) ? NULL : part->name);
	if (error != 0 || !part->session) return error;
	mbedtls_ssl_session session;
	mbedtls_ssl_session_init(&session);
	part->offered = mbedtls_ssl_session_load(&session, part->session, part->session_size) == 0
		&& mbedtls_ssl_set_session(tls, &session) == 0;
	mbedtls_ssl_session_free(&session);
	return 0;
}

bool tls_trust_is_memory_error(int error)
{
	/* In Mbed TLS 4 all of these constants have the same value. */
	bool is_one = error == MBEDTLS_ERR_SSL_ALLOC_FAILED || error == MBEDTLS_ERR_X509_ALLOC_FAILED
		|| error == PSA_ERROR_INSUFFICIENT_MEMORY;
#if MBEDTLS_VERSION_MAJOR == 2
	is_one = is_one || error == MBEDTLS_ERR_PK_ALLOC_FAILED || error == MBEDTLS_ERR_ECP_ALLOC_FAILED
		|| error == MBEDTLS_ERR_MD_ALLOC_FAILED || error == MBEDTLS_ERR_CIPHER_ALLOC_FAILED;
	/*
	 * An error of a higher-level module is the sum of its own code and the code of the lower-level module, which is in
	 * these bits.
	 */
	int lower = -(-error & 0x7f);
	is_one = is_one || lower == MBEDTLS_ERR_MPI_ALLOC_FAILED || lower == MBEDTLS_ERR_ASN1_ALLOC_FAILED;
#endif
	return is_one;
}

/*
 * Returns true if a server has refused our certificate, or our message that we have none, which follow its
 * ServerHelloDone. If bytes were damaged on the way, the alert is another, such as bad_record_mac or decrypt_error. A
 * server that closes without an alert is only taken to refuse a certificate that we have.
 */
static bool refuses_client(const handshake_part *part, int error, int alert)
{
	switch (alert) {
	case TLS_NO_ALERT:
		return part->chain.raw.p && (error == MBEDTLS_ERR_SSL_CONN_EOF || error == MBEDTLS_ERR_SSL_INTERNAL_ERROR);
	/* RFC 5246, 7.2.2, and for handshake_failure also 7.4.6. */
	case MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE:
	case MBEDTLS_SSL_ALERT_MSG_BAD_CERT:
	case MBEDTLS_SSL_ALERT_MSG_UNSUPPORTED_CERT:
	case MBEDTLS_SSL_ALERT_MSG_CERT_REVOKED:
	case MBEDTLS_SSL_ALERT_MSG_CERT_EXPIRED:
	case MBEDTLS_SSL_ALERT_MSG_CERT_UNKNOWN:
	case MBEDTLS_SSL_ALERT_MSG_UNKNOWN_CA:
	case MBEDTLS_SSL_ALERT_MSG_ACCESS_DENIED:
	case ALERT_CERTIFICATE_REQUIRED: return true;
	default: return false;
	}
}

trust_verdict tls_trust_verdict(const tls_trust *trust, const mbedtls_ssl_context *tls, int error, int alert)
{
	const handshake_part *part = trust->part;
	if (part && part->verdict != TRUST_NO_VERDICT) return part->verdict;
	if (part && part->shown && compat_handshake_step(tls) > MBEDTLS_SSL_SERVER_HELLO_DONE
		&& refuses_client(part, error, alert))
		return TRUST_CLIENT_REFUSED;
	/* Mbed TLS reports this error last, if the certificate's extended key usage excludes servers (RFC 5280, 4.2.1.12). */
	bool refused = error == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED || error == MBEDTLS_ERR_X509_FATAL_ERROR
		|| (part && part->shown && error == COMPAT_BAD_CERTIFICATE);
	return refused ? TRUST_UNTRUSTED : TRUST_NO_VERDICT;
}

/* Returns NULL if the session cannot be resumed, if memory is short, or if the session is too long. */
static uint8_t *save_session(const session_head *head, const mbedtls_ssl_context *tls, size_t *size)
{
	mbedtls_ssl_session session;
	uint8_t *saved = NULL;
	size_t length = 0;
	mbedtls_ssl_session_init(&session);
	if (mbedtls_ssl_get_session(tls, &session) == 0 && compat_is_resumable(&session)) {
		compat_forget_peer(&session);
		mbedtls_ssl_session_save(&session, NULL, 0, &length);
		*size = sizeof(*head) + length;
		if (length > 0 && *size <= TRUST_SESSION_LIMIT) saved = malloc(*size);
		if (saved) memcpy(saved, head, sizeof(*head));
		if (saved && mbedtls_ssl_session_save(&session, saved + sizeof(*head), length, &length) != 0) {
			free_session(saved, *size);
			saved = NULL;
		}
	}
	mbedtls_ssl_session_free(&session);
	return saved;
}

bool tls_trust_settle(tls_trust *trust, const mbedtls_ssl_context *tls, bool *resumed, uint8_t **session, size_t *size)
{
	handshake_part *part = trust->part;
	bool believed = part->shown ? part->verdict == TRUST_NO_VERDICT : part->offered;
	*resumed = believed && !part->shown;
	*session = believed ? save_session(&part->head, tls, size) : NULL;
	/* These settings are removed, because TLS 1.2 without renegotiation checks no further certificates. */
	mbedtls_ssl_conf_verify(&trust->party.config, NULL, NULL);
	mbedtls_ssl_conf_ca_chain(&trust->party.config, NULL, NULL);
	free_part(trust);
	return believed;
}

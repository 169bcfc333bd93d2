/*
 * Hides the differences between Mbed TLS 2.28 (Debian) and 4.x with TF-PSA-Crypto (ESP-IDF 6) from the rest of
 * hosts/native. Mbed TLS 4.x has its own random generator, so its functions have no arguments for one.
 */
#ifndef MBEDTLS_COMPAT_H
#define MBEDTLS_COMPAT_H

#if defined(__has_include) && __has_include(<mbedtls/build_info.h>)
#include <mbedtls/build_info.h>
#else
#include <mbedtls/version.h>
#endif

#include <stdbool.h>

#include <mbedtls/pk.h>
#include <mbedtls/platform.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_ciphersuites.h>
#include <mbedtls/ssl_ticket.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#if MBEDTLS_VERSION_MAJOR != 2 && MBEDTLS_VERSION_MAJOR != 4
#error "written for Mbed TLS 2.28 and 4.x"
#endif

#if MBEDTLS_VERSION_MAJOR == 2

#include <errno.h>
#include <sys/random.h>

/* Random generator (f_rng) for Mbed TLS 2.28. It gets random bytes from the system, so threads share no state. */
static inline int compat_random(void *context, unsigned char *into, size_t size)
{
	(void)context;
	while (size > 0) {
		ssize_t count = getrandom(into, size, 0);
		if (count < 0 && errno == EINTR) continue;
		if (count < 0) return -1;
		into += count;
		size -= (size_t)count;
	}
	return 0;
}

#endif

/*
 * Call this function before any other use of Mbed TLS, because 4.x must initialise PSA. Repeated calls are allowed.
 * Returns 0 or an error.
 */
static inline int compat_start(void)
{
#if MBEDTLS_VERSION_MAJOR == 2
	return 0;
#else
	return (int)psa_crypto_init();
#endif
}

static inline void compat_conf_tls12(mbedtls_ssl_config *config)
{
#if MBEDTLS_VERSION_MAJOR == 2
	static const mbedtls_ecp_group_id curves[] = {
		MBEDTLS_ECP_DP_CURVE25519, MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_ECP_DP_SECP384R1, MBEDTLS_ECP_DP_NONE
	};
	static const int hashes[] = { MBEDTLS_MD_SHA256, MBEDTLS_MD_SHA384, MBEDTLS_MD_SHA512, MBEDTLS_MD_NONE };
	mbedtls_ssl_conf_min_version(config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
	mbedtls_ssl_conf_max_version(config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
	mbedtls_ssl_conf_curves(config, curves);
	mbedtls_ssl_conf_sig_hashes(config, hashes);
	mbedtls_ssl_conf_rng(config, compat_random, NULL);
#else
	static const uint16_t groups[] = {
		MBEDTLS_SSL_IANA_TLS_GROUP_X25519, MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
		MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1, MBEDTLS_SSL_IANA_TLS_GROUP_NONE
	};
	mbedtls_ssl_conf_min_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
	mbedtls_ssl_conf_max_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
	mbedtls_ssl_conf_groups(config, groups);
#endif
#if defined(MBEDTLS_SSL_RENEGOTIATION)
	mbedtls_ssl_conf_renegotiation(config, MBEDTLS_SSL_RENEGOTIATION_DISABLED);
#endif
}

/* Configures a client that supports only TLS 1.2, with the default suites, curves and hashes. */
static inline void compat_conf_any_client(mbedtls_ssl_config *config)
{
#if MBEDTLS_VERSION_MAJOR == 2
	mbedtls_ssl_conf_min_version(config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
	mbedtls_ssl_conf_max_version(config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
	mbedtls_ssl_conf_rng(config, compat_random, NULL);
#else
	mbedtls_ssl_conf_min_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
	mbedtls_ssl_conf_max_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
#endif
}

/* Returns a number that changes whenever a handshake message was completely received or sent. */
static inline int compat_handshake_step(const mbedtls_ssl_context *tls)
{
#if MBEDTLS_VERSION_MAJOR == 2
	return tls->state;
#else
	return tls->MBEDTLS_PRIVATE(state);
#endif
}

/* Returns the description of the alert (RFC 5246, 7.2) for which Mbed TLS has just reported a fatal alert. */
static inline int compat_fatal_alert(const mbedtls_ssl_context *tls)
{
#if MBEDTLS_VERSION_MAJOR == 2
	return tls->in_msg[1];
#else
	return tls->MBEDTLS_PRIVATE(in_msg)[1];
#endif
}

#if MBEDTLS_VERSION_MAJOR == 2
#define COMPAT_BAD_CERTIFICATE MBEDTLS_ERR_SSL_BAD_HS_CERTIFICATE
#else
#define COMPAT_BAD_CERTIFICATE MBEDTLS_ERR_SSL_BAD_CERTIFICATE
#endif

/*
 * Removes the peer's certificate from the session, which does not need it. Without MBEDTLS_SSL_KEEP_PEER_CERTIFICATE,
 * the session has no certificate.
 */
static inline void compat_forget_peer(mbedtls_ssl_session *session)
{
#if MBEDTLS_VERSION_MAJOR == 2 && defined(MBEDTLS_SSL_KEEP_PEER_CERTIFICATE)
	if (session->peer_cert) {
		mbedtls_x509_crt_free(session->peer_cert);
		mbedtls_free(session->peer_cert);
		session->peer_cert = NULL;
	}
#else
	(void)session;
#endif
}

static inline bool compat_is_resumable(const mbedtls_ssl_session *session)
{
#if MBEDTLS_VERSION_MAJOR == 2
#if defined(MBEDTLS_SSL_SESSION_TICKETS)
	if (session->ticket_len > 0) return true;
#endif
	return session->id_len > 0;
#else
#if defined(MBEDTLS_SSL_SESSION_TICKETS)
	if (session->MBEDTLS_PRIVATE(ticket_len) > 0) return true;
#endif
	return mbedtls_ssl_session_get_id_len(session) > 0;
#endif
}

/* Sets up tickets that are encrypted with AES-256-GCM. The keys are replaced within `lifetime_s`. */
static inline int compat_ticket_setup(mbedtls_ssl_ticket_context *tickets, uint32_t lifetime_s)
{
#if MBEDTLS_VERSION_MAJOR == 2
	return mbedtls_ssl_ticket_setup(tickets, compat_random, NULL, MBEDTLS_CIPHER_AES_256_GCM, lifetime_s);
#else
	return mbedtls_ssl_ticket_setup(tickets, PSA_ALG_GCM, PSA_KEY_TYPE_AES, 256, lifetime_s);
#endif
}

typedef enum { COMPAT_KEY_OTHER, COMPAT_KEY_RSA, COMPAT_KEY_NIST } compat_key_kind;

enum { COMPAT_RSA_BITS_LIMIT = 4096 };

/*
 * Returns the kind of the key: RSA of up to COMPAT_RSA_BITS_LIMIT bits; ECDSA on NIST P-256, P-384 or P-521; or another
 * kind.
 */
static inline compat_key_kind compat_kind_of(const mbedtls_pk_context *key)
{
	compat_key_kind rsa = mbedtls_pk_get_bitlen(key) <= COMPAT_RSA_BITS_LIMIT ? COMPAT_KEY_RSA : COMPAT_KEY_OTHER;
#if MBEDTLS_VERSION_MAJOR == 2
	if (mbedtls_pk_get_type(key) == MBEDTLS_PK_RSA) return rsa;
	if (mbedtls_pk_get_type(key) != MBEDTLS_PK_ECKEY) return COMPAT_KEY_OTHER;
	mbedtls_ecp_group_id curve = mbedtls_pk_ec(*key)->grp.id;
	bool nist = curve == MBEDTLS_ECP_DP_SECP256R1 || curve == MBEDTLS_ECP_DP_SECP384R1 ||
		curve == MBEDTLS_ECP_DP_SECP521R1;
#else
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	if (mbedtls_pk_get_psa_attributes(key, PSA_KEY_USAGE_VERIFY_HASH, &attributes) != 0) return COMPAT_KEY_OTHER;
	psa_key_type_t type = psa_get_key_type(&attributes);
	size_t bits = psa_get_key_bits(&attributes);
	psa_reset_key_attributes(&attributes);
	if (PSA_KEY_TYPE_IS_RSA(type)) return rsa;
	bool nist = PSA_KEY_TYPE_IS_ECC(type) && PSA_KEY_TYPE_ECC_GET_FAMILY(type) == PSA_ECC_FAMILY_SECP_R1 && bits >= 256;
#endif
	return nist ? COMPAT_KEY_NIST : COMPAT_KEY_OTHER;
}

static inline bool compat_is_authority(const mbedtls_x509_crt *certificate)
{
#if MBEDTLS_VERSION_MAJOR == 2
	return certificate->ca_istrue;
#else
	return mbedtls_x509_crt_get_ca_istrue(certificate) == 1;
#endif
}

static inline int compat_generate_p256(mbedtls_pk_context *key)
{
#if MBEDTLS_VERSION_MAJOR == 2
	int error = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
	if (error != 0) return error;
	return mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key), compat_random, NULL);
#else
	mbedtls_svc_key_id_t id;
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1));
	psa_set_key_bits(&attributes, 256);
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_SIGN_HASH | PSA_KEY_USAGE_EXPORT);
	psa_set_key_algorithm(&attributes, PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));
	int error = (int)psa_generate_key(&attributes, &id);
	if (error != 0) return error;
	error = mbedtls_pk_copy_from_psa(id, key);
	psa_destroy_key(id);
	return error;
#endif
}

/* Sets the serial number (RFC 5280, 4.1.2.2), most significant byte first. */
static inline int compat_set_serial(mbedtls_x509write_cert *writer, unsigned char *serial, size_t length)
{
#if MBEDTLS_VERSION_MAJOR == 2
	mbedtls_mpi number;
	mbedtls_mpi_init(&number);
	int error = mbedtls_mpi_read_binary(&number, serial, length);
	if (error == 0) error = mbedtls_x509write_crt_set_serial(writer, &number);
	mbedtls_mpi_free(&number);
	return error;
#else
	return mbedtls_x509write_crt_set_serial_raw(writer, serial, length);
#endif
}

/* Signs the certificate and writes it as NUL-terminated PEM text. */
static inline int compat_write_certificate(mbedtls_x509write_cert *writer, unsigned char *text, size_t size)
{
#if MBEDTLS_VERSION_MAJOR == 2
	return mbedtls_x509write_crt_pem(writer, text, size, compat_random, NULL);
#else
	return mbedtls_x509write_crt_pem(writer, text, size);
#endif
}

#endif

/*
 * Settings of the TLS ports: TLS 1.2 with ECDHE and AES-GCM only (RFC 5289), HTTP/1.1 as the only ALPN protocol (RFC
 * 7301), session tickets (RFC 5077), no renegotiation.
 */
#include "tls-identity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Lifetime of a session ticket. Each identity has its own ticket keys, so a client cannot resume an old session and
 * miss a new certificate.
 */
enum { TICKET_LIFETIME_S = 24 * 60 * 60 };

/*
 * Sizes in a Certificate message (RFC 5246, 7.4.2): header with the length of the list, and length of each certificate.
 */
enum { CHAIN_HEADER_SIZE = 7, CHAIN_ENTRY_SIZE = 3 };

static const int SUITES[] = {
	MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
	MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	0,
};

static const char *PROTOCOLS[] = { "http/1.1", NULL };

/* Returns true if the chain fits into the one message in which Mbed TLS sends it. */
static bool chain_fits(const mbedtls_x509_crt *chain)
{
	size_t size = CHAIN_HEADER_SIZE;
	for (const mbedtls_x509_crt *each = chain; each; each = each->next) size += CHAIN_ENTRY_SIZE + each->raw.len;
	return size <= MBEDTLS_SSL_OUT_CONTENT_LEN;
}

static const char *load(tls_identity *identity, const char *certificate, const char *key)
{
	if (mbedtls_x509_crt_parse(&identity->chain, (const unsigned char *)certificate, strlen(certificate) + 1) != 0)
		return "the certificate can't be read";
	if (mbedtls_pk_parse_key(&identity->key, (const unsigned char *)key, strlen(key) + 1, NULL, 0) != 0)
		return "the private key can't be read";
	if (mbedtls_pk_check_pair(&identity->chain.pk, &identity->key) != 0) return "the key does not match the certificate";
	if (!chain_fits(&identity->chain)) return "the certificate chain is too long";
	return NULL;
}

static int configure(tls_identity *identity)
{
	mbedtls_ssl_config *config = &identity->party.config;
	int error = mbedtls_ssl_config_defaults(
		config, MBEDTLS_SSL_IS_SERVER, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
	if (error != 0) return error;
	compat_conf_tls12(config);
	mbedtls_ssl_conf_ciphersuites(config, SUITES);
	error = mbedtls_ssl_conf_alpn_protocols(config, PROTOCOLS);
	if (error == 0) error = mbedtls_ssl_conf_own_cert(config, &identity->chain, &identity->key);
	if (error == 0) error = compat_ticket_setup(&identity->tickets, TICKET_LIFETIME_S);
	mbedtls_ssl_conf_session_tickets_cb(
		config, mbedtls_ssl_ticket_write, mbedtls_ssl_ticket_parse, &identity->tickets);
	return error;
}

static void free_identity(tls_party *party)
{
	tls_identity *identity = (tls_identity *)(void *)party;
	mbedtls_ssl_config_free(&party->config);
	mbedtls_ssl_ticket_free(&identity->tickets);
	mbedtls_pk_free(&identity->key);
	mbedtls_x509_crt_free(&identity->chain);
	free(identity);
}

tls_identity *tls_identity_create(const char *certificate, const char *key, char *message, size_t size)
{
	tls_identity *identity = compat_start() == 0 ? calloc(1, sizeof(tls_identity)) : NULL;
	if (!identity) {
		snprintf(message, size, "out of memory");
		return NULL;
	}
	identity->party.references = 1;
	identity->party.free = free_identity;
	mbedtls_x509_crt_init(&identity->chain);
	mbedtls_pk_init(&identity->key);
	mbedtls_ssl_ticket_init(&identity->tickets);
	mbedtls_ssl_config_init(&identity->party.config);
	const char *reason = load(identity, certificate, key);
	if (!reason && configure(identity) != 0) reason = "out of memory";
	if (!reason) return identity;
	snprintf(message, size, "%s", reason);
	tls_party_free(&identity->party);
	return NULL;
}

/*
 * The names that a certificate is for: names and addresses of its subjectAltName (RFC 5280, 4.2.1.6) against the one that was asked
 * for (RFC 6125). By hand, since Mbed TLS 2.28 knows no addresses there, and its versions differ. For tls-trust.c.
 */
#ifndef CERTIFICATE_MATCH_H
#define CERTIFICATE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mbedtls/x509_crt.h>

/*
 * Returns true if the certificate is valid for `name`: an IPv4 address in dotted decimal, which must be listed as an
 * address, or a DNS name, where "*" matches the whole first of three or more labels. The common name counts only
 * without any DNS name.
 */
bool certificate_is_for(const mbedtls_x509_crt *certificate, const char *name);

/* The heart of it, for tests: whether `pattern`, of `length` bytes, covers the DNS name. */
bool certificate_pattern_covers(const uint8_t *pattern, size_t length, const char *name);

#endif

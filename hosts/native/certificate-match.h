/*
 * Matches a requested name with the names in a certificate (subjectAltName; RFC 5280, 4.2.1.6, and RFC 6125), because
 * Mbed TLS 2.28 does not support addresses.
 */
#ifndef CERTIFICATE_MATCH_H
#define CERTIFICATE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mbedtls/x509_crt.h>

/*
 * Returns true if the certificate is valid for `name`. An IPv4 address in dotted decimal must be listed as an address.
 * For a DNS name, "*" in the certificate matches the whole first label if there are three or more labels. The common
 * name counts only if the certificate has no DNS name.
 */
bool certificate_is_for(const mbedtls_x509_crt *certificate, const char *name);

/* Exported for tests. */
bool certificate_pattern_covers(const uint8_t *pattern, size_t length, const char *name);

#endif

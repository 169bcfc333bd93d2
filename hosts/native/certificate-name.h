#ifndef CERTIFICATE_NAME_H
#define CERTIFICATE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "certificate.h"

/*
 * Writes the DER-encoded Name (RFC 5280, 4.1.2.4) in `der` as text (RFC 4514). Returns false if a string is malformed,
 * if its type is not UTF8, Printable, Teletex, IA5, BMP or Universal, or if the name has more than 32 parts.
 */
bool certificate_name_text(const uint8_t *der, size_t length, char text[CERTIFICATE_NAME_LIMIT + 1]);

#endif

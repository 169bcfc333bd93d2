/* A distinguished name of a certificate as text, for certificate.c. */
#ifndef CERTIFICATE_NAME_H
#define CERTIFICATE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "certificate.h"

/*
 * Writes the Name (RFC 5280, 4.1.2.4) that stands as DER in `der` as text (RFC 4514). False: a string is not well-formed
 * text of its type, a type of string is unusual (not UTF8, Printable, Teletex, IA5, BMP, Universal), or the name has
 * more than 32 parts.
 */
bool certificate_name_text(const uint8_t *der, size_t length, char text[CERTIFICATE_NAME_LIMIT + 1]);

#endif

/*
 * IPv4 addresses as text in dotted decimal (RFC 6943, 3.1.1, the strict form): four numbers from 0 to 255 without
 * leading zeros. The system's functions are not used, because they also accept octal and short forms (on lwIP even
 * inet_pton does). Addresses are in network byte order.
 */
#ifndef IPV4_H
#define IPV4_H

#include <stdbool.h>
#include <stdint.h>

/* Size of an address as text, equal to INET_ADDRSTRLEN of POSIX. */
enum { IPV4_TEXT_SIZE = 16 };

bool ipv4_parse(const char *text, uint32_t *address);

void ipv4_write(uint32_t address, char text[IPV4_TEXT_SIZE]);

#endif

#include "ipv4.h"

#include <stdio.h>
#include <string.h>

enum { PARTS = 4, DIGITS = 3 };

static int read_part(const char **text)
{
	int value = 0, digits = 0;
	for (; **text >= '0' && **text <= '9' && digits <= DIGITS; digits++, (*text)++) {
		if (digits > 0 && value == 0) return -1;
		value = value * 10 + (**text - '0');
	}
	return digits >= 1 && digits <= DIGITS && value <= 255 ? value : -1;
}

bool ipv4_parse(const char *text, uint32_t *address)
{
	uint8_t bytes[PARTS];
	for (int i = 0; i < PARTS; i++) {
		if (i > 0 && *text++ != '.') return false;
		int part = read_part(&text);
		if (part < 0) return false;
		bytes[i] = (uint8_t)part;
	}
	memcpy(address, bytes, sizeof(bytes));
	return *text == 0;
}

void ipv4_write(uint32_t address, char text[IPV4_TEXT_SIZE])
{
	uint8_t bytes[PARTS];
	memcpy(bytes, &address, sizeof(bytes));
	snprintf(text, IPV4_TEXT_SIZE, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

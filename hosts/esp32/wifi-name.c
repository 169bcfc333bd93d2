#include "wifi-name.h"

#include <stdio.h>
#include <string.h>

static const char REPLACEMENT[] = "\xEF\xBF\xBD";

/*
 * Returns the number of bytes after the lead byte, and sets the range of the second byte (RFC 3629, 4). Returns 0 if
 * the lead byte is invalid.
 */
static unsigned follow(uint8_t lead, uint8_t *first, uint8_t *last)
{
	*first = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
	*last = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
	if (lead >= 0xC2 && lead <= 0xDF) return 1;
	if (lead >= 0xE0 && lead <= 0xEF) return 2;
	return lead >= 0xF0 && lead <= 0xF4 ? 3 : 0;
}

static unsigned character(const uint8_t *bytes, unsigned length)
{
	uint8_t first, last;
	if (bytes[0] < 0x80) return bytes[0] != 0;
	unsigned count = follow(bytes[0], &first, &last);
	if (count == 0 || count >= length || bytes[1] < first || bytes[1] > last) return 0;
	for (unsigned i = 2; i <= count; i++)
		if (bytes[i] < 0x80 || bytes[i] > 0xBF) return 0;
	return count + 1;
}

void wifi_name_write(const uint8_t *ssid, unsigned length, char text[WIFI_NAME_SIZE])
{
	if (length > RADIO_SSID_LIMIT) length = RADIO_SSID_LIMIT;
	for (unsigned i = 0; i < length;) {
		unsigned count = character(&ssid[i], length - i);
		const void *from = count > 0 ? (const void *)&ssid[i] : REPLACEMENT;
		unsigned size = count > 0 ? count : sizeof(REPLACEMENT) - 1;
		memcpy(text, from, size);
		text += size;
		i += count > 0 ? count : 1;
	}
	*text = 0;
}

void wifi_mac_write(const uint8_t mac[RADIO_MAC_SIZE], char text[WIFI_MAC_TEXT_SIZE])
{
	for (int i = 0; i < RADIO_MAC_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", mac[i]);
}

static int digit(char character)
{
	const char *digits = "0123456789abcdef", *upper = "0123456789ABCDEF";
	const char *found = character ? strchr(digits, character) : NULL;
	if (found) return (int)(found - digits);
	found = character ? strchr(upper, character) : NULL;
	return found ? (int)(found - upper) : -1;
}

bool wifi_mac_parse(const char *text, uint8_t mac[RADIO_MAC_SIZE])
{
	memset(mac, 0, RADIO_MAC_SIZE);
	if (text[0] == 0) return true;
	if (strlen(text) != WIFI_MAC_TEXT_SIZE - 1) return false;
	for (int i = 0; i < RADIO_MAC_SIZE; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
		if (high < 0 || low < 0) return false;
		mac[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/*
 * Text of SSIDs and MAC addresses. An SSID (IEEE 802.11, 9.4.2.2) has up to 32 arbitrary bytes. Each byte that is NUL
 * or not part of valid UTF-8 (RFC 3629) becomes U+FFFD.
 */
#ifndef WIFI_NAME_H
#define WIFI_NAME_H

#include "wifi-driver.h"

/*
 * Sizes of texts, with the NUL. A replaced byte takes three bytes of UTF-8; a byte of a MAC address takes two
 * characters.
 */
enum { WIFI_NAME_SIZE = RADIO_SSID_LIMIT * 3 + 1, WIFI_MAC_TEXT_SIZE = RADIO_MAC_SIZE * 2 + 1 };

void wifi_name_write(const uint8_t *ssid, unsigned length, char text[WIFI_NAME_SIZE]);

void wifi_mac_write(const uint8_t mac[RADIO_MAC_SIZE], char text[WIFI_MAC_TEXT_SIZE]);

/* Parses 12 hex characters. "" gives all zeros. Returns false for any other text. */
bool wifi_mac_parse(const char *text, uint8_t mac[RADIO_MAC_SIZE]);

#endif

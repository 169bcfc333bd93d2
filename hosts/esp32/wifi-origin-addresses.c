/* Comparison of addresses for wifi-origin.h. It needs no network, so tests can run it on a PC. */
#include "wifi-origin.h"

#include <string.h>

bool wifi_is_access_point_pair(uint32_t ours, uint32_t peer)
{
	static const uint8_t OURS[] = { 192, 168, 4, 1 };
	uint8_t bytes[sizeof(peer)];
	memcpy(bytes, &peer, sizeof(peer));
	return memcmp(&ours, OURS, sizeof(OURS)) == 0 && memcmp(bytes, OURS, sizeof(OURS) - 1) == 0 && bytes[3] > OURS[3] &&
	       bytes[3] < 255;
}

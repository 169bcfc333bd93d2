/*
 * Decides whether traffic came in over the gateway's own access point (`viaAccessPoint` and `accessPoint` of the host
 * contract). lwIP accepts packets to any of its addresses on any interface, so addresses alone do not show how a packet
 * came in. Addresses are in network byte order.
 */
#ifndef WIFI_ORIGIN_H
#define WIFI_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if `ours` is 192.168.4.1 and `peer` is from 192.168.4.2 to 192.168.4.254. */
bool wifi_is_access_point_pair(uint32_t ours, uint32_t peer);

/*
 * Returns true if an established TCP connection has the access point's addresses and packets to the peer leave over the
 * access point. The peer's address is not forged, because the peer has completed the TCP handshake. The function waits
 * for lwIP's thread; do not call it in that thread or in the machine's thread.
 */
bool wifi_is_access_point_peer(uint32_t ours, uint32_t peer);

bool wifi_bind_to_access_point(int socket);

#endif

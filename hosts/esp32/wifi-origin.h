/*
 * Decides whether traffic came in over the gateway's own access point (`viaAccessPoint` and `accessPoint` of the host
 * contract). lwIP accepts packets to any of its addresses on any interface, so addresses alone prove nothing. Addresses
 * are in network byte order.
 */
#ifndef WIFI_ORIGIN_H
#define WIFI_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

/* True for our 192.168.4.1 and a peer from 192.168.4.2 to 192.168.4.254. */
bool wifi_is_access_point_pair(uint32_t ours, uint32_t peer);

/*
 * True if an established TCP connection has the access point's addresses and packets to the peer leave over it. The
 * peer has completed the TCP handshake, so its address is not forged. Waits for lwIP's thread; call it neither there
 * nor in the machine's thread.
 */
bool wifi_is_access_point_peer(uint32_t ours, uint32_t peer);

bool wifi_bind_to_access_point(int socket);

#endif

/*
 * Whether something came in over the gateway's own access point (`viaAccessPoint` and `accessPoint` of the host
 * contract). lwIP takes packets to any address of ours on any interface: the addresses alone prove nothing.
 * Addresses are in the byte order of the network.
 */
#ifndef WIFI_ORIGIN_H
#define WIFI_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

/* 192.168.4.1, and one of 192.168.4.2 to 192.168.4.254. */
bool wifi_is_access_point_pair(uint32_t ours, uint32_t peer);

/*
 * Whether an established TCP connection is one of the access point's addresses, and what is sent to the peer leaves
 * by the access point; so what has confirmed our part of the handshake is there. Asks lwIP's thread: not from there, nor
 * from the machine's.
 */
bool wifi_is_access_point_peer(uint32_t ours, uint32_t peer);

/* The socket takes and sends only what goes over the access point. False: it is not there. */
bool wifi_bind_to_access_point(int socket);

#endif

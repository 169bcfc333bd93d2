/* access-point.h on the ESP32: by the interface that the answers leave by (wifi-origin.h). */
#include "access-point.h"

#include <string.h>
#include <sys/socket.h>

#include "wifi-origin.h"

/* 0: none. An IPv4 one may come as the end of an IPv6 one (RFC 4291, 2.5.5.2). */
static uint32_t ipv4_of(const struct sockaddr_storage *address)
{
	uint32_t ipv4 = 0;
	if (address->ss_family == AF_INET)
		memcpy(&ipv4, &((const struct sockaddr_in *)(const void *)address)->sin_addr, sizeof(ipv4));
#if LWIP_IPV6
	else if (address->ss_family == AF_INET6) {
		const struct in6_addr *mapped = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
		static const uint8_t PREFIX[12] = { [10] = 0xff, [11] = 0xff };
		if (memcmp(mapped, PREFIX, sizeof(PREFIX)) == 0)
			memcpy(&ipv4, (const uint8_t *)mapped + sizeof(PREFIX), sizeof(ipv4));
	}
#endif
	return ipv4;
}

bool access_point_accepted(int socket)
{
	struct sockaddr_storage ours, peer;
	socklen_t ours_size = sizeof(ours), peer_size = sizeof(peer);
	if (getsockname(socket, (struct sockaddr *)&ours, &ours_size) != 0) return false;
	if (getpeername(socket, (struct sockaddr *)&peer, &peer_size) != 0) return false;
	return wifi_is_access_point_peer(ipv4_of(&ours), ipv4_of(&peer));
}

bool access_point_bind(int socket)
{
	return wifi_bind_to_access_point(socket);
}

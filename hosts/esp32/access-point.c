/* A TCP connection came in over the access point if packets to its peer leave over the access point (wifi-origin.h). */
#include "access-point.h"

#include <sys/socket.h>

#include "wifi-origin.h"

bool access_point_accepted(int socket)
{
	struct sockaddr_in ours, peer;
	socklen_t ours_size = sizeof(ours), peer_size = sizeof(peer);
	if (getsockname(socket, (struct sockaddr *)&ours, &ours_size) != 0) return false;
	if (getpeername(socket, (struct sockaddr *)&peer, &peer_size) != 0) return false;
	return wifi_is_access_point_peer(ours.sin_addr.s_addr, peer.sin_addr.s_addr);
}

bool access_point_bind(int socket)
{
	return wifi_bind_to_access_point(socket);
}

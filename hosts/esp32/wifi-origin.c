#include "wifi-origin.h"

#include <stddef.h>

#include "esp_netif.h"
#include "esp_netif_net_stack.h"
#include "lwip/ip4.h"
#include "lwip/sockets.h"

/* Key of the access point's interface, as set by esp_netif_create_default_wifi_ap. */
static const char ACCESS_POINT[] = "WIFI_AP_DEF";

typedef struct {
	const struct netif *access_point;
	ip4_addr_t ours, peer;
	bool leads_there;
} route;

/*
 * Finds the interface over which packets to the peer leave. Runs in lwIP's thread. ESP-IDF sends over the interface
 * that has our address. The peer's address does not identify the interface if a cable or a joined network also uses
 * 192.168.4.0.
 */
static esp_err_t find_route(void *context)
{
	route *wanted = context;
	wanted->leads_there = wanted->access_point && ip4_route_src(&wanted->ours, &wanted->peer) == wanted->access_point;
	return ESP_OK;
}

bool wifi_is_access_point_peer(uint32_t ours, uint32_t peer)
{
	if (!wifi_is_access_point_pair(ours, peer)) return false;
	esp_netif_t *interface = esp_netif_get_handle_from_ifkey(ACCESS_POINT);
	if (!interface) return false;
	route wanted = { .access_point = esp_netif_get_netif_impl(interface), .ours.addr = ours, .peer.addr = peer };
	return esp_netif_tcpip_exec(find_route, &wanted) == ESP_OK && wanted.leads_there;
}

bool wifi_bind_to_access_point(int socket)
{
	struct ifreq request = { 0 };
	esp_netif_t *interface = esp_netif_get_handle_from_ifkey(ACCESS_POINT);
	if (!interface || esp_netif_get_netif_impl_name(interface, request.ifr_name) != ESP_OK) return false;
	return setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, &request, sizeof(request)) == 0;
}

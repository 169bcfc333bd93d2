/*
 * Tests of hosts/esp32/wifi-origin.c, which finds the interface of a connection, on a model of lwIP's routes (ip4.c of
 * lwIP, ip4_route_src_hook of ESP-IDF), for wifi.test.ts. Exits with 0, or prints the failed line.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hosts/esp32/wifi-origin.h"
#include "../must.h"
#include "esp_netif_net_stack.h"
#include "lwip/ip4.h"

struct netif {
	bool up;
	uint32_t ip, netmask;
};

/* lwIP's list begins with the interface that was started last. */
static struct netif cable, access_point;
static struct netif *const LIST[] = { &cable, &access_point };
static bool has_access_point;
struct esp_netif {
	struct netif *netif;
};

struct netif *ip4_route(const ip4_addr_t *destination)
{
	for (int i = 0; i < 2; i++) {
		const struct netif *each = LIST[i];
		if (each->up && ((each->ip ^ destination->addr) & each->netmask) == 0) return LIST[i];
	}
	return cable.up ? &cable : NULL;
}

struct netif *ip4_route_src(const ip4_addr_t *source, const ip4_addr_t *destination)
{
	for (int i = 0; i < 2; i++)
		if (LIST[i]->up && LIST[i]->ip == source->addr) return LIST[i];
	return ip4_route(destination);
}

esp_netif_t *esp_netif_get_handle_from_ifkey(const char *key)
{
	static esp_netif_t only = { &access_point };
	MUST(strcmp(key, "WIFI_AP_DEF") == 0);
	return has_access_point ? &only : NULL;
}

void *esp_netif_get_netif_impl(esp_netif_t *netif)
{
	return netif->netif;
}

esp_err_t esp_netif_get_netif_impl_name(esp_netif_t *netif, char *name)
{
	(void)netif;
	(void)name;
	return ESP_FAIL;
}

esp_err_t esp_netif_tcpip_exec(esp_err_t (*call)(void *context), void *context)
{
	return call(context);
}

static void have(struct netif *netif, const char *ip, const char *netmask)
{
	*netif = (struct netif){ ip != NULL, ip ? inet_addr(ip) : 0, netmask ? inet_addr(netmask) : 0 };
}

static bool is_there(const char *peer)
{
	return wifi_is_access_point_peer(inet_addr("192.168.4.1"), inet_addr(peer));
}

int main(void)
{
	MUST(!is_there("192.168.4.2"));
	has_access_point = true;
	MUST(!is_there("192.168.4.2"));
	have(&access_point, "192.168.4.1", "255.255.255.0");
	MUST(is_there("192.168.4.2") && !is_there("10.0.0.7"));
	/* A cable is connected as well. */
	have(&cable, "10.0.0.5", "255.255.255.0");
	MUST(is_there("192.168.4.2") && !is_there("10.0.0.7"));
	MUST(!wifi_is_access_point_peer(inet_addr("10.0.0.5"), inet_addr("10.0.0.7")));
	MUST(!wifi_is_access_point_peer(inet_addr("10.0.0.5"), inet_addr("192.168.4.2")));
	/* Both networks have the same addresses: replies to the access point's clients leave by the access point. */
	have(&cable, "192.168.4.20", "255.255.255.0");
	MUST(is_there("192.168.4.2"));
	MUST(!wifi_is_access_point_peer(inet_addr("192.168.4.20"), inet_addr("192.168.4.2")));
	/*
	 * The cable has the access point's address too: packets that leave by the cable are for no client of the access
	 * point.
	 */
	have(&cable, "192.168.4.1", "255.255.255.128");
	MUST(!is_there("192.168.4.2") && !is_there("192.168.4.200"));
	/* Only the cable has that address. */
	have(&access_point, NULL, NULL);
	MUST(!is_there("192.168.4.2") && !is_there("192.168.4.200"));
	MUST(!wifi_bind_to_access_point(-1));
	return 0;
}

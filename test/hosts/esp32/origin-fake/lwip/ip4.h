#ifndef LWIP_IP4_H
#define LWIP_IP4_H

#include <stdint.h>

typedef struct {
	uint32_t addr;
} ip4_addr_t;
struct netif;
struct netif *ip4_route(const ip4_addr_t *destination);
struct netif *ip4_route_src(const ip4_addr_t *source, const ip4_addr_t *destination);

#endif

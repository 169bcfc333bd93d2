#ifndef ESP_NETIF_NET_STACK_H
#define ESP_NETIF_NET_STACK_H

#include "esp_netif.h"

void *esp_netif_get_netif_impl(esp_netif_t *netif);

#endif

#ifndef ESP_NETIF_H
#define ESP_NETIF_H

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_FAIL = -1 };
typedef struct esp_netif esp_netif_t;
esp_netif_t *esp_netif_get_handle_from_ifkey(const char *key);
esp_err_t esp_netif_get_netif_impl_name(esp_netif_t *netif, char *name);
esp_err_t esp_netif_tcpip_exec(esp_err_t (*call)(void *context), void *context);

#endif

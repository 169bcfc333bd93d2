/* The part of ESP-IDF that hosts/esp32/wifi-driver.c needs. */
#ifndef ESP_NETIF_H
#define ESP_NETIF_H

#include <stdint.h>

#include "esp_err.h"

typedef struct esp_netif esp_netif_t;
typedef struct {
	uint32_t addr;
} esp_ip4_addr_t;
typedef struct {
	esp_ip4_addr_t ip, netmask, gw;
} esp_netif_ip_info_t;
typedef struct {
	struct {
		union {
			esp_ip4_addr_t ip4;
		} u_addr;
		uint8_t type;
	} ip;
} esp_netif_dns_info_t;
typedef struct {
	esp_netif_ip_info_t ip_info;
} ip_event_got_ip_t;

enum { IP_EVENT_STA_GOT_IP, IP_EVENT_STA_LOST_IP };
enum { ESP_IPADDR_TYPE_V4 = 0, ESP_NETIF_DNS_MAIN = 0 };
typedef enum { ESP_NETIF_OP_SET = 1 } esp_netif_dhcp_option_mode_t;
typedef enum { ESP_NETIF_CAPTIVEPORTAL_URI = 114 } esp_netif_dhcp_option_id_t;

esp_err_t esp_netif_init(void);
esp_netif_t *esp_netif_create_default_wifi_sta(void);
esp_netif_t *esp_netif_create_default_wifi_ap(void);
esp_err_t esp_netif_dhcps_stop(esp_netif_t *netif);
esp_err_t esp_netif_dhcps_start(esp_netif_t *netif);
esp_err_t esp_netif_dhcps_option(esp_netif_t *netif, esp_netif_dhcp_option_mode_t mode, esp_netif_dhcp_option_id_t id,
				 void *value, uint32_t length);
esp_err_t esp_netif_dhcpc_stop(esp_netif_t *netif);
esp_err_t esp_netif_dhcpc_start(esp_netif_t *netif);
esp_err_t esp_netif_set_ip_info(esp_netif_t *netif, const esp_netif_ip_info_t *info);
esp_err_t esp_netif_set_dns_info(esp_netif_t *netif, int type, esp_netif_dns_info_t *dns);
esp_err_t esp_netif_set_hostname(esp_netif_t *netif, const char *hostname);

#endif

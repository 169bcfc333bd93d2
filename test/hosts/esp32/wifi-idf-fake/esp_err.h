/* The part of ESP-IDF that hosts/esp32/wifi-driver.c needs. */
#ifndef ESP_ERR_H
#define ESP_ERR_H

#include <stdlib.h>

typedef int esp_err_t;

enum { ESP_OK = 0, ESP_FAIL = -1, ESP_ERR_INVALID_STATE = 0x103, ESP_ERR_ESP_NETIF_DHCP_ALREADY_STARTED = 0x5004 };

#define ESP_ERROR_CHECK(call) ((call) == ESP_OK ? (void)0 : abort())

#endif

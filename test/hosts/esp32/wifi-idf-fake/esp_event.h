/* The part of ESP-IDF that hosts/esp32/wifi-driver.c needs. */
#ifndef ESP_EVENT_H
#define ESP_EVENT_H

#include <stdint.h>

#include "esp_err.h"

typedef const char *esp_event_base_t;
typedef void (*esp_event_handler_t)(void *context, esp_event_base_t base, int32_t id, void *data);

extern esp_event_base_t const WIFI_EVENT, IP_EVENT;

esp_err_t esp_event_loop_create_default(void);
esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *context);
esp_err_t esp_event_handler_unregister(esp_event_base_t base, int32_t id, esp_event_handler_t handler);

#endif

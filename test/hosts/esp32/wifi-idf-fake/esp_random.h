/* The part of ESP-IDF that hosts/esp32/wifi-driver.c needs. */
#ifndef ESP_RANDOM_H
#define ESP_RANDOM_H

#include <stdint.h>

uint32_t esp_random(void);

#endif

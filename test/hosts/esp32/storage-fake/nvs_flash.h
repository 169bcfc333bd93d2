/* The part of ESP-IDF that hosts/esp32/storage-nvs.c needs; implemented in storage-fake.c. */
#ifndef NVS_FLASH_H
#define NVS_FLASH_H

#include "esp_err.h"

esp_err_t nvs_flash_init(void);
esp_err_t nvs_flash_erase(void);

#endif

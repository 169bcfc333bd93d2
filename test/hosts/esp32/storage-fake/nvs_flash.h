/* Of ESP-IDF what hosts/esp32/storage-nvs.c needs: storage-fake.c has it. */
#ifndef NVS_FLASH_H
#define NVS_FLASH_H

#include "esp_err.h"

esp_err_t nvs_flash_init(void);
esp_err_t nvs_flash_erase(void);

#endif

/* The part of ESP-IDF that hosts/esp32/storage-nvs.c needs, with its numbers. */
#ifndef ESP_ERR_H
#define ESP_ERR_H

typedef int esp_err_t;

enum { ESP_OK = 0, ESP_FAIL = -1, ESP_ERR_NO_MEM = 0x101 };

const char *esp_err_to_name(esp_err_t code);

#endif

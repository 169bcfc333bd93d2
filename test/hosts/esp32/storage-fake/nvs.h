/* The part of ESP-IDF that hosts/esp32/storage-nvs.c needs; implemented in storage-fake.c. */
#ifndef NVS_H
#define NVS_H

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"

typedef uint32_t nvs_handle_t;
typedef enum { NVS_READONLY, NVS_READWRITE } nvs_open_mode_t;

enum {
	ESP_ERR_NVS_BASE = 0x1100,
	ESP_ERR_NVS_NOT_INITIALIZED = ESP_ERR_NVS_BASE + 0x01,
	ESP_ERR_NVS_NOT_FOUND = ESP_ERR_NVS_BASE + 0x02,
	ESP_ERR_NVS_READ_ONLY = ESP_ERR_NVS_BASE + 0x04,
	ESP_ERR_NVS_NOT_ENOUGH_SPACE = ESP_ERR_NVS_BASE + 0x05,
	ESP_ERR_NVS_INVALID_HANDLE = ESP_ERR_NVS_BASE + 0x07,
	ESP_ERR_NVS_KEY_TOO_LONG = ESP_ERR_NVS_BASE + 0x09,
	ESP_ERR_NVS_INVALID_LENGTH = ESP_ERR_NVS_BASE + 0x0c,
	ESP_ERR_NVS_NO_FREE_PAGES = ESP_ERR_NVS_BASE + 0x0d,
	ESP_ERR_NVS_VALUE_TOO_LONG = ESP_ERR_NVS_BASE + 0x0e,
	ESP_ERR_NVS_NEW_VERSION_FOUND = ESP_ERR_NVS_BASE + 0x10,
};

esp_err_t nvs_open(const char *namespace_name, nvs_open_mode_t mode, nvs_handle_t *handle);
void nvs_close(nvs_handle_t handle);
esp_err_t nvs_get_blob(nvs_handle_t handle, const char *key, void *value, size_t *length);
esp_err_t nvs_set_blob(nvs_handle_t handle, const char *key, const void *value, size_t length);
esp_err_t nvs_erase_key(nvs_handle_t handle, const char *key);
esp_err_t nvs_commit(nvs_handle_t handle);

#endif

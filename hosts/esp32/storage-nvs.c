#include "storage-nvs.h"

#include <stdio.h>
#include <string.h>

#include "nvs.h"
#include "nvs_flash.h"

static const char NAMESPACE[] = "gateway";

static bool erased;

bool storage_nvs_start(void)
{
	esp_err_t result = nvs_flash_init();
	if (result == ESP_ERR_NVS_NO_FREE_PAGES || result == ESP_ERR_NVS_NEW_VERSION_FOUND) {
		printf("The settings can't be read (%s): they are erased.\n", esp_err_to_name(result));
		result = nvs_flash_erase();
		erased = result == ESP_OK;
		if (erased) result = nvs_flash_init();
	}
	return result == ESP_OK;
}

bool storage_nvs_was_erased(void)
{
	return erased;
}

bool storage_nvs_is_key(const char *key)
{
	size_t length = strlen(key);
	return length > 0 && length <= STORAGE_KEY_LIMIT &&
	       strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static bool check(esp_err_t result, const char *what, char message[STORAGE_MESSAGE_SIZE])
{
	if (result == ESP_ERR_NVS_NOT_ENOUGH_SPACE)
		snprintf(message, STORAGE_MESSAGE_SIZE, "the flash is full: the value can't be %s", what);
	else if (result != ESP_OK)
		snprintf(message, STORAGE_MESSAGE_SIZE, "the value can't be %s: %s", what, esp_err_to_name(result));
	return result == ESP_OK;
}

int storage_nvs_size(const char *key, char message[STORAGE_MESSAGE_SIZE])
{
	nvs_handle_t handle;
	size_t size = 0;
	esp_err_t result = nvs_open(NAMESPACE, NVS_READONLY, &handle);
	if (result == ESP_OK) {
		result = nvs_get_blob(handle, key, NULL, &size);
		nvs_close(handle);
	}
	if (result == ESP_ERR_NVS_NOT_FOUND) return STORAGE_ABSENT;
	if (result == ESP_OK && size > STORAGE_VALUE_LIMIT) result = ESP_ERR_NVS_VALUE_TOO_LONG;
	return check(result, "read", message) ? (int)size : STORAGE_FAILED;
}

bool storage_nvs_get(const char *key, void *value, size_t size, char message[STORAGE_MESSAGE_SIZE])
{
	nvs_handle_t handle;
	esp_err_t result = nvs_open(NAMESPACE, NVS_READONLY, &handle);
	if (result == ESP_OK) {
		result = nvs_get_blob(handle, key, value, &size);
		nvs_close(handle);
	}
	return check(result, "read", message);
}

bool storage_nvs_set(const char *key, const void *value, size_t size, char message[STORAGE_MESSAGE_SIZE])
{
	nvs_handle_t handle;
	esp_err_t result = nvs_open(NAMESPACE, NVS_READWRITE, &handle);
	if (result == ESP_OK) {
		result = nvs_set_blob(handle, key, value, size);
		if (result == ESP_OK) result = nvs_commit(handle);
		nvs_close(handle);
	}
	return check(result, "stored", message);
}

bool storage_nvs_delete(const char *key, char message[STORAGE_MESSAGE_SIZE])
{
	nvs_handle_t handle;
	esp_err_t result = nvs_open(NAMESPACE, NVS_READWRITE, &handle);
	if (result == ESP_OK) {
		result = nvs_erase_key(handle, key);
		if (result == ESP_OK) result = nvs_commit(handle);
		else if (result == ESP_ERR_NVS_NOT_FOUND) result = ESP_OK;
		nvs_close(handle);
	}
	return check(result, "deleted", message);
}

#include "storage-nvs.h"

#include <stdio.h>
#include <string.h>

#include "nvs.h"
#include "nvs_flash.h"

static const char *const NAMESPACES[] = { "gateway", "gateway2" };

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

static esp_err_t read_from(int place, const char *key, void *value, size_t *size)
{
	nvs_handle_t handle;
	esp_err_t result = nvs_open(NAMESPACES[place], NVS_READONLY, &handle);
	if (result != ESP_OK) return result;
	result = nvs_get_blob(handle, key, value, size);
	nvs_close(handle);
	return result;
}

static esp_err_t read_either(const char *key, void *value, size_t *size)
{
	esp_err_t result = read_from(0, key, value, size);
	return result == ESP_ERR_NVS_NOT_FOUND ? read_from(1, key, value, size) : result;
}

static esp_err_t write_to(int place, const char *key, const void *value, size_t size)
{
	nvs_handle_t handle;
	esp_err_t result = nvs_open(NAMESPACES[place], NVS_READWRITE, &handle);
	if (result != ESP_OK) return result;
	result = nvs_set_blob(handle, key, value, size);
	if (result == ESP_OK) result = nvs_commit(handle);
	nvs_close(handle);
	return result;
}

static esp_err_t delete_from(int place, const char *key)
{
	nvs_handle_t handle;
	esp_err_t result = nvs_open(NAMESPACES[place], NVS_READWRITE, &handle);
	if (result != ESP_OK) return result;
	result = nvs_erase_key(handle, key);
	if (result == ESP_OK) result = nvs_commit(handle);
	nvs_close(handle);
	return result == ESP_ERR_NVS_NOT_FOUND ? ESP_OK : result;
}

int storage_nvs_size(const char *key, char message[STORAGE_MESSAGE_SIZE])
{
	size_t size = 0;
	esp_err_t result = read_either(key, NULL, &size);
	if (result == ESP_ERR_NVS_NOT_FOUND) return STORAGE_ABSENT;
	if (result == ESP_OK && size > STORAGE_VALUE_LIMIT) result = ESP_ERR_NVS_VALUE_TOO_LONG;
	return check(result, "read", message) ? (int)size : STORAGE_FAILED;
}

bool storage_nvs_get(const char *key, void *value, size_t size, char message[STORAGE_MESSAGE_SIZE])
{
	return check(read_either(key, value, &size), "read", message);
}

bool storage_nvs_set(const char *key, const void *value, size_t size, char message[STORAGE_MESSAGE_SIZE])
{
	size_t old_size = 0;
	esp_err_t result = read_from(0, key, NULL, &old_size);
	if (result == ESP_OK) {
		result = write_to(1, key, value, size);
		if (result == ESP_OK) result = delete_from(0, key);
	} else if (result == ESP_ERR_NVS_NOT_FOUND) {
		result = write_to(0, key, value, size);
		/* If this call fails, the new value still hides the older one. */
		if (result == ESP_OK) delete_from(1, key);
	}
	return check(result, "stored", message);
}

/* Deletes the hidden value first, so that it cannot become visible again. */
bool storage_nvs_delete(const char *key, char message[STORAGE_MESSAGE_SIZE])
{
	esp_err_t result = delete_from(1, key);
	if (result == ESP_OK) result = delete_from(0, key);
	return check(result, "deleted", message);
}

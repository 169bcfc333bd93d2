#include "storage-fake.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvs_flash.h"
#include "../../must.h"

enum { ENTRIES = 8, KEY_SIZE = 16, VALUE_SIZE = 8192, ROOM = 12000, PLACES = 2 };

typedef struct {
	int place;
	char key[KEY_SIZE];
	size_t length;
	uint8_t value[VALUE_SIZE];
} entry;

typedef struct {
	bool exists[PLACES];
	entry entries[ENTRIES];
} store;

esp_err_t fake_errors[FAKE_CALLS];
unsigned fake_counts[FAKE_CALLS];
esp_err_t fake_damage;
bool fake_is_cut;
static store flash, written;
static bool started;
static unsigned handles;
static nvs_open_mode_t mode;
static int place;

static const nvs_handle_t HANDLE = 7;

/* Counts the call; returns its simulated error. */
static esp_err_t called(fake_call call)
{
	fake_counts[call]++;
	return fake_errors[call];
}

const char *esp_err_to_name(esp_err_t code)
{
	static char name[32];
	snprintf(name, sizeof(name), "error 0x%x", (unsigned)code);
	return name;
}

esp_err_t nvs_flash_init(void)
{
	esp_err_t error = called(FAKE_INIT);
	if (!error) error = fake_damage;
	started = started || !error;
	return error;
}

esp_err_t nvs_flash_erase(void)
{
	esp_err_t error = called(FAKE_ERASE);
	if (error) return error;
	fake_damage = ESP_OK;
	memset(&flash, 0, sizeof(flash));
	memset(&written, 0, sizeof(written));
	return ESP_OK;
}

esp_err_t nvs_open(const char *namespace_name, nvs_open_mode_t wanted, nvs_handle_t *handle)
{
	esp_err_t error = called(FAKE_OPEN);
	MUST(started && handles == 0);
	if (error) return error;
	place = strcmp(namespace_name, "gateway") == 0 ? 0 : 1;
	MUST(place == 0 || strcmp(namespace_name, "gateway2") == 0);
	if (wanted == NVS_READONLY && !written.exists[place]) return ESP_ERR_NVS_NOT_FOUND;
	written.exists[place] = true;
	mode = wanted;
	*handle = HANDLE;
	handles++;
	return ESP_OK;
}

void nvs_close(nvs_handle_t handle)
{
	MUST(handle == HANDLE && handles == 1);
	handles--;
}

static entry *find(const char *key)
{
	MUST(handles == 1 && strlen(key) > 0 && strlen(key) < KEY_SIZE);
	for (int i = 0; i < ENTRIES; i++)
		if (written.entries[i].place == place && strcmp(written.entries[i].key, key) == 0) return &written.entries[i];
	return NULL;
}

static entry *free_entry(void)
{
	for (int i = 0; i < ENTRIES; i++)
		if (!written.entries[i].key[0]) return &written.entries[i];
	return NULL;
}

esp_err_t nvs_get_blob(nvs_handle_t handle, const char *key, void *value, size_t *length)
{
	esp_err_t error = called(FAKE_GET);
	entry *found = find(key);
	MUST(handle == HANDLE);
	if (error) return error;
	if (!found) return ESP_ERR_NVS_NOT_FOUND;
	if (value && *length < found->length) return ESP_ERR_NVS_INVALID_LENGTH;
	if (value) memcpy(value, found->value, found->length);
	*length = found->length;
	return ESP_OK;
}

/* The new value needs room beside the old one. */
esp_err_t nvs_set_blob(nvs_handle_t handle, const char *key, const void *value, size_t length)
{
	esp_err_t error = called(FAKE_SET);
	entry *found = find(key);
	size_t used = length;
	MUST(handle == HANDLE && mode == NVS_READWRITE && value && length <= VALUE_SIZE);
	if (error) return error;
	if (fake_is_cut) {
		/* The next start erases both. */
		if (found) memset(found, 0, sizeof(*found));
		flash = written;
		return ESP_FAIL;
	}
	for (int i = 0; i < ENTRIES; i++) used += written.entries[i].length;
	if (!found) found = free_entry();
	if (!found || used > ROOM) return ESP_ERR_NVS_NOT_ENOUGH_SPACE;
	snprintf(found->key, KEY_SIZE, "%s", key);
	found->place = place;
	memcpy(found->value, value, length);
	found->length = length;
	return ESP_OK;
}

esp_err_t nvs_erase_key(nvs_handle_t handle, const char *key)
{
	esp_err_t error = called(FAKE_DELETE);
	entry *found = find(key);
	MUST(handle == HANDLE && mode == NVS_READWRITE);
	if (error) return error;
	if (!found) return ESP_ERR_NVS_NOT_FOUND;
	memset(found, 0, sizeof(*found));
	return ESP_OK;
}

esp_err_t nvs_commit(nvs_handle_t handle)
{
	esp_err_t error = called(FAKE_COMMIT);
	MUST(handle == HANDLE);
	if (!error) flash = written;
	return error;
}

void fake_cut_power(void)
{
	MUST(handles == 0);
	written = flash;
	started = false;
	memset(fake_counts, 0, sizeof(fake_counts));
}

void fake_put(const char *key, size_t length)
{
	entry *put = free_entry();
	MUST(put && length <= VALUE_SIZE);
	snprintf(put->key, KEY_SIZE, "%s", key);
	put->place = 0;
	put->length = length;
	written.exists[0] = true;
	flash = written;
}

#include "esp_partition.h"

#include <string.h>

enum { DATA = ESP_PARTITION_TYPE_DATA, OWN = ESP_PARTITION_SUBTYPE_DATA_UNDEFINED, SECTOR = 4096, BLOCK = 16 };
enum { APP = ESP_PARTITION_TYPE_APP, SLOT = ESP_PARTITION_SUBTYPE_APP_OTA_0 };

static const esp_partition_t partitions[] = {
	{ DATA, ESP_PARTITION_SUBTYPE_DATA_NVS, 0, FLASH_SIZE, "nvs", false },
	{ DATA, OWN, FLASH_SIZE * 1, FLASH_SIZE, "factory_data", false },
	{ DATA, OWN, FLASH_SIZE * 2, FLASH_SIZE, "sealed", true },
	{ DATA, OWN, FLASH_SIZE * 3, FLASH_SIZE, "log", false },
	{ DATA, OWN, FLASH_SIZE * 4, FLASH_SIZE, "history", false },
	{ APP, SLOT, FLASH_SIZE * 5, FLASH_SIZE, "ota_0", true },
	{ APP, SLOT + 1, FLASH_SIZE * 6, FLASH_SIZE, "ota_1", true },
};
enum { COUNT = sizeof(partitions) / sizeof(*partitions) };

static uint8_t flash[COUNT][FLASH_SIZE];
esp_err_t flash_error, flash_write_error;

/* The cipher is its own inverse, and changes every 0xff. */
static uint8_t crypt(const esp_partition_t *partition, size_t offset, uint8_t byte)
{
	return partition->encrypted ? byte ^ (uint8_t)(0x80 | offset * 7) : byte;
}

void flash_begin(void)
{
	memset(flash, 0xff, sizeof(flash));
	for (int i = 0; i < COUNT; i++)
		for (size_t at = 0; at < FLASH_SIZE; at++) flash[i][at] = crypt(&partitions[i], at, 0xff);
}

const esp_partition_t *esp_partition_find_first(int type, int subtype, const char *label)
{
	for (int i = 0; i < COUNT; i++)
		if (partitions[i].type == type && partitions[i].subtype == subtype && strcmp(partitions[i].label, label) == 0)
			return &partitions[i];
	return NULL;
}

uint8_t flash_byte(const char *label, size_t offset)
{
	return flash[esp_partition_find_first(DATA, OWN, label) - partitions][offset];
}

static esp_err_t check(const esp_partition_t *partition, size_t offset, size_t size)
{
	if (!partition) return ESP_ERR_INVALID_ARG;
	if (offset > partition->size || size > partition->size - offset) return ESP_ERR_INVALID_SIZE;
	return flash_error;
}

esp_err_t esp_partition_read_raw(const esp_partition_t *partition, size_t offset, void *into, size_t size)
{
	esp_err_t error = check(partition, offset, size);
	if (error == ESP_OK) memcpy(into, flash[partition - partitions] + offset, size);
	return error;
}

esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *into, size_t size)
{
	esp_err_t error = esp_partition_read_raw(partition, offset, into, size);
	for (size_t i = 0; i < size && error == ESP_OK; i++)
		((uint8_t *)into)[i] = crypt(partition, offset + i, ((uint8_t *)into)[i]);
	return error;
}

esp_err_t esp_partition_write(const esp_partition_t *partition, size_t offset, const void *bytes, size_t size)
{
	esp_err_t error = check(partition, offset, size);
	if (error == ESP_OK) error = flash_write_error;
	if (error == ESP_OK && partition->encrypted && (offset % BLOCK != 0 || size % BLOCK != 0)) return ESP_ERR_INVALID_ARG;
	for (size_t i = 0; i < size && error == ESP_OK; i++)
		flash[partition - partitions][offset + i] &= crypt(partition, offset + i, ((const uint8_t *)bytes)[i]);
	return error;
}

esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size)
{
	esp_err_t error = check(partition, offset, size);
	if (error != ESP_OK) return error;
	if (offset % SECTOR != 0 || size % SECTOR != 0) return ESP_ERR_INVALID_ARG;
	memset(flash[partition - partitions] + offset, 0xff, size);
	return ESP_OK;
}

/* See esp_partition.h. */
#include "esp_partition.h"

#include <string.h>

enum { DATA = ESP_PARTITION_TYPE_DATA, OWN = ESP_PARTITION_SUBTYPE_DATA_UNDEFINED, SECTOR = 4096 };

static const esp_partition_t partitions[] = {
	{ DATA, ESP_PARTITION_SUBTYPE_DATA_NVS, FLASH_SIZE, "nvs", false },
	{ DATA, OWN, FLASH_SIZE, "factory_data", false },
	{ DATA, OWN, FLASH_SIZE, "secret", true },
	{ DATA, OWN, FLASH_SIZE, "log", false },
	{ DATA, OWN, FLASH_SIZE, "history", false },
};
enum { COUNT = sizeof(partitions) / sizeof(*partitions) };

static uint8_t flash[COUNT][FLASH_SIZE];
esp_err_t flash_error, flash_write_error;

void flash_begin(void)
{
	memset(flash, 0xff, sizeof(flash));
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

esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *into, size_t size)
{
	esp_err_t error = check(partition, offset, size);
	if (error == ESP_OK) memcpy(into, flash[partition - partitions] + offset, size);
	return error;
}

esp_err_t esp_partition_write(const esp_partition_t *partition, size_t offset, const void *bytes, size_t size)
{
	esp_err_t error = check(partition, offset, size);
	if (error == ESP_OK) error = flash_write_error;
	for (size_t i = 0; i < size && error == ESP_OK; i++)
		flash[partition - partitions][offset + i] &= ((const uint8_t *)bytes)[i];
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

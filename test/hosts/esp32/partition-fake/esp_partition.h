/*
 * Fake of ESP-IDF's esp_partition.h: NOR flash, in which a write only clears bits. The cipher of encrypted partitions
 * changes each byte by its offset.
 */
#ifndef ESP_PARTITION_H
#define ESP_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_ERR_INVALID_ARG = 0x102, ESP_ERR_INVALID_SIZE = 0x104 };
enum { ESP_PARTITION_TYPE_APP = 0, ESP_PARTITION_SUBTYPE_APP_OTA_0 = 0x10 };
enum { ESP_PARTITION_TYPE_DATA = 1, ESP_PARTITION_SUBTYPE_DATA_NVS = 2, ESP_PARTITION_SUBTYPE_DATA_UNDEFINED = 6 };

typedef struct {
	int type, subtype;
	uint32_t address, size;
	const char *label;
	bool encrypted;
} esp_partition_t;

const esp_partition_t *esp_partition_find_first(int type, int subtype, const char *label);
esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *into, size_t size);
esp_err_t esp_partition_read_raw(const esp_partition_t *partition, size_t offset, void *into, size_t size);
esp_err_t esp_partition_write(const esp_partition_t *partition, size_t offset, const void *bytes, size_t size);
esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size);

/* ---- For the test ---- */

enum { FLASH_SIZE = 16384 };
/* Erases all flash; then the boot loader encrypts `sealed`. */
void flash_begin(void);
uint8_t flash_byte(const char *label, size_t offset);
/* Error of all calls, and of writing calls only; such a call has no effect. 0: the calls work. */
extern esp_err_t flash_error, flash_write_error;

#endif

/*
 * Partitions (hosts/native/partition.h) of the chip's flash (ESP-IDF 6.0, "Partitions API"), by their names in the table
 * of partitions. Only those of our own data, and none that is encrypted: erased bytes would not read as 0xFF there.
 */
#include "partition.h"

#include <stdio.h>
#include <string.h>

#include "esp_partition.h"

enum { PIECE = 64 };

static const esp_partition_t *find(const char *name)
{
	/* Of the same kind, but read by nobody else than factory-data.c. */
	if (strcmp(name, "factory_data") == 0) return NULL;
	const esp_partition_t *found =
		esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_DATA_UNDEFINED, name);
	return found && !found->encrypted ? found : NULL;
}

size_t partition_size(const char *name)
{
	const esp_partition_t *found = name[0] ? find(name) : NULL;
	return found ? found->size : 0;
}

/* True: it has succeeded. */
static bool check(esp_err_t result, const char *name, const char *what, char message[PARTITION_MESSAGE_SIZE])
{
	if (result != ESP_OK)
		snprintf(message, PARTITION_MESSAGE_SIZE, "the partition %s can't be %s: error 0x%x", name, what, (unsigned)result);
	return result == ESP_OK;
}

bool partition_read(const char *name, size_t offset, void *into, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	return check(esp_partition_read(find(name), offset, into, size), name, "read", message);
}

bool partition_write(
	const char *name, size_t offset, const void *bytes, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	const esp_partition_t *partition = find(name);
	uint8_t there[PIECE];
	for (size_t at = 0; at < size; at += sizeof(there)) {
		size_t count = size - at < sizeof(there) ? size - at : sizeof(there);
		if (!check(esp_partition_read(partition, offset + at, there, count), name, "read", message)) return false;
		for (size_t i = 0; i < count; i++) {
			if (there[i] == 0xff) continue;
			snprintf(message, PARTITION_MESSAGE_SIZE, "the partition %s is written at %u, and not erased", name,
				(unsigned)(offset + at + i));
			return false;
		}
	}
	return check(esp_partition_write(partition, offset, bytes, size), name, "written", message);
}

bool partition_erase(const char *name, size_t offset, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	return check(esp_partition_erase_range(find(name), offset, size), name, "erased", message);
}

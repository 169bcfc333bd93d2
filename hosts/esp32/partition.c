/*
 * Partitions (hosts/native/partition.h) in the chip's flash (ESP-IDF 6.0, "Partitions API"), with the names in the
 * partition table. The gateway can use the partitions that contain its own data, and the firmware slot that is not
 * running (update.h).
 *
 * On encrypted flash, an erased byte reads as 0xFF only if it is read without decryption. Therefore blocks are checked
 * with and without decryption. At the first start of a unit the boot loader encrypts the empty partitions: their bytes
 * then read as 0xFF with decryption although they are not erased. If a sector contains only such bytes, its first write
 * erases it.
 */
#include "partition.h"

#include <stdio.h>
#include <string.h>

#include "esp_partition.h"

#include "update-slot.h"

/* Bytes that are checked in one step: whole cipher blocks. */
enum { PIECE = 64 };

typedef esp_err_t reader(const esp_partition_t *partition, size_t offset, void *into, size_t size);

static const esp_partition_t *find(const char *name)
{
	if (strcmp(name, UPDATE_SLOT) == 0) return update_slot();
	if (strcmp(name, "factory_data") == 0) return NULL;
	return esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_DATA_UNDEFINED, name);
}

static size_t erased_length(const uint8_t *bytes, size_t size)
{
	size_t length = 0;
	while (length < size && bytes[length] == 0xff) length++;
	return length;
}

/* Reads decrypted bytes. Erased bytes read as 0xFF. */
static esp_err_t read_plain(const esp_partition_t *partition, size_t offset, void *into, size_t size)
{
	uint8_t *bytes = into, raw[PARTITION_WRITE_SIZE];
	esp_err_t result = esp_partition_read(partition, offset, into, size);
	if (!partition->encrypted) return result;
	for (size_t at = 0; at < size && result == ESP_OK;) {
		size_t skipped = (offset + at) % sizeof(raw), count = sizeof(raw) - skipped;
		if (count > size - at) count = size - at;
		result = esp_partition_read_raw(partition, offset + at - skipped, raw, sizeof(raw));
		if (result == ESP_OK && erased_length(raw, sizeof(raw)) == sizeof(raw)) memset(bytes + at, 0xff, count);
		at += count;
	}
	return result;
}

/* Sets *found to the position of the first byte that is not 0xFF, or to `end`. */
static esp_err_t find_written(reader *read, const esp_partition_t *partition, size_t offset, size_t end, size_t *found)
{
	uint8_t there[PIECE];
	for (*found = offset; *found < end;) {
		size_t count = end - *found < sizeof(there) ? end - *found : sizeof(there);
		esp_err_t result = read(partition, *found, there, count);
		size_t length = result == ESP_OK ? erased_length(there, count) : 0;
		*found += length;
		if (length < count) return result;
	}
	return ESP_OK;
}

/* Erases sectors that contain only the 0xFF that the boot loader has encrypted. Sets *found as find_written does. */
static esp_err_t erase_unused(const esp_partition_t *partition, size_t offset, size_t end, size_t *found)
{
	for (size_t at = offset; at < end;) {
		size_t sector = at - at % PARTITION_ERASE_SIZE, next = sector + PARTITION_ERASE_SIZE;
		size_t last = next < end ? next : end;
		esp_err_t result = find_written(esp_partition_read_raw, partition, at, last, found);
		if (result == ESP_OK && *found < last) {
			size_t used;
			result = find_written(read_plain, partition, sector, next, &used);
			if (result == ESP_OK && used < next) return ESP_OK;
			if (result == ESP_OK) result = esp_partition_erase_range(partition, sector, PARTITION_ERASE_SIZE);
		}
		if (result != ESP_OK) return result;
		at = *found = last;
	}
	return ESP_OK;
}

size_t partition_size(const char *name)
{
	const esp_partition_t *found = name[0] ? find(name) : NULL;
	return found ? found->size : 0;
}

static bool check(esp_err_t result, const char *name, const char *what, char message[PARTITION_MESSAGE_SIZE])
{
	if (result != ESP_OK)
		snprintf(message, PARTITION_MESSAGE_SIZE, "the partition %s can't be %s: error 0x%x", name, what, (unsigned)result);
	return result == ESP_OK;
}

bool partition_read(const char *name, size_t offset, void *into, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	return check(read_plain(find(name), offset, into, size), name, "read", message);
}

/* Returns false if `name` is the firmware slot and must not be changed now. */
static bool may_change(const char *name, char message[PARTITION_MESSAGE_SIZE])
{
	return strcmp(name, UPDATE_SLOT) != 0 || update_slot_is_free(message);
}

bool partition_write(
	const char *name, size_t offset, const void *bytes, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	const esp_partition_t *partition = find(name);
	size_t end = offset + size, found;
	if (!may_change(name, message)) return false;
	if (!check(find_written(read_plain, partition, offset, end, &found), name, "read", message)) return false;
	if (found == end && partition->encrypted
		&& !check(erase_unused(partition, offset, end, &found), name, "erased", message))
		return false;
	if (found < end) {
		snprintf(message, PARTITION_MESSAGE_SIZE, "the partition %s is written at %u, and not erased", name,
			(unsigned)found);
		return false;
	}
	return check(esp_partition_write(partition, offset, bytes, size), name, "written", message);
}

bool partition_erase(const char *name, size_t offset, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	if (!may_change(name, message)) return false;
	return check(esp_partition_erase_range(find(name), offset, size), name, "erased", message);
}

#include "power-retained.h"

#include <string.h>

static const uint32_t MARK = 0x736d6777;

/* CRC-32 of IEEE 802.3 over size and content. It is computed bit by bit, because a table would take flash. */
static uint32_t check_of(const retained_record *record)
{
	uint32_t crc = ~record->size;
	for (uint32_t i = 0; i < record->size; i++) {
		crc ^= record->bytes[i];
		for (unsigned bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

bool retained_keep(retained_record *record, const void *bytes, size_t size)
{
	retained_forget(record);
	if (size > RETAINED_LIMIT) return false;
	memcpy(record->bytes, bytes, size);
	record->size = (uint32_t)size;
	record->check = check_of(record);
	record->mark = MARK;
	return true;
}

int retained_recall(const retained_record *record, uint8_t into[RETAINED_LIMIT])
{
	if (record->mark != MARK || record->size > RETAINED_LIMIT || record->check != check_of(record)) return -1;
	if (into) memcpy(into, record->bytes, record->size);
	return (int)record->size;
}

void retained_forget(retained_record *record)
{
	record->mark = 0;
}

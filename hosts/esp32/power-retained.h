/*
 * A record in memory that survives a restart and deep sleep. After a power cut the memory has arbitrary content; a
 * wrong mark or checksum then means that there is no record.
 */
#ifndef POWER_RETAINED_H
#define POWER_RETAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RETAINED_LIMIT = 256 };

typedef struct {
	uint32_t mark, size, check;
	uint8_t bytes[RETAINED_LIMIT];
} retained_record;

/* False, with the record cleared, for more than RETAINED_LIMIT. */
bool retained_keep(retained_record *record, const void *bytes, size_t size);
/* -1 if nothing was kept. `into` may be NULL. */
int retained_recall(const retained_record *record, uint8_t into[RETAINED_LIMIT]);
void retained_forget(retained_record *record);

#endif

/*
 * A record in memory that keeps its content through a restart and deep sleep. After a power cut the memory has
 * arbitrary content. A wrong mark or checksum then shows that there is no record.
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

/* Stores the bytes. If `size` exceeds RETAINED_LIMIT, clears the record and returns false. */
bool retained_keep(retained_record *record, const void *bytes, size_t size);
/* Copies the bytes to `into`, which may be NULL. Returns their number, or -1 if nothing was stored. */
int retained_recall(const retained_record *record, uint8_t into[RETAINED_LIMIT]);
void retained_forget(retained_record *record);

#endif

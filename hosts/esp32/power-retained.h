/*
 * A record in memory that outlives a restart and deep sleep, but not a power cut. After one it holds anything, so the
 * record has a mark and a checksum; what doesn't match was never kept. Plain C; power.c and system.c have the memory.
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

/* False, and nothing is kept any more, for more than RETAINED_LIMIT bytes. */
bool retained_keep(retained_record *record, const void *bytes, size_t size);
/* The record's size, or -1: none was kept. `into` may be NULL. */
int retained_recall(const retained_record *record, uint8_t into[RETAINED_LIMIT]);
void retained_forget(retained_record *record);

#endif

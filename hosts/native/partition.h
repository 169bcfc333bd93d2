/*
 * Partitions of NOR flash (modules/io/flash.ts). Each host defines these functions. Their caller, partition-xs.c,
 * checks the arguments. No function throws; each waits for the flash.
 */
#ifndef PARTITION_H
#define PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARTITION_NAME_LIMIT = 15, PARTITION_ERASE_SIZE = 4096, PARTITION_WRITE_SIZE = 16, PARTITION_MESSAGE_SIZE = 128 };

/* Returns the size in bytes, or 0 if there is no such partition or the gateway may not use it. */
size_t partition_size(const char *name);

/* Returns false on failure, with `message` for the user. */
bool partition_read(
	const char *name, size_t offset, void *into, size_t size, char message[PARTITION_MESSAGE_SIZE]);
/* Writes nothing and returns false if any byte in the range is not erased. */
bool partition_write(
	const char *name, size_t offset, const void *bytes, size_t size, char message[PARTITION_MESSAGE_SIZE]);
bool partition_erase(const char *name, size_t offset, size_t size, char message[PARTITION_MESSAGE_SIZE]);

#endif

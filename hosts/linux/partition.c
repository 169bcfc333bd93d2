/*
 * Partitions as files in the folder $GATEWAY_STATE/partitions. They have the sizes of the partitions in 4 MB of flash
 * (hosts/esp32/partitions-4mb.csv). At its first use a file is created with erased bytes. The files behave like NOR
 * flash: written data stay until they are erased.
 */
#include "partition.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const struct {
	const char *name;
	size_t size;
} partitions[] = { { "history", 0x8000 }, { "log", 0x2000 }, { "slot_0", 0x1e0000 }, { "slot_1", 0x1e0000 } };

size_t partition_size(const char *name)
{
	for (size_t i = 0; i < sizeof(partitions) / sizeof(*partitions); i++)
		if (strcmp(partitions[i].name, name) == 0) return partitions[i].size;
	return 0;
}

static bool complain(const char *name, const char *what, char message[PARTITION_MESSAGE_SIZE])
{
	snprintf(message, PARTITION_MESSAGE_SIZE, "the partition %s can't be %s: %s", name, what, strerror(errno));
	return false;
}

static bool fill(int file, size_t offset, size_t size)
{
	uint8_t erased[PARTITION_ERASE_SIZE];
	memset(erased, 0xff, sizeof(erased));
	for (size_t end = offset + size; offset < end; offset += sizeof(erased))
		if (pwrite(file, erased, sizeof(erased), (off_t)offset) != (ssize_t)sizeof(erased)) return false;
	return true;
}

/* Returns a descriptor, or -1 with `errno` set on failure. */
static int open_file(const char *name)
{
	char path[PATH_SIZE];
	const char *state = getenv("GATEWAY_STATE");
	snprintf(path, sizeof(path), "%s/partitions", state ? state : ".");
	mkdir(path, 0700);
	if (snprintf(path, sizeof(path), "%s/partitions/%s", state ? state : ".", name) >= PATH_SIZE) {
		errno = ENAMETOOLONG;
		return -1;
	}
	size_t size = partition_size(name);
	struct stat status;
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || fstat(file, &status) < 0) return file;
	if ((size_t)status.st_size == size || fill(file, 0, size)) return file;
	close(file);
	return -1;
}

bool partition_read(const char *name, size_t offset, void *into, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	int file = open_file(name);
	bool done = file >= 0 && pread(file, into, size, (off_t)offset) == (ssize_t)size;
	if (!done) complain(name, "read", message);
	if (file >= 0) close(file);
	return done;
}

static bool is_erased(int file, size_t offset, size_t size)
{
	uint8_t bytes[PARTITION_WRITE_SIZE];
	for (size_t end = offset + size; offset < end; offset += sizeof(bytes)) {
		if (pread(file, bytes, sizeof(bytes), (off_t)offset) != (ssize_t)sizeof(bytes)) return false;
		for (size_t i = 0; i < sizeof(bytes); i++)
			if (bytes[i] != 0xff) return false;
	}
	return true;
}

bool partition_write(
	const char *name, size_t offset, const void *bytes, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	int file = open_file(name);
	bool erased = file >= 0 && is_erased(file, offset, size);
	bool done = erased && pwrite(file, bytes, size, (off_t)offset) == (ssize_t)size;
	if (file >= 0 && !erased)
		snprintf(message, PARTITION_MESSAGE_SIZE, "the partition %s is written at %zu, and not erased", name, offset);
	else if (!done) complain(name, "written", message);
	if (file >= 0) close(file);
	return done;
}

bool partition_erase(const char *name, size_t offset, size_t size, char message[PARTITION_MESSAGE_SIZE])
{
	int file = open_file(name);
	bool done = file >= 0 && fill(file, offset, size);
	if (!done) complain(name, "erased", message);
	if (file >= 0) close(file);
	return done;
}

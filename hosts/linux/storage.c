/*
 * The key-value store of the host contract. A value is written to a temporary file, which is synchronised and renamed
 * to replace the old one. After a power cut, either the old or the new value therefore exists. KEY_LIMIT and
 * VALUE_LIMIT are as in the contract.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mc.xs.h"
#include "xsmc.h"

enum { KEY_LIMIT = 15, VALUE_LIMIT = 4500, PATH_SIZE = 4096 };
/* Ending of temporary files. Keys contain no dot, so a temporary file is never mistaken for a value. */
#define TEMPORARY ".new"

static void check_key(xsMachine *the, const char *key)
{
	size_t length = strlen(key);
	if (length == 0 || length > KEY_LIMIT || strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_") != length)
		xsRangeError("a key is 1 to 15 characters a-z, 0-9 and _");
}

static void path_of(xsMachine *the, char path[PATH_SIZE], const char *suffix)
{
	char key[KEY_LIMIT + 2] = "";
	strncpy(key, xsmcToString(xsArg(1)), sizeof key - 1);
	check_key(the, key);
	mkdir(xsmcToString(xsArg(0)), 0700);
	if (snprintf(path, PATH_SIZE, "%s/%s%s", xsmcToString(xsArg(0)), key, suffix) >= PATH_SIZE)
		xsUnknownError("the path of the flash folder is too long");
}

static bool sync_folder(const char *folder)
{
	int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = descriptor >= 0 && fsync(descriptor) == 0;
	if (descriptor >= 0) close(descriptor);
	return done;
}

void xs_storage_get(xsMachine *the)
{
	char path[PATH_SIZE];
	path_of(the, path, "");
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0) {
		if (errno != ENOENT) xsUnknownError("%s can't be read: %s", path, strerror(errno));
		return;
	}
	uint8_t value[VALUE_LIMIT];
	ssize_t size = read(descriptor, value, sizeof value);
	close(descriptor);
	if (size < 0) xsUnknownError("%s can't be read: %s", path, strerror(errno));
	xsmcSetArrayBuffer(xsResult, value, (xsIntegerValue)size);
}

static bool write_file(const char *path, const void *value, size_t size)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (descriptor < 0) return false;
	bool done = write(descriptor, value, size) == (ssize_t)size && fsync(descriptor) == 0;
	return close(descriptor) == 0 && done;
}

void xs_storage_set(xsMachine *the)
{
	char path[PATH_SIZE], temporary[PATH_SIZE];
	path_of(the, path, "");
	path_of(the, temporary, TEMPORARY);
	void *value;
	xsUnsignedValue size;
	xsmcGetBufferReadable(xsArg(2), &value, &size);
	if (size > VALUE_LIMIT) xsRangeError("a value has at most 4500 bytes");
	if (!write_file(temporary, value, size) || rename(temporary, path) < 0 || !sync_folder(xsmcToString(xsArg(0))))
		xsUnknownError("%s can't be written: %s", path, strerror(errno));
}

void xs_storage_delete(xsMachine *the)
{
	char path[PATH_SIZE];
	path_of(the, path, "");
	bool deleted = unlink(path) == 0;
	if (deleted ? !sync_folder(xsmcToString(xsArg(0))) : errno != ENOENT)
		xsUnknownError("%s can't be deleted: %s", path, strerror(errno));
}

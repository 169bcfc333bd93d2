/* XS binding of the key-value store (storage-nvs.h). prelaunch.c calls storage_nvs_start before XS starts. */
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "storage-nvs.h"

static void get_key(xsMachine *the, char key[STORAGE_KEY_LIMIT + 2])
{
	memset(key, 0, STORAGE_KEY_LIMIT + 2);
	strncpy(key, xsmcToString(xsArg(0)), STORAGE_KEY_LIMIT + 1);
	if (!storage_nvs_is_key(key)) xsRangeError("a key is 1 to 15 characters a-z, 0-9 and _");
}

void xs_storage_get(xsMachine *the)
{
	char key[STORAGE_KEY_LIMIT + 2], message[STORAGE_MESSAGE_SIZE];
	get_key(the, key);
	int size = storage_nvs_size(key, message);
	if (size == STORAGE_ABSENT) return;
	if (size < 0) xsUnknownError("%s", message);
	xsmcSetArrayBuffer(xsResult, NULL, size);
	if (!storage_nvs_get(key, xsmcToArrayBuffer(xsResult), (size_t)size, message)) xsUnknownError("%s", message);
}

void xs_storage_set(xsMachine *the)
{
	char key[STORAGE_KEY_LIMIT + 2], message[STORAGE_MESSAGE_SIZE];
	void *value;
	xsUnsignedValue size;
	get_key(the, key);
	xsmcGetBufferReadable(xsArg(1), &value, &size);
	if (size > STORAGE_VALUE_LIMIT) xsRangeError("a value has at most 4500 bytes");
	if (!storage_nvs_set(key, value, size, message)) xsUnknownError("%s", message);
}

void xs_storage_delete(xsMachine *the)
{
	char key[STORAGE_KEY_LIMIT + 2], message[STORAGE_MESSAGE_SIZE];
	get_key(the, key);
	if (!storage_nvs_delete(key, message)) xsUnknownError("%s", message);
}

void xs_storage_was_erased(xsMachine *the)
{
	xsmcSetBoolean(xsResult, storage_nvs_was_erased());
}

/* XS binding of the flash partitions. It checks all limits of modules/io/flash.ts. */
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "partition.h"

/* Copies the partition's name. A name that is too long is cut to one that matches no partition. */
static void get_name(xsMachine *the, char name[PARTITION_NAME_LIMIT + 2])
{
	memset(name, 0, PARTITION_NAME_LIMIT + 2);
	strncpy(name, xsmcToString(xsArg(0)), PARTITION_NAME_LIMIT + 1);
}

static size_t get_number(xsMachine *the, xsIntegerValue index, size_t most, size_t unit)
{
	double number = xsmcToNumber(xsArg(index));
	if (!(number >= 0 && number <= (double)most)) xsRangeError("beyond the partition");
	size_t whole = (size_t)number;
	if ((double)whole != number || whole % unit != 0) xsRangeError("not in whole units of the flash");
	return whole;
}

/* Argument: name. Returns the size in bytes, or 0 if there is no such partition. */
void xs_partition_size(xsMachine *the)
{
	char name[PARTITION_NAME_LIMIT + 2];
	get_name(the, name);
	xsmcSetInteger(xsResult, (xsIntegerValue)partition_size(name));
}

typedef struct {
	char name[PARTITION_NAME_LIMIT + 2];
	size_t offset, size;
	uint8_t *bytes;
} flash_range;

/*
 * Arguments: name, offset, view, start, end. The pointer is obtained last, because nothing may move the bytes
 * afterwards.
 */
static flash_range get_range(xsMachine *the, size_t unit, bool into)
{
	flash_range range;
	void *data;
	xsUnsignedValue length;
	get_name(the, range.name);
	size_t size = partition_size(range.name);
	range.offset = get_number(the, 1, size, unit);
	if (into) xsmcGetBufferWritable(xsArg(2), &data, &length);
	else xsmcGetBufferReadable(xsArg(2), &data, &length);
	size_t start = get_number(the, 3, length, 1), end = get_number(the, 4, length, 1);
	if (end < start) xsRangeError("it ends before its start");
	range.size = end - start;
	if (range.size % unit != 0) xsRangeError("not in whole units of the flash");
	if (range.size > size - range.offset) xsRangeError("beyond the partition");
	if (into) xsmcGetBufferWritable(xsArg(2), &data, &length);
	else xsmcGetBufferReadable(xsArg(2), &data, &length);
	range.bytes = (uint8_t *)data + start;
	return range;
}

void xs_partition_read(xsMachine *the)
{
	char message[PARTITION_MESSAGE_SIZE];
	flash_range range = get_range(the, 1, true);
	if (range.size > 0 && !partition_read(range.name, range.offset, range.bytes, range.size, message))
		xsUnknownError("%s", message);
}

void xs_partition_write(xsMachine *the)
{
	char message[PARTITION_MESSAGE_SIZE];
	flash_range range = get_range(the, PARTITION_WRITE_SIZE, false);
	if (range.size > 0 && !partition_write(range.name, range.offset, range.bytes, range.size, message))
		xsUnknownError("%s", message);
}

void xs_partition_erase(xsMachine *the)
{
	char name[PARTITION_NAME_LIMIT + 2], message[PARTITION_MESSAGE_SIZE];
	get_name(the, name);
	size_t size = partition_size(name), offset = get_number(the, 1, size, PARTITION_ERASE_SIZE);
	size_t length = get_number(the, 2, size - offset, PARTITION_ERASE_SIZE);
	if (length > 0 && !partition_erase(name, offset, length, message)) xsUnknownError("%s", message);
}

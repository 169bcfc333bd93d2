/*
 * Tests of partitions (partition-xs.c of hosts/native, partition.c of hosts/esp32) on fakes of the engine (xs-fake/)
 * and of the flash (partition-fake/), for xs-bindings.test.ts. Exits with 0, or prints the failed line.
 */
#include <string.h>

#include "esp_partition.h"
#include "xs-fake.h"

fake_native xs_partition_size, xs_partition_read, xs_partition_write, xs_partition_erase;

static xsMachine machine;

#define NAME FAKE_STRING("log")
#define NUMBER(x) ((xsSlot){ .kind = FAKE_NUMBER, .value.number = (x) })

static const char UNITS[] = "RangeError: not in whole units of the flash";
static const char BEYOND[] = "RangeError: beyond the partition";

static int32_t size_of(const char *name)
{
	xsSlot result;
	RUN(xs_partition_size, FAKE_NOTHING, &result, FAKE_STRING(name));
	return result.value.integer;
}

static void finds(void)
{
	MUST(size_of("log") == FLASH_SIZE);
	MUST(size_of("history") == FLASH_SIZE);
	MUST(size_of("sealed") == FLASH_SIZE);
	/* Partitions of another kind or use, and invalid names. */
	static const char *const others[] = { "nvs", "factory_data", "Log", "", "a name that is far too long" };
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) MUST(size_of(others[i]) == 0);
}

static void keeps(void)
{
	uint8_t bytes[200];
	xsSlot into = fake_buffer(&machine, NULL, sizeof(bytes)), self = FAKE_NOTHING;
	for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (uint8_t)i;
	xsSlot from = fake_buffer(&machine, bytes, sizeof(bytes));
	RUN(xs_partition_write, self, NULL, NAME, FAKE_INT(32), from, FAKE_INT(3), FAKE_INT(163));
	RUN(xs_partition_read, self, NULL, NAME, FAKE_INT(33), into, FAKE_INT(5), FAKE_INT(164));
	MUST(memcmp(into.value.thing->bytes + 5, bytes + 4, 159) == 0);
	MUST(into.value.thing->bytes[4] == 0 && into.value.thing->bytes[164] == 0);
	THROWS("Error: the partition log is written at 32, and not erased", xs_partition_write, self, NAME, FAKE_INT(0), from,
		FAKE_INT(0), FAKE_INT(48));
	/* Nothing was written. */
	MUST(flash_byte("log", 0) == 0xff && flash_byte("history", 32) == 0xff);
	RUN(xs_partition_erase, self, NULL, NAME, FAKE_INT(0), FAKE_INT(4096));
	MUST(flash_byte("log", 32) == 0xff);
	RUN(xs_partition_write, self, NULL, NAME, FAKE_INT(FLASH_SIZE - 16), from, FAKE_INT(0), FAKE_INT(16));
	MUST(flash_byte("log", FLASH_SIZE - 1) == 15);
}

/* On encrypted flash, erased bytes read as 0xFF, even those that the boot loader has encrypted. */
static void keeps_secrets(void)
{
	uint8_t bytes[256], expected[256];
	xsSlot name = FAKE_STRING("sealed"), self = FAKE_NOTHING, zero = FAKE_INT(0), all = FAKE_INT(sizeof(bytes));
	xsSlot into = fake_buffer(&machine, NULL, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (uint8_t)i;
	xsSlot from = fake_buffer(&machine, bytes, sizeof(bytes));
	memset(expected, 0xff, sizeof(expected));
	MUST(flash_byte("sealed", 4096) != 0xff);
	RUN(xs_partition_read, self, NULL, name, FAKE_INT(4096), into, zero, all);
	MUST(memcmp(into.value.thing->bytes, expected, sizeof(expected)) == 0);
	/* The first write erases the two sectors that it touches, and no other. */
	RUN(xs_partition_write, self, NULL, name, FAKE_INT(8192 - 112), from, zero, FAKE_INT(128));
	MUST(flash_byte("sealed", 4096) == 0xff && flash_byte("sealed", 8192 + 16) == 0xff);
	MUST(flash_byte("sealed", 4095) != 0xff && flash_byte("sealed", 3 * 4096) != 0xff);
	RUN(xs_partition_read, self, NULL, name, FAKE_INT(8192 - 112 - 5), into, zero, FAKE_INT(250));
	memcpy(expected + 5, bytes, 128);
	MUST(memcmp(into.value.thing->bytes, expected, 250) == 0);
	/* The rest of a sector can be written, also with 0xFF. */
	memset(bytes, 0xff, 16);
	xsSlot ones = fake_buffer(&machine, bytes, 16);
	RUN(xs_partition_write, self, NULL, name, FAKE_INT(8192 + 32), ones, zero, FAKE_INT(16));
	MUST(flash_byte("sealed", 8192 + 32) != 0xff);
	RUN(xs_partition_read, self, NULL, name, FAKE_INT(8192 + 31), into, zero, FAKE_INT(18));
	MUST(memcmp(into.value.thing->bytes, expected + 200, 18) == 0);
	THROWS("Error: the partition sealed is written at 8224, and not erased", xs_partition_write, self, name,
		FAKE_INT(8192 + 32), from, zero, FAKE_INT(16));
	THROWS("Error: the partition sealed is written at 8080, and not erased", xs_partition_write, self, name,
		FAKE_INT(8064), from, zero, FAKE_INT(64));
	RUN(xs_partition_erase, self, NULL, name, FAKE_INT(8192), FAKE_INT(4096));
	RUN(xs_partition_read, self, NULL, name, FAKE_INT(8192), into, zero, all);
	memset(expected, 0xff, sizeof(expected));
	MUST(memcmp(into.value.thing->bytes, expected, sizeof(expected)) == 0);
}

static void refuses(void)
{
	xsSlot self = FAKE_NOTHING, bytes = fake_buffer(&machine, NULL, 64), zero = FAKE_INT(0);
	THROWS(UNITS, xs_partition_write, self, NAME, FAKE_INT(8), bytes, zero, FAKE_INT(16));
	THROWS(UNITS, xs_partition_write, self, NAME, FAKE_INT(16), bytes, zero, FAKE_INT(17));
	THROWS(UNITS, xs_partition_write, self, NAME, NUMBER(0.5), bytes, zero, FAKE_INT(16));
	THROWS(BEYOND, xs_partition_write, self, NAME, FAKE_INT(FLASH_SIZE), bytes, zero, FAKE_INT(16));
	THROWS(BEYOND, xs_partition_write, self, NAME, FAKE_INT(-16), bytes, zero, FAKE_INT(16));
	THROWS(BEYOND, xs_partition_write, self, NAME, NUMBER(0.0 / 0.0), bytes, zero, FAKE_INT(16));
	THROWS(BEYOND, xs_partition_write, self, NAME, NUMBER(1e30), bytes, zero, FAKE_INT(16));
	THROWS(BEYOND, xs_partition_write, self, NAME, zero, bytes, zero, FAKE_INT(80));
	THROWS(BEYOND, xs_partition_read, self, NAME, FAKE_INT(FLASH_SIZE - 1), bytes, zero, FAKE_INT(2));
	THROWS("RangeError: it ends before its start", xs_partition_read, self, NAME, zero, bytes, FAKE_INT(2), FAKE_INT(1));
	THROWS(UNITS, xs_partition_erase, self, NAME, FAKE_INT(16), FAKE_INT(4096));
	THROWS(UNITS, xs_partition_erase, self, NAME, zero, FAKE_INT(16));
	THROWS(BEYOND, xs_partition_erase, self, NAME, FAKE_INT(FLASH_SIZE), FAKE_INT(4096));
	THROWS(BEYOND, xs_partition_erase, self, NAME, zero, FAKE_INT(FLASH_SIZE + 4096));
	THROWS(BEYOND, xs_partition_erase, self, FAKE_STRING("nvs"), zero, FAKE_INT(4096));
	/* Zero bytes are valid. */
	RUN(xs_partition_erase, self, NULL, NAME, FAKE_INT(FLASH_SIZE), zero);
	RUN(xs_partition_write, self, NULL, NAME, zero, bytes, FAKE_INT(7), FAKE_INT(7));
	RUN(xs_partition_read, self, NULL, NAME, FAKE_INT(FLASH_SIZE), bytes, zero, zero);
}

static void tells_of_failure(void)
{
	xsSlot self = FAKE_NOTHING, bytes = fake_buffer(&machine, NULL, 64), zero = FAKE_INT(0);
	flash_error = 0x103;
	THROWS("Error: the partition log can't be read: error 0x103", xs_partition_read, self, NAME, zero, bytes, zero,
		FAKE_INT(1));
	THROWS("Error: the partition log can't be read: error 0x103", xs_partition_write, self, NAME, zero, bytes, zero,
		FAKE_INT(16));
	THROWS("Error: the partition log can't be erased: error 0x103", xs_partition_erase, self, NAME, zero, FAKE_INT(4096));
	flash_error = 0;
	flash_write_error = 0x103;
	THROWS("Error: the partition log can't be written: error 0x103", xs_partition_write, self, NAME, zero, bytes, zero,
		FAKE_INT(16));
	flash_write_error = 0;
}

int main(void)
{
	flash_begin();
	finds();
	keeps();
	keeps_secrets();
	refuses();
	tells_of_failure();
	fake_end_machine(&machine);
	return 0;
}

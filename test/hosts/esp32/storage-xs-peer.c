/*
 * Tests of the store's XS binding (storage-xs.c) on fakes of the engine (xs-fake/) and of NVS (storage-fake/), for
 * xs-bindings.test.ts. Exits with 0, or prints the failed line.
 */
#include <string.h>

#include "../../../hosts/esp32/storage-nvs.h"

#include "storage-fake.h"
#include "xs-fake.h"

fake_native xs_storage_get, xs_storage_set, xs_storage_delete, xs_storage_was_erased;

static const char KEY_ERROR[] = "RangeError: a key is 1 to 15 characters a-z, 0-9 and _";

static xsMachine machine;

int main(void)
{
	static const int32_t sizes[] = { 0, 1, 4499, STORAGE_VALUE_LIMIT };
	static const char *const bad_keys[] = { "", "1234567890123456", "A", "a-b", "a b", "\xc3\xa4" };
	xsSlot self = FAKE_NOTHING, result, value = fake_buffer(&machine, "value", 5);
	MUST(storage_nvs_start());
	RUN(xs_storage_was_erased, self, &result);
	MUST(result.kind == FAKE_BOOLEAN && !result.value.boolean);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		static uint8_t bytes[STORAGE_VALUE_LIMIT];
		memset(bytes, 'a' + (int)i, sizeof(bytes));
		RUN(xs_storage_set, self, NULL, FAKE_STRING("a_15_characters"), fake_buffer(&machine, bytes, (size_t)sizes[i]));
		RUN(xs_storage_get, self, &result, FAKE_STRING("a_15_characters"));
		MUST(result.value.thing->sort == FAKE_BUFFER && result.value.thing->size == (size_t)sizes[i]);
		MUST(memcmp(result.value.thing->bytes, bytes, (size_t)sizes[i]) == 0);
	}
	for (size_t i = 0; i < sizeof(bad_keys) / sizeof(*bad_keys); i++) {
		THROWS(KEY_ERROR, xs_storage_get, self, FAKE_STRING(bad_keys[i]));
		THROWS(KEY_ERROR, xs_storage_set, self, FAKE_STRING(bad_keys[i]), value);
		THROWS(KEY_ERROR, xs_storage_delete, self, FAKE_STRING(bad_keys[i]));
	}
	/* Keys of other types are converted to strings. */
	RUN(xs_storage_set, self, NULL, FAKE_INT(17), value);
	RUN(xs_storage_get, self, &result, FAKE_STRING("17"));
	MUST(result.value.thing->size == 5 && memcmp(result.value.thing->bytes, "value", 5) == 0);
	RUN(xs_storage_delete, self, NULL, FAKE_STRING("17"));
	RUN(xs_storage_delete, self, NULL, FAKE_STRING("17"));
	RUN(xs_storage_get, self, &result, FAKE_STRING("17"));
	MUST(result.kind == FAKE_UNDEFINED);
	THROWS("SyntaxError: no argument 0", xs_storage_get, self);
	THROWS("SyntaxError: no argument 1", xs_storage_set, self, FAKE_STRING("key"));
	THROWS("TypeError: invalid buffer", xs_storage_set, self, FAKE_STRING("key"), FAKE_STRING("value"));
	xsSlot large = fake_buffer(&machine, NULL, STORAGE_VALUE_LIMIT + 1);
	THROWS("RangeError: a value has at most 4500 bytes", xs_storage_set, self, FAKE_STRING("key"), large);
	fake_errors[FAKE_SET] = ESP_ERR_NVS_NOT_ENOUGH_SPACE;
	THROWS("Error: the flash is full: the value can't be stored", xs_storage_set, self, FAKE_STRING("key"), value);
	fake_errors[FAKE_GET] = ESP_FAIL;
	MUST(!fake_run(&machine, xs_storage_get, self, 1, (xsSlot[]){ FAKE_STRING("a_15_characters") }, &result));
	MUST(strncmp(machine.message, "Error: the value can't be read", 30) == 0);
	fake_errors[FAKE_OPEN] = ESP_FAIL;
	MUST(!fake_run(&machine, xs_storage_delete, self, 1, (xsSlot[]){ FAKE_STRING("key") }, &result));
	MUST(strncmp(machine.message, "Error: the value can't be", 25) == 0);
	fake_end_machine(&machine);
	return 0;
}

/*
 * Tests of the OTA slots (update-xs.c, update.c and partition.c) on fakes of the engine (xs-fake/), of the flash
 * (partition-fake/), and of ESP-IDF's slots and the boot loader (update-fake/), for xs-bindings.test.ts. Exits with 0,
 * or prints the failed line.
 */
#include <string.h>

#include "../../../hosts/esp32/update.h"

#include "esp_ota_ops.h"
#include "xs-fake.h"

fake_native xs_partition_size, xs_partition_read, xs_partition_write, xs_partition_erase;
fake_native xs_update_state, xs_update_given_up, xs_update_activate, xs_update_confirm, xs_update_roll_back;

static xsMachine machine;

#define NAME FAKE_STRING(UPDATE_SLOT)
#define ON_TRIAL "Error: the running firmware is on trial: the one before must stay"
#define NO_IMAGE "Error: the firmware can't be started: the image is damaged, or for another chip"

static bool is_on_trial(void)
{
	xsSlot result;
	RUN(xs_update_state, FAKE_NOTHING, &result);
	return result.value.integer == UPDATE_ON_TRIAL;
}

static bool given_up(const char *text)
{
	xsSlot result;
	RUN(xs_update_given_up, FAKE_NOTHING, &result);
	return fake_is_text(&result, text);
}

static void put(uint32_t magic, uint32_t length, const char *version)
{
	fake_image image = { .magic = magic, .length = length };
	strncpy(image.version, version, sizeof(image.version));
	xsSlot bytes = fake_buffer(&machine, &image, sizeof(image));
	RUN(xs_partition_erase, FAKE_NOTHING, NULL, NAME, FAKE_INT(0), FAKE_INT(4096));
	RUN(xs_partition_write, FAKE_NOTHING, NULL, NAME, FAKE_INT(0), bytes, FAKE_INT(0), FAKE_INT(sizeof(image)));
}

static void put_good(const char *version)
{
	put(FAKE_IMAGE_MAGIC, 1000, version);
	RUN(xs_update_activate, FAKE_NOTHING, NULL, FAKE_INT(1000));
}

/* The state after `npm run flash`. */
static void begins(void)
{
	xsSlot result;
	flash_begin();
	MUST(slots_boot() == 0 && !is_on_trial() && given_up(""));
	RUN(xs_partition_size, FAKE_NOTHING, &result, NAME);
	MUST(result.value.integer == FLASH_SIZE);
	THROWS("Error: the firmware before can't be started: there is no other one", xs_update_roll_back, FAKE_NOTHING);
	RUN(xs_update_confirm, FAKE_NOTHING, NULL);
	MUST(slots_boot() == 0);
}

static void takes_no_bad_image(void)
{
	THROWS(NO_IMAGE, xs_update_activate, FAKE_NOTHING, FAKE_INT(1000));
	put(0x12, 1000, "wrong");
	THROWS(NO_IMAGE, xs_update_activate, FAKE_NOTHING, FAKE_INT(1000));
	/* The header claims more bytes than were checked. */
	put(FAKE_IMAGE_MAGIC, 1001, "long");
	THROWS(NO_IMAGE, xs_update_activate, FAKE_NOTHING, FAKE_INT(1000));
	THROWS("RangeError: beyond the slot", xs_update_activate, FAKE_NOTHING, FAKE_INT(0));
	slots_error = 0x103;
	THROWS("Error: the firmware can't be started: error 0x103", xs_update_activate, FAKE_NOTHING, FAKE_INT(1001));
	slots_error = ESP_OK;
	slots_single = true;
	THROWS("Error: the firmware can't be started: error 0x105", xs_update_activate, FAKE_NOTHING, FAKE_INT(1001));
	slots_single = false;
	MUST(slots_boot() == 0 && !is_on_trial() && given_up(""));
}

static void is_confirmed(void)
{
	xsSlot bytes = fake_buffer(&machine, NULL, 16), zero = FAKE_INT(0);
	put_good("1.0.1");
	MUST(!is_on_trial());
	MUST(slots_boot() == 1 && is_on_trial() && given_up(""));
	THROWS(ON_TRIAL, xs_partition_erase, FAKE_NOTHING, NAME, zero, FAKE_INT(4096));
	THROWS(ON_TRIAL, xs_partition_write, FAKE_NOTHING, NAME, FAKE_INT(4096), bytes, zero, FAKE_INT(16));
	THROWS(ON_TRIAL, xs_update_activate, FAKE_NOTHING, FAKE_INT(1000));
	slots_error = 0x103;
	THROWS("Error: the firmware can't be confirmed: error 0x103", xs_update_confirm, FAKE_NOTHING);
	slots_error = ESP_OK;
	RUN(xs_update_confirm, FAKE_NOTHING, NULL);
	MUST(!is_on_trial() && slots_boot() == 1 && !is_on_trial());
}

/* Slot 1 has the confirmed version 1.0.1. */
static void is_given_up(void)
{
	put_good("1.0.2");
	MUST(slots_boot() == 0 && is_on_trial());
	MUST(slots_boot() == 1 && !is_on_trial() && given_up("1.0.2 ended before it was confirmed"));
	MUST(slots_boot() == 1 && given_up("1.0.2 ended before it was confirmed"));
	/* The next update replaces the record, even if that update fails. */
	put(0, 0, "none");
	MUST(given_up("") && slots_boot() == 1);
	/* A version without a zero at its end. */
	put_good("12345678");
	MUST(slots_boot() == 0 && is_on_trial());
	RUN(xs_update_roll_back, FAKE_NOTHING, NULL);
	MUST(slots_boot() == 1 && !is_on_trial());
	MUST(given_up("12345678xxxxxxxxxxxxxxxxxxxxxxxx gave itself up"));
}

/* An abandoned slot stays in flash but is unreadable. */
static void forgets_a_name(void)
{
	flash_error = 0x103;
	MUST(given_up("it gave itself up"));
	flash_error = ESP_OK;
}

int main(void)
{
	begins();
	takes_no_bad_image();
	is_confirmed();
	is_given_up();
	forgets_a_name();
	fake_end_machine(&machine);
	return 0;
}

/*
 * Firmware updates with ESP-IDF's functions (6.0, "Over The Air Updates"). Only these functions write the partition
 * otadata, which tells the boot loader which slot to start. The boot loader starts a new image once, in the state
 * PENDING_VERIFY. If the image was not confirmed by the next start (also from deep sleep), the boot loader marks it
 * ABORTED and starts the other slot. After flashing over a cable, otadata is empty, and the boot loader writes VALID at
 * the first start.
 */
#include "update.h"

#include <stdio.h>

#include "esp_app_desc.h"
#include "esp_image_format.h"
#include "esp_ota_ops.h"

#include "update-slot.h"

/* Returns the state of the slot's image. It is undefined if otadata has no entry for the slot. */
static esp_ota_img_states_t state_of(const esp_partition_t *slot)
{
	esp_ota_img_states_t state;
	return slot && esp_ota_get_state_partition(slot, &state) == ESP_OK ? state : ESP_OTA_IMG_UNDEFINED;
}

const esp_partition_t *update_slot(void)
{
	const esp_partition_t *slot = esp_ota_get_next_update_partition(NULL);
	return slot == esp_ota_get_running_partition() ? NULL : slot;
}

static bool is_way_back(char text[UPDATE_TEXT_SIZE])
{
	if (update_state() != UPDATE_ON_TRIAL) return false;
	snprintf(text, UPDATE_TEXT_SIZE, "the running firmware is on trial: the one before must stay");
	return true;
}

bool update_slot_is_free(char text[UPDATE_TEXT_SIZE])
{
	if (is_way_back(text)) return false;
	/* This call fails if the slot has no entry. That is harmless. */
	esp_ota_invalidate_inactive_ota_data_slot();
	return true;
}

int update_state(void)
{
	return state_of(esp_ota_get_running_partition()) == ESP_OTA_IMG_PENDING_VERIFY ? UPDATE_ON_TRIAL : UPDATE_CONFIRMED;
}

void update_given_up(char text[UPDATE_TEXT_SIZE])
{
	const esp_partition_t *slot = update_slot();
	esp_ota_img_states_t state = state_of(slot);
	esp_app_desc_t about;
	text[0] = 0;
	if (state != ESP_OTA_IMG_ABORTED && state != ESP_OTA_IMG_INVALID) return;
	const char *why = state == ESP_OTA_IMG_ABORTED ? "ended before it was confirmed" : "gave itself up";
	if (esp_ota_get_partition_description(slot, &about) == ESP_OK)
		snprintf(text, UPDATE_TEXT_SIZE, "%.*s %s", (int)sizeof(about.version), about.version, why);
	else snprintf(text, UPDATE_TEXT_SIZE, "it %s", why);
}

static bool check(esp_err_t error, const char *what, char text[UPDATE_TEXT_SIZE])
{
	if (error == ESP_ERR_OTA_VALIDATE_FAILED)
		snprintf(text, UPDATE_TEXT_SIZE, "%s: the image is damaged, or for another chip", what);
	else if (error == ESP_ERR_OTA_ROLLBACK_FAILED) snprintf(text, UPDATE_TEXT_SIZE, "%s: there is no other one", what);
	else if (error != ESP_OK) snprintf(text, UPDATE_TEXT_SIZE, "%s: error 0x%x", what, (unsigned)error);
	return error == ESP_OK;
}

/*
 * Returns true if the image ends within the `length` bytes that were checked. The boot loader uses the length that the
 * image states.
 */
static bool is_within(const esp_partition_t *slot, size_t length)
{
	const esp_partition_pos_t place = { .offset = slot->address, .size = slot->size };
	esp_image_metadata_t image = { 0 };
	return esp_image_get_metadata(&place, &image) == ESP_OK && image.image_len <= length;
}

bool update_activate(size_t length, char text[UPDATE_TEXT_SIZE])
{
	static const char WHAT[] = "the firmware can't be started";
	const esp_partition_t *slot = update_slot();
	if (is_way_back(text)) return false;
	if (!slot) return check(ESP_ERR_NOT_FOUND, WHAT, text);
	if (!is_within(slot, length)) return check(ESP_ERR_OTA_VALIDATE_FAILED, WHAT, text);
	return check(esp_ota_set_boot_partition(slot), WHAT, text);
}

bool update_confirm(char text[UPDATE_TEXT_SIZE])
{
	return check(esp_ota_mark_app_valid_cancel_rollback(), "the firmware can't be confirmed", text);
}

bool update_roll_back(char text[UPDATE_TEXT_SIZE])
{
	return check(esp_ota_mark_app_invalid_rollback(), "the firmware before can't be started", text);
}

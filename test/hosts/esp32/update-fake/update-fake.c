#include "esp_image_format.h"
#include "esp_ota_ops.h"

#include <string.h>

enum { FIRST = ESP_PARTITION_SUBTYPE_APP_OTA_0, ENTRIES = 2, SLOTS = 2, NONE = -1 };

typedef struct {
	/* 0: erased. */
	unsigned sequence;
	esp_ota_img_states_t state;
} entry;

static entry entries[ENTRIES];
static int running;
bool slots_single;
esp_err_t slots_error;

static const esp_partition_t *slot_of(int index)
{
	return esp_partition_find_first(ESP_PARTITION_TYPE_APP, FIRST + index, index == 0 ? "ota_0" : "ota_1");
}

static int index_of(const entry *one)
{
	return (int)((one->sequence - 1) % SLOTS);
}

static bool is_valid(const entry *one)
{
	return one->sequence > 0 && one->state != ESP_OTA_IMG_INVALID && one->state != ESP_OTA_IMG_ABORTED;
}

static int active(void)
{
	int found = NONE;
	for (int i = 0; i < ENTRIES; i++)
		if (is_valid(&entries[i]) && (found == NONE || entries[i].sequence > entries[found].sequence)) found = i;
	return found;
}

static bool read_image(const esp_partition_t *slot, fake_image *image)
{
	return esp_partition_read(slot, 0, image, sizeof(*image)) == ESP_OK && image->magic == FAKE_IMAGE_MAGIC;
}

int slots_boot(void)
{
	for (int i = 0; i < ENTRIES; i++)
		if (entries[i].state == ESP_OTA_IMG_PENDING_VERIFY) entries[i].state = ESP_OTA_IMG_ABORTED;
	if (active() == NONE) entries[0] = (entry){ 1, ESP_OTA_IMG_VALID };
	entry *one = &entries[active()];
	if (one->state == ESP_OTA_IMG_NEW) one->state = ESP_OTA_IMG_PENDING_VERIFY;
	return running = index_of(one);
}

const esp_partition_t *esp_ota_get_running_partition(void)
{
	return slot_of(running);
}

const esp_partition_t *esp_ota_get_next_update_partition(const esp_partition_t *start_from)
{
	(void)start_from;
	return slot_of(slots_single ? running : !running);
}

esp_err_t esp_ota_get_state_partition(const esp_partition_t *partition, esp_ota_img_states_t *state)
{
	for (int i = 0; i < ENTRIES; i++)
		if (entries[i].sequence > 0 && slot_of(index_of(&entries[i])) == partition) {
			*state = entries[i].state;
			return ESP_OK;
		}
	return ESP_ERR_NOT_FOUND;
}

esp_err_t esp_ota_get_partition_description(const esp_partition_t *partition, esp_app_desc_t *about)
{
	fake_image image;
	if (!read_image(partition, &image)) return ESP_ERR_NOT_FOUND;
	memset(about->version, 'x', sizeof(about->version));
	memcpy(about->version, image.version, sizeof(image.version));
	return ESP_OK;
}

esp_err_t esp_image_get_metadata(const esp_partition_pos_t *place, esp_image_metadata_t *image)
{
	fake_image head;
	const esp_partition_t *slot = place->offset == slot_of(0)->address ? slot_of(0) : slot_of(1);
	if (place->offset != slot->address || !read_image(slot, &head)) return ESP_ERR_INVALID_ARG;
	image->image_len = head.length;
	return ESP_OK;
}

esp_err_t esp_ota_set_boot_partition(const esp_partition_t *partition)
{
	fake_image image;
	if (slots_error != ESP_OK) return slots_error;
	if (!read_image(partition, &image)) return ESP_ERR_OTA_VALIDATE_FAILED;
	int now = active(), index = partition == slot_of(1);
	if (index_of(&entries[now]) == index) entries[now].state = ESP_OTA_IMG_NEW;
	else entries[!now] = (entry){ entries[now].sequence + 1, ESP_OTA_IMG_NEW };
	return ESP_OK;
}

esp_err_t esp_ota_invalidate_inactive_ota_data_slot(void)
{
	entry *other = &entries[!active()];
	if (other->sequence == 0 || index_of(other) == running) return -1;
	*other = (entry){ 0, ESP_OTA_IMG_UNDEFINED };
	return ESP_OK;
}

esp_err_t esp_ota_mark_app_valid_cancel_rollback(void)
{
	if (slots_error != ESP_OK) return slots_error;
	entries[active()].state = ESP_OTA_IMG_VALID;
	return ESP_OK;
}

esp_err_t esp_ota_mark_app_invalid_rollback(void)
{
	fake_image image;
	if (slots_error != ESP_OK) return slots_error;
	const entry *other = &entries[!active()];
	if (!is_valid(other) || !read_image(slot_of(index_of(other)), &image)) return ESP_ERR_OTA_ROLLBACK_FAILED;
	entries[active()].state = ESP_OTA_IMG_INVALID;
	return ESP_OK;
}

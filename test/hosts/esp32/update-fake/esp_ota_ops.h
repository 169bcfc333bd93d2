/*
 * Fake of ESP-IDF's OTA slots and boot loader: of the two entries in otadata, the newest valid one selects the slot. A
 * new firmware is started once.
 */
#ifndef ESP_OTA_OPS_H
#define ESP_OTA_OPS_H

#include "esp_app_desc.h"
#include "esp_partition.h"

enum { ESP_ERR_NOT_FOUND = 0x105, ESP_ERR_OTA_VALIDATE_FAILED = 0x1503, ESP_ERR_OTA_ROLLBACK_FAILED = 0x1505 };

typedef enum {
	ESP_OTA_IMG_NEW = 0,
	ESP_OTA_IMG_PENDING_VERIFY = 1,
	ESP_OTA_IMG_VALID = 2,
	ESP_OTA_IMG_INVALID = 3,
	ESP_OTA_IMG_ABORTED = 4,
	ESP_OTA_IMG_UNDEFINED = -1,
} esp_ota_img_states_t;

const esp_partition_t *esp_ota_get_running_partition(void);
const esp_partition_t *esp_ota_get_next_update_partition(const esp_partition_t *start_from);
esp_err_t esp_ota_get_state_partition(const esp_partition_t *partition, esp_ota_img_states_t *state);
esp_err_t esp_ota_get_partition_description(const esp_partition_t *partition, esp_app_desc_t *about);
esp_err_t esp_ota_set_boot_partition(const esp_partition_t *partition);
esp_err_t esp_ota_invalidate_inactive_ota_data_slot(void);
esp_err_t esp_ota_mark_app_valid_cancel_rollback(void);
esp_err_t esp_ota_mark_app_invalid_rollback(void);

/* ---- For the test ---- */

/* Header of a fake image: 16 bytes, written at once. */
typedef struct {
	uint32_t magic, length;
	char version[8];
} fake_image;
enum { FAKE_IMAGE_MAGIC = 0xe9 };

/* Starts the chip; the first firmware was flashed by cable. Returns the slot, 0 or 1. */
int slots_boot(void);
/* True if there is only one slot. */
extern bool slots_single;
/* Result of all writing calls, which then have no effect; 0: they work. */
extern esp_err_t slots_error;

#endif

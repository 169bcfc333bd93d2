/* See esp_ota_ops.h. */
#ifndef ESP_IMAGE_FORMAT_H
#define ESP_IMAGE_FORMAT_H

#include "esp_partition.h"

typedef struct {
	uint32_t offset, size;
} esp_partition_pos_t;
typedef struct {
	uint32_t start_addr, image_len;
} esp_image_metadata_t;

esp_err_t esp_image_get_metadata(const esp_partition_pos_t *place, esp_image_metadata_t *image);

#endif

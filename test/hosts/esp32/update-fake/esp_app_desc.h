/* See esp_ota_ops.h. */
#ifndef ESP_APP_DESC_H
#define ESP_APP_DESC_H

#include <stdint.h>

typedef struct {
	uint32_t magic_word;
	/* The linker does not always terminate the version with a zero. */
	char version[32];
} esp_app_desc_t;

#endif

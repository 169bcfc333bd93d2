/* ESP-IDF 6.0's reset reasons (esp_system.h), for the test of start-cause.c. */
#ifndef ESP_SYSTEM_H
#define ESP_SYSTEM_H

typedef enum {
	ESP_RST_UNKNOWN,
	ESP_RST_POWERON,
	ESP_RST_EXT,
	ESP_RST_SW,
	ESP_RST_PANIC,
	ESP_RST_INT_WDT,
	ESP_RST_TASK_WDT,
	ESP_RST_WDT,
	ESP_RST_DEEPSLEEP,
	ESP_RST_BROWNOUT,
	ESP_RST_SDIO,
	ESP_RST_USB,
	ESP_RST_JTAG,
	ESP_RST_EFUSE,
	ESP_RST_PWR_GLITCH,
	ESP_RST_CPU_LOCKUP,
} esp_reset_reason_t;

#endif

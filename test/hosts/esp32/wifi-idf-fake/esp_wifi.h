/* The part of ESP-IDF that hosts/esp32/wifi-driver.c needs, with its numbers. */
#ifndef ESP_WIFI_H
#define ESP_WIFI_H

#include <stdbool.h>
#include <stdint.h>

#include "esp_err.h"

enum {
	WIFI_EVENT_SCAN_DONE = 1,
	WIFI_EVENT_STA_CONNECTED = 4,
	WIFI_EVENT_STA_DISCONNECTED = 5,
	WIFI_EVENT_AP_STACONNECTED = 12,
	WIFI_EVENT_AP_STADISCONNECTED = 13,
};
enum { WIFI_REASON_ROAMING = 207 };
typedef enum { WIFI_MODE_STA = 1, WIFI_MODE_AP, WIFI_MODE_APSTA } wifi_mode_t;
typedef enum { WIFI_IF_STA, WIFI_IF_AP } wifi_interface_t;
typedef enum { WIFI_AUTH_OPEN = 0, WIFI_AUTH_WPA2_PSK = 3 } wifi_auth_mode_t;
typedef enum { WPA3_SAE_PWE_BOTH = 3 } wifi_sae_pwe_method_t;
typedef enum { WIFI_FAST_SCAN, WIFI_ALL_CHANNEL_SCAN } wifi_scan_method_t;
typedef enum { WIFI_CONNECT_AP_BY_SIGNAL } wifi_sort_method_t;
typedef enum { WIFI_PS_NONE, WIFI_PS_MIN_MODEM } wifi_ps_type_t;
typedef enum { WIFI_STORAGE_FLASH, WIFI_STORAGE_RAM } wifi_storage_t;

typedef struct {
	bool capable, required;
} wifi_pmf_config_t;
typedef struct {
	uint8_t ssid[32], password[64], ssid_len, max_connection;
	wifi_auth_mode_t authmode;
	wifi_pmf_config_t pmf_cfg;
} wifi_ap_config_t;
typedef struct {
	uint8_t ssid[32], password[64];
	wifi_scan_method_t scan_method;
	bool bssid_set;
	uint8_t bssid[6], channel;
	wifi_sort_method_t sort_method;
	struct {
		wifi_auth_mode_t authmode;
	} threshold;
	wifi_pmf_config_t pmf_cfg;
	wifi_sae_pwe_method_t sae_pwe_h2e;
} wifi_sta_config_t;
typedef union {
	wifi_ap_config_t ap;
	wifi_sta_config_t sta;
} wifi_config_t;
typedef struct {
	int nvs_enable;
} wifi_init_config_t;
#define WIFI_INIT_CONFIG_DEFAULT() { .nvs_enable = 1 }
typedef struct {
	uint8_t bssid[6], ssid[33], primary;
	int8_t rssi;
	wifi_auth_mode_t authmode;
} wifi_ap_record_t;
typedef struct {
	int num;
} wifi_sta_list_t;
typedef struct {
	uint32_t status;
} wifi_event_sta_scan_done_t;
typedef struct {
	uint8_t reason;
} wifi_event_sta_disconnected_t;

esp_err_t esp_wifi_init(const wifi_init_config_t *config);
esp_err_t esp_wifi_deinit(void);
esp_err_t esp_wifi_set_storage(wifi_storage_t storage);
esp_err_t esp_wifi_set_country_code(const char *country, bool follow);
esp_err_t esp_wifi_set_mode(wifi_mode_t mode);
esp_err_t esp_wifi_start(void);
esp_err_t esp_wifi_stop(void);
esp_err_t esp_wifi_set_config(wifi_interface_t interface, wifi_config_t *config);
esp_err_t esp_wifi_connect(void);
esp_err_t esp_wifi_disconnect(void);
esp_err_t esp_wifi_set_ps(wifi_ps_type_t type);
esp_err_t esp_wifi_set_max_tx_power(int8_t power);
esp_err_t esp_wifi_scan_start(const void *config, bool block);
esp_err_t esp_wifi_scan_stop(void);
esp_err_t esp_wifi_scan_get_ap_record(wifi_ap_record_t *record);
esp_err_t esp_wifi_clear_ap_list(void);
esp_err_t esp_wifi_sta_get_ap_info(wifi_ap_record_t *record);
typedef enum { WIFI_SECOND_CHAN_NONE } wifi_second_chan_t;
esp_err_t esp_wifi_get_channel(uint8_t *primary, wifi_second_chan_t *second);
esp_err_t esp_wifi_ap_get_sta_list(wifi_sta_list_t *list);

#endif

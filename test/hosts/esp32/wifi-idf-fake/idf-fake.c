#include "idf-fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bootloader_random.h"
#include "esp_random.h"

enum { HANDLERS = 16 };

struct esp_netif {
	const char *name;
};

const char *idf_refused = "";
unsigned idf_networks;
esp_event_base_t const WIFI_EVENT = "WIFI_EVENT", IP_EVENT = "IP_EVENT";
static esp_netif_t station = { "station" }, access_point = { "access point" };

static struct {
	esp_event_base_t base;
	int32_t id;
	esp_event_handler_t handler;
} handlers[HANDLERS];

static esp_err_t answer(const char *call)
{
	return strcmp(call, idf_refused) == 0 ? ESP_FAIL : ESP_OK;
}

/* Prints the call, with its arguments, as a line. */
#define CALL(name, ...) (printf(name " " __VA_ARGS__), puts(""), answer(name))

esp_err_t esp_event_loop_create_default(void)
{
	return ESP_ERR_INVALID_STATE;
}

esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *context)
{
	int i = 0;
	(void)context;
	while (handlers[i].handler) i++;
	handlers[i].base = base;
	handlers[i].id = id;
	handlers[i].handler = handler;
	return i == 3 ? answer("register") : ESP_OK;
}

esp_err_t esp_event_handler_unregister(esp_event_base_t base, int32_t id, esp_event_handler_t handler)
{
	for (int i = 0; i < HANDLERS; i++)
		if (handlers[i].base == base && handlers[i].id == id && handlers[i].handler == handler) handlers[i].handler = NULL;
	return ESP_OK;
}

void idf_post(esp_event_base_t base, int32_t id, void *data)
{
	for (int i = 0; i < HANDLERS; i++) {
		bool is_subscribed = handlers[i].handler && handlers[i].base == base && handlers[i].id == id;
		if (is_subscribed) handlers[i].handler(NULL, base, id, data);
	}
}

unsigned idf_handlers(void)
{
	unsigned count = 0;
	for (int i = 0; i < HANDLERS; i++) count += handlers[i].handler != NULL;
	return count;
}

/* The random generator's source of noise: the ADC if enabled, or the radio. Never both. */
static bool adc_noise, radio_on;

static void must(bool condition, const char *what)
{
	if (!condition) fprintf(stderr, "failed: %s\n", what);
	if (!condition) abort();
}

void bootloader_random_enable(void)
{
	must(!adc_noise && !radio_on, "the ADC's noise begins once, while the radio is off");
	adc_noise = true;
	CALL("noise on", "");
}

void bootloader_random_disable(void)
{
	must(adc_noise, "noise that ends had begun");
	adc_noise = false;
	CALL("noise off", "");
}

uint32_t esp_random(void)
{
	must(adc_noise || radio_on, "there is noise when a random number is drawn");
	return 0x0123ABCD;
}

esp_err_t esp_netif_init(void)
{
	return ESP_OK;
}

esp_netif_t *esp_netif_create_default_wifi_sta(void)
{
	CALL("create", "%s", station.name);
	return &station;
}

esp_netif_t *esp_netif_create_default_wifi_ap(void)
{
	CALL("create", "%s", access_point.name);
	return &access_point;
}

esp_err_t esp_netif_dhcps_stop(esp_netif_t *netif)
{
	return CALL("dhcps_stop", "%s", netif->name);
}

esp_err_t esp_netif_dhcps_start(esp_netif_t *netif)
{
	return CALL("dhcps_start", "%s", netif->name);
}

esp_err_t esp_netif_dhcps_option(esp_netif_t *netif, esp_netif_dhcp_option_mode_t mode, esp_netif_dhcp_option_id_t id,
				 void *value, uint32_t length)
{
	return CALL("dhcps_option", "%s %d %d %.*s", netif->name, mode, id, (int)length, (const char *)value);
}

esp_err_t esp_netif_dhcpc_stop(esp_netif_t *netif)
{
	return CALL("dhcpc_stop", "%s", netif->name);
}

esp_err_t esp_netif_dhcpc_start(esp_netif_t *netif)
{
	return CALL("dhcpc_start", "%s", netif->name);
}

esp_err_t esp_netif_set_ip_info(esp_netif_t *netif, const esp_netif_ip_info_t *info)
{
	return CALL("set_ip_info", "%s %x %x %x", netif->name, info->ip.addr, info->netmask.addr, info->gw.addr);
}

esp_err_t esp_netif_set_dns_info(esp_netif_t *netif, int type, esp_netif_dns_info_t *dns)
{
	return CALL("set_dns_info", "%s %d %x", netif->name, type, dns->ip.u_addr.ip4.addr);
}

esp_err_t esp_netif_set_hostname(esp_netif_t *netif, const char *hostname)
{
	return CALL("set_hostname", "%s %s", netif->name, hostname);
}

static bool initialised;

esp_err_t esp_wifi_init(const wifi_init_config_t *config)
{
	must(!adc_noise, "the radio has the ADC for itself");
	must(!initialised, "the driver is made once");
	initialised = CALL("init", "nvs %d", config->nvs_enable) == ESP_OK;
	return initialised ? ESP_OK : ESP_FAIL;
}

esp_err_t esp_wifi_deinit(void)
{
	must(!adc_noise, "the radio has the ADC for itself");
	must(initialised && !radio_on, "a driver that is deleted is there, and stopped");
	initialised = CALL("deinit", "") != ESP_OK;
	return initialised ? ESP_FAIL : ESP_OK;
}

esp_err_t esp_wifi_set_storage(wifi_storage_t storage)
{
	must(initialised, "there is a driver");
	return CALL("set_storage", "%d", storage);
}

esp_err_t esp_wifi_set_country_code(const char *country, bool follow)
{
	return CALL("set_country", "%s %d", country, follow);
}

esp_err_t esp_wifi_set_mode(wifi_mode_t mode)
{
	must(initialised, "there is a driver");
	return CALL("set_mode", "%d", mode);
}

esp_err_t esp_wifi_start(void)
{
	must(!adc_noise, "the radio has the ADC for itself");
	radio_on = CALL("start", "") == ESP_OK;
	return radio_on ? ESP_OK : ESP_FAIL;
}

esp_err_t esp_wifi_stop(void)
{
	if (CALL("stop", "") != ESP_OK) return ESP_FAIL;
	radio_on = false;
	return ESP_OK;
}

esp_err_t esp_wifi_set_config(wifi_interface_t interface, wifi_config_t *config)
{
	const wifi_ap_config_t *ap = &config->ap;
	const wifi_sta_config_t *sta = &config->sta;
	if (interface == WIFI_IF_AP)
		return CALL("set_config", "access point %.*s %s authmode %d clients %d", ap->ssid_len, (const char *)ap->ssid,
			    (const char *)ap->password, ap->authmode, ap->max_connection);
	return CALL("set_config", "station %.32s '%s' bssid %d %02x channel %d scan %d authmode %d", (const char *)sta->ssid,
		    (const char *)sta->password, sta->bssid_set, sta->bssid[5], sta->channel, sta->scan_method,
		    sta->threshold.authmode);
}

esp_err_t esp_wifi_connect(void)
{
	return CALL("connect", "");
}

esp_err_t esp_wifi_disconnect(void)
{
	return CALL("disconnect", "");
}

esp_err_t esp_wifi_set_ps(wifi_ps_type_t type)
{
	return CALL("set_ps", "%d", type);
}

esp_err_t esp_wifi_set_max_tx_power(int8_t power)
{
	return CALL("set_max_tx_power", "%d", power);
}

esp_err_t esp_wifi_scan_start(const void *config, bool block)
{
	return CALL("scan_start", "%d %d", config != NULL, block);
}

esp_err_t esp_wifi_scan_stop(void)
{
	return CALL("scan_stop", "");
}

esp_err_t esp_wifi_scan_get_ap_record(wifi_ap_record_t *record)
{
	if (idf_networks == 0) return ESP_FAIL;
	*record = (wifi_ap_record_t){ .ssid = "network", .primary = (uint8_t)idf_networks--, .rssi = -50, .authmode = 3 };
	return ESP_OK;
}

esp_err_t esp_wifi_clear_ap_list(void)
{
	return CALL("clear_ap_list", "");
}

esp_err_t esp_wifi_sta_get_ap_info(wifi_ap_record_t *record)
{
	memset(record, 'x', sizeof(*record));
	record->authmode = 7;
	return answer("ap_info");
}

esp_err_t esp_wifi_get_channel(uint8_t *primary, wifi_second_chan_t *second)
{
	*primary = 13;
	*second = WIFI_SECOND_CHAN_NONE;
	return answer("channel");
}

esp_err_t esp_wifi_ap_get_sta_list(wifi_sta_list_t *list)
{
	list->num = 2;
	return answer("sta_list");
}

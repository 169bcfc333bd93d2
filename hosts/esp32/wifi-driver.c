/*
 * esp_wifi and esp_netif of ESP-IDF 6.0; nothing is stored in flash. The access point's DHCP server announces the
 * gateway as router and name server, and the captive portal (RFC 8910) as option 114. Starting the radio takes about
 * 100 ms for calibration; all other calls take a few milliseconds.
 */
#include "wifi-driver.h"

#include <stdio.h>
#include <string.h>

#include "entropy.h"
#include "esp_event.h"
#include "esp_netif.h"
#include "esp_random.h"
#include "esp_wifi.h"

enum { CLIENTS = 4 };

/* ESP-IDF keeps a pointer to this text. */
static char captive_portal[] = "http://192.168.4.1/";

static const int32_t WIFI_EVENTS[] = {
	WIFI_EVENT_SCAN_DONE,
	WIFI_EVENT_STA_CONNECTED,
	WIFI_EVENT_STA_DISCONNECTED,
	WIFI_EVENT_AP_STACONNECTED,
	WIFI_EVENT_AP_STADISCONNECTED,
};
static const int32_t IP_EVENTS[] = { IP_EVENT_STA_GOT_IP, IP_EVENT_STA_LOST_IP };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * ESP-IDF's network interfaces are created once and then kept. Its Wi-Fi driver, which takes 40 KB and more, exists
 * only while the radio is open.
 */
static struct {
	esp_netif_t *station;
	bool has_driver;
	bool open;
	bool started;
	/* Limit of the transmit power, quarters of a dBm; 0: not limited. */
	int8_t transmit_power;
	void (*notify)(void *context, const radio_event *event);
	void *context;
} radio;

static void on_wifi(void *context, esp_event_base_t base, int32_t id, void *data)
{
	radio_event event = { .kind = RADIO_CLIENTS };
	(void)context;
	(void)base;
	if (id == WIFI_EVENT_STA_CONNECTED) event.kind = RADIO_ASSOCIATED;
	else if (id == WIFI_EVENT_SCAN_DONE) {
		event.kind = RADIO_SCANNED;
		event.succeeded = ((const wifi_event_sta_scan_done_t *)data)->status == 0;
	} else if (id == WIFI_EVENT_STA_DISCONNECTED) {
		event.kind = RADIO_ENDED;
		event.reason = ((const wifi_event_sta_disconnected_t *)data)->reason;
		/* After roaming, ESP-IDF's driver reconnects by itself. */
		if (event.reason == WIFI_REASON_ROAMING) return;
	}
	radio.notify(radio.context, &event);
}

static void on_ip(void *context, esp_event_base_t base, int32_t id, void *data)
{
	radio_event event = { .kind = RADIO_ADDRESS_LOST };
	(void)context;
	(void)base;
	if (id == IP_EVENT_STA_GOT_IP) {
		const esp_netif_ip_info_t *info = &((const ip_event_got_ip_t *)data)->ip_info;
		event.kind = RADIO_ADDRESSED;
		event.address = (radio_address){ info->ip.addr, info->netmask.addr, info->gw.addr };
	}
	radio.notify(radio.context, &event);
}

static void stop_listening(void)
{
	for (unsigned i = 0; i < COUNT(WIFI_EVENTS); i++) esp_event_handler_unregister(WIFI_EVENT, WIFI_EVENTS[i], on_wifi);
	for (unsigned i = 0; i < COUNT(IP_EVENTS); i++) esp_event_handler_unregister(IP_EVENT, IP_EVENTS[i], on_ip);
}

/*
 * Registers the event handlers. ESP-IDF's own handlers run first, so an interface that has left its network has no
 * address any more when ours run.
 */
static bool listen(void)
{
	bool done = true;
	for (unsigned i = 0; i < COUNT(WIFI_EVENTS) && done; i++)
		done = esp_event_handler_register(WIFI_EVENT, WIFI_EVENTS[i], on_wifi, NULL) == ESP_OK;
	for (unsigned i = 0; i < COUNT(IP_EVENTS) && done; i++)
		done = esp_event_handler_register(IP_EVENT, IP_EVENTS[i], on_ip, NULL) == ESP_OK;
	if (!done) stop_listening();
	return done;
}

static bool set_captive_portal(esp_netif_t *access_point)
{
	esp_netif_dhcps_stop(access_point);
	bool done = esp_netif_dhcps_option(access_point, ESP_NETIF_OP_SET, ESP_NETIF_CAPTIVEPORTAL_URI, captive_portal,
					   sizeof(captive_portal) - 1) == ESP_OK;
	return esp_netif_dhcps_start(access_point) == ESP_OK && done;
}

bool radio_driver_set_access_point(const radio_credentials *credentials)
{
	wifi_config_t config = { .ap = { .ssid_len = credentials->ssid_length, .max_connection = CLIENTS } };
	memcpy(config.ap.ssid, credentials->ssid, credentials->ssid_length);
	memcpy(config.ap.password, credentials->password, sizeof(credentials->password));
	config.ap.pmf_cfg.capable = true;
	/* WPA3 on the access point would take 5.5 KB of heap (ESP_WIFI_SOFTAP_SAE_SUPPORT). */
	config.ap.authmode = WIFI_AUTH_WPA2_PSK;
	return esp_wifi_set_config(WIFI_IF_AP, &config) == ESP_OK;
}

/* Gives the access point its initial settings. With ESP-IDF's defaults it would be an open network. */
static bool lock_access_point(void)
{
	radio_credentials nobody = { .ssid = "-", .ssid_length = 1 };
	for (int i = 0; i < 4; i++) snprintf(nobody.password + 8 * i, 9, "%08x", (unsigned)esp_random());
	return esp_wifi_set_mode(WIFI_MODE_APSTA) == ESP_OK && radio_driver_set_access_point(&nobody);
}

/* Makes the interfaces only once, because ESP-IDF's handlers are tied to them. */
static bool make_interfaces(void)
{
	esp_err_t loop = esp_netif_init() == ESP_OK ? esp_event_loop_create_default() : ESP_FAIL;
	if (loop != ESP_OK && loop != ESP_ERR_INVALID_STATE) return false;
	if (radio.station) return true;
	radio.station = esp_netif_create_default_wifi_sta();
	return set_captive_portal(esp_netif_create_default_wifi_ap());
}

static bool make_driver(void)
{
	wifi_init_config_t config = WIFI_INIT_CONFIG_DEFAULT();
	config.nvs_enable = 0;
	entropy_pause(ENTROPY_RADIO);
	radio.has_driver = esp_wifi_init(&config) == ESP_OK;
	entropy_resume(ENTROPY_RADIO);
	return radio.has_driver;
}

static bool configure(const char *country)
{
	if (esp_wifi_set_storage(WIFI_STORAGE_RAM) != ESP_OK) return false;
	/* If the country code is unknown, only the channels that are allowed everywhere remain. */
	esp_wifi_set_country_code(country, true);
	return lock_access_point();
}

/* Deletes the driver. If it cannot be deleted, it is kept and used again. */
static void release_driver(void)
{
	entropy_pause(ENTROPY_RADIO);
	radio.started = false;
	if (esp_wifi_stop() != ESP_OK) return;
	radio.has_driver = esp_wifi_deinit() != ESP_OK;
	entropy_resume(ENTROPY_RADIO);
}

bool radio_driver_open(const char *country, void (*notify)(void *context, const radio_event *event), void *context)
{
	if (radio.open) return false;
	if (!radio.has_driver && !(make_interfaces() && make_driver())) return false;
	radio.notify = notify;
	radio.context = context;
	radio.transmit_power = 0;
	radio.open = configure(country) && listen();
	if (!radio.open) release_driver();
	return radio.open;
}

void radio_driver_close(void)
{
	if (!radio.open) return;
	stop_listening();
	radio.open = false;
	release_driver();
}

static bool start(void)
{
	entropy_pause(ENTROPY_RADIO);
	if (esp_wifi_start() == ESP_OK) return true;
	entropy_resume(ENTROPY_RADIO);
	return false;
}

bool radio_driver_set_mode(radio_mode mode)
{
	if (mode == RADIO_OFF) {
		radio.started = false;
		if (esp_wifi_stop() != ESP_OK) return false;
		entropy_resume(ENTROPY_RADIO);
		return true;
	}
	if (esp_wifi_set_mode(mode == RADIO_BOTH ? WIFI_MODE_APSTA : WIFI_MODE_STA) != ESP_OK) return false;
	if (!radio.started && !start()) return false;
	radio.started = true;
	esp_wifi_set_ps(WIFI_PS_NONE);
	radio_driver_set_transmit_power(radio.transmit_power);
	return true;
}

/* ESP-IDF sets the power only while the radio is started. */
void radio_driver_set_transmit_power(int8_t quarters)
{
	radio.transmit_power = quarters;
	if (radio.started && quarters != 0) esp_wifi_set_max_tx_power(quarters);
}

/*
 * Sets the station's address. Must be called while the interface is down. The address is used from the next association
 * on.
 */
static bool set_address(const radio_station *station)
{
	esp_netif_ip_info_t info = {
		.ip.addr = station->address.ip,
		.netmask.addr = station->address.netmask,
		.gw.addr = station->address.gateway,
	};
	esp_netif_dns_info_t dns = { .ip.type = ESP_IPADDR_TYPE_V4, .ip.u_addr.ip4.addr = station->dns };
	if (station->address.ip == 0) {
		esp_err_t result = esp_netif_dhcpc_start(radio.station);
		return result == ESP_OK || result == ESP_ERR_ESP_NETIF_DHCP_ALREADY_STARTED;
	}
	/* This call fails if DHCP is already stopped. That is harmless. */
	esp_netif_dhcpc_stop(radio.station);
	return esp_netif_set_ip_info(radio.station, &info) == ESP_OK &&
	       esp_netif_set_dns_info(radio.station, ESP_NETIF_DNS_MAIN, &dns) == ESP_OK;
}

static wifi_config_t config_of(const radio_station *station)
{
	static const uint8_t any[RADIO_MAC_SIZE];
	const radio_credentials *credentials = &station->credentials;
	wifi_config_t config = { .sta = { .channel = station->channel, .sae_pwe_h2e = WPA3_SAE_PWE_BOTH } };
	memcpy(config.sta.ssid, credentials->ssid, credentials->ssid_length);
	memcpy(config.sta.password, credentials->password, sizeof(credentials->password));
	memcpy(config.sta.bssid, station->bssid, RADIO_MAC_SIZE);
	config.sta.bssid_set = memcmp(station->bssid, any, RADIO_MAC_SIZE) != 0;
	config.sta.scan_method = station->channel ? WIFI_FAST_SCAN : WIFI_ALL_CHANNEL_SCAN;
	config.sta.sort_method = WIFI_CONNECT_AP_BY_SIGNAL;
	config.sta.threshold.authmode = credentials->password[0] ? WIFI_AUTH_WPA2_PSK : WIFI_AUTH_OPEN;
	config.sta.pmf_cfg.capable = true;
	return config;
}

bool radio_driver_join(const radio_station *station)
{
	wifi_config_t config = config_of(station);
	if (esp_netif_set_hostname(radio.station, station->hostname) == ESP_OK && set_address(station) &&
	    esp_wifi_set_config(WIFI_IF_STA, &config) == ESP_OK && esp_wifi_connect() == ESP_OK)
		return true;
	esp_wifi_disconnect();
	return false;
}

void radio_driver_leave(void)
{
	esp_wifi_disconnect();
}

bool radio_driver_scan(void)
{
	return esp_wifi_scan_start(NULL, false) == ESP_OK;
}

void radio_driver_stop_scan(void)
{
	esp_wifi_scan_stop();
}

static void describe(const wifi_ap_record_t *record, radio_network *network)
{
	network->ssid_length = (uint8_t)strnlen((const char *)record->ssid, RADIO_SSID_LIMIT);
	memcpy(network->ssid, record->ssid, RADIO_SSID_LIMIT);
	memcpy(network->bssid, record->bssid, RADIO_MAC_SIZE);
	network->channel = record->primary;
	network->rssi = record->rssi;
	network->authmode = (uint8_t)record->authmode;
}

bool radio_driver_take_network(radio_network *network)
{
	wifi_ap_record_t record;
	if (esp_wifi_scan_get_ap_record(&record) != ESP_OK) {
		esp_wifi_clear_ap_list();
		return false;
	}
	describe(&record, network);
	return true;
}

bool radio_driver_get_network(radio_network *network)
{
	wifi_ap_record_t record;
	if (esp_wifi_sta_get_ap_info(&record) != ESP_OK) return false;
	describe(&record, network);
	return true;
}

unsigned radio_driver_get_channel(void)
{
	uint8_t primary = 0;
	wifi_second_chan_t second;
	return esp_wifi_get_channel(&primary, &second) == ESP_OK ? primary : 0;
}

unsigned radio_driver_count_clients(void)
{
	wifi_sta_list_t list;
	return esp_wifi_ap_get_sta_list(&list) == ESP_OK ? (unsigned)list.num : 0;
}

/*
 * Runs hosts/esp32/wifi-driver.c on a fake of ESP-IDF (wifi-idf-fake), for wifi-driver.test.ts. Prints each step, its
 * ESP-IDF calls, and the resulting events.
 */
#include <stdio.h>
#include <string.h>

#include "../../../hosts/esp32/entropy.h"
#include "../../../hosts/esp32/wifi-driver.h"
#include "wifi-idf-fake/idf-fake.h"

static int context;

static void hear(void *given, const radio_event *event)
{
	static const char *const NAMES[] = {
		"nudge", "associated", "ended", "addressed", "address lost", "scanned", "clients",
	};
	printf("event %s %d %d %x%s\n", NAMES[event->kind], event->reason, event->succeeded, event->address.ip,
	       given == &context ? "" : " of another");
}

static void step(const char *what, bool done)
{
	printf("-- %s%s\n", what, done ? "" : " failed");
}

static void join(const char *what, radio_station station)
{
	memcpy(station.credentials.ssid, "home", 4);
	station.credentials.ssid_length = 4;
	snprintf(station.hostname, sizeof(station.hostname), "gateway");
	bool done = radio_driver_join(&station);
	step(what, done);
}

static void happen(void)
{
	ip_event_got_ip_t got = { .ip_info.ip.addr = 0xA1 };
	idf_post(WIFI_EVENT, WIFI_EVENT_STA_CONNECTED, NULL);
	idf_post(IP_EVENT, IP_EVENT_STA_GOT_IP, &got);
	idf_post(IP_EVENT, IP_EVENT_STA_LOST_IP, NULL);
	idf_post(WIFI_EVENT, WIFI_EVENT_STA_DISCONNECTED, &(wifi_event_sta_disconnected_t){ WIFI_REASON_ROAMING });
	idf_post(WIFI_EVENT, WIFI_EVENT_STA_DISCONNECTED, &(wifi_event_sta_disconnected_t){ 15 });
	idf_post(WIFI_EVENT, WIFI_EVENT_SCAN_DONE, &(wifi_event_sta_scan_done_t){ 0 });
	idf_post(WIFI_EVENT, WIFI_EVENT_SCAN_DONE, &(wifi_event_sta_scan_done_t){ 1 });
	idf_post(WIFI_EVENT, WIFI_EVENT_AP_STACONNECTED, NULL);
	idf_post(WIFI_EVENT, WIFI_EVENT_AP_STADISCONNECTED, NULL);
}

static void join_all(void)
{
	join("joined openly", (radio_station){ .channel = 0 });
	join("joined by WPA", (radio_station){ .credentials.password = "password", .bssid = { 0, 0, 0, 0, 0, 9 }, .channel = 11 });
	join("joined with an address", (radio_station){ .address = { 0xA1, 0xFF, 0xA2 }, .dns = 0xA3 });
	idf_refused = "set_config";
	join("joined in vain", (radio_station){ .channel = 0 });
	idf_refused = "";
}

static void look_around(void)
{
	radio_network network;
	step("scan", radio_driver_scan());
	idf_networks = IDF_NETWORKS;
	while (radio_driver_take_network(&network))
		printf("network %.*s %d %d %d\n", network.ssid_length, (const char *)network.ssid, network.channel,
		       network.rssi, network.authmode);
	printf("in %d", radio_driver_get_network(&network));
	printf(" %d bytes, %u clients\n", network.ssid_length, radio_driver_count_clients());
	printf("channel %u\n", radio_driver_get_channel());
	idf_refused = "channel";
	printf("channel %u\n", radio_driver_get_channel());
	idf_refused = "sta_list";
	printf("%u clients\n", radio_driver_count_clients());
	idf_refused = "ap_info";
	printf("in %d\n", radio_driver_get_network(&network));
	idf_refused = "";
	radio_driver_stop_scan();
}

int main(void)
{
	radio_credentials home = { .ssid = "device", .ssid_length = 6, .password = "12345678" };
	entropy_begin();
	step("begin", true);
	idf_refused = "register";
	step("open", radio_driver_open("DE", hear, &context));
	printf("%u handlers\n", idf_handlers());
	idf_refused = "";
	step("open", radio_driver_open("DE", hear, &context));
	step("open twice", radio_driver_open("DE", hear, NULL));
	printf("%u handlers\n", idf_handlers());
	radio_driver_set_transmit_power(34);
	step("station", radio_driver_set_mode(RADIO_STATION));
	radio_driver_set_transmit_power(82);
	step("power", true);
	join_all();
	happen();
	step("both", radio_driver_set_mode(RADIO_BOTH));
	step("access point", radio_driver_set_access_point(&home));
	look_around();
	step("off", radio_driver_set_mode(RADIO_OFF));
	step("off again", radio_driver_set_mode(RADIO_OFF));
	idf_refused = "start";
	step("station", radio_driver_set_mode(RADIO_STATION));
	idf_refused = "";
	step("station after all", radio_driver_set_mode(RADIO_STATION));
	idf_refused = "stop";
	step("off in vain", radio_driver_set_mode(RADIO_OFF));
	idf_refused = "";
	step("station as before", radio_driver_set_mode(RADIO_STATION));
	radio_driver_close();
	radio_driver_close();
	printf("%u handlers\n", idf_handlers());
	happen();
	step("close", true);
	step("open again", radio_driver_open("FR", hear, &context));
	step("station of the second radio", radio_driver_set_mode(RADIO_STATION));
	join("joined by the second radio", (radio_station){ .channel = 0 });
	idf_refused = "stop";
	radio_driver_close();
	step("close in vain", true);
	step("open with the driver that stayed", radio_driver_open("DE", hear, &context));
	idf_refused = "deinit";
	radio_driver_close();
	step("close with a driver that stays", true);
	step("open with it", radio_driver_open("DE", hear, &context));
	idf_refused = "";
	radio_driver_close();
	step("close at last", true);
	idf_refused = "init";
	step("open without memory", radio_driver_open("DE", hear, &context));
	idf_refused = "set_config";
	step("open halfway", radio_driver_open("DE", hear, &context));
	idf_refused = "";
	step("open after all", radio_driver_open("DE", hear, &context));
	return 0;
}

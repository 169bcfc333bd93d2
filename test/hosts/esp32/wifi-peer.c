/*
 * Tests of hosts/esp32/wifi-core.c, with its event queue, on a fake of the radio, for wifi.test.ts. The first argument
 * names the part; `random` takes a seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hosts/esp32/wifi-core.h"
#include "../../../hosts/esp32/wifi-events.h"
#include "wifi-fake/wifi-fake.h"

static wifi_core core;
static wifi_events events;
/* The current attempt, and its last reports; 0: none. */
static uint8_t attempt;
static unsigned connected, disconnected, reason, scans, scan_found, client_notices, clients;

static void happened(const radio_event *event)
{
	wifi_events_push(&events, event);
}

static void begin(void)
{
	memset(&core, 0, sizeof(core));
	memset(&fake, 0, sizeof(fake));
	wifi_events_open(&events);
	fake.happened = happened;
}

static void hear(wifi_notice notice)
{
	if (notice.kind == WIFI_NOTICE_CONNECTED) {
		/* The address must be that of the current attempt. */
		MUST(attempt && core.link == WIFI_ONLINE && core.address.ip == attempt);
		connected++;
	} else if (notice.kind == WIFI_NOTICE_DISCONNECTED) {
		bool known = notice.value == fake_reason(attempt) || notice.value == RADIO_REASON_UNSPECIFIED;
		MUST(attempt && known);
		reason = notice.value;
		disconnected++;
	} else if (notice.kind == WIFI_NOTICE_SCANNED) {
		scans++;
		scan_found = notice.value;
	} else {
		MUST(notice.kind == WIFI_NOTICE_CLIENTS);
		client_notices++;
		clients = notice.value;
	}
}

static void hear_all(void)
{
	while (wifi_core_has_notice(&core)) hear(wifi_core_next(&core));
	MUST(wifi_core_next(&core).kind == WIFI_NOTICE_NONE);
}

/* Passes pending events to the core, without delivering its notices. */
static void catch_up(void)
{
	radio_event event;
	while (wifi_events_pop(&events, &event)) wifi_core_event(&core, &event);
}

/* Delivers one event to the machine. */
static bool handle(void)
{
	radio_event event;
	if (!wifi_events_pop(&events, &event)) return false;
	wifi_core_event(&core, &event);
	hear_all();
	return true;
}

static void handle_all(void)
{
	while (handle()) continue;
	hear_all();
}

static radio_credentials credentials_of(uint8_t number)
{
	radio_credentials credentials = { .ssid_length = 2, .password = "password" };
	credentials.ssid[0] = 'n';
	credentials.ssid[1] = number;
	return credentials;
}

static bool want(uint8_t number)
{
	radio_station station = { .credentials = credentials_of(number) };
	attempt = number;
	connected = disconnected = reason = 0;
	bool leaving = number ? wifi_core_connect(&core, &station) : wifi_core_disconnect(&core);
	MUST(leaving == (core.link == WIFI_LEAVING));
	return leaving;
}

static void go_online(uint8_t number)
{
	MUST(!want(number) && core.link == WIFI_JOINING);
	fake_step();
	fake_step();
	handle_all();
	MUST(core.link == WIFI_ONLINE && connected == 1 && disconnected == 0);
}

static void join(void)
{
	begin();
	go_online(1);
	/* A changed address is reported too. */
	fake_step();
	handle_all();
	MUST(connected == 2);
	/* When the network is lost, the core makes no new attempt by itself, and the radio stays on for the next one. */
	fake_end(fake_reason(1));
	handle_all();
	MUST(disconnected == 1 && reason == fake_reason(1) && core.link == WIFI_IDLE && fake.joins == 1);
	MUST(fake.mode == RADIO_STATION);
	go_online(2);
	fake_lose_address();
	handle_all();
	MUST(disconnected == 1 && reason == RADIO_REASON_UNSPECIFIED && fake.leaves == 1 && core.link == WIFI_LEAVING);
	fake_end(RADIO_REASON_LEFT);
	handle_all();
	MUST(disconnected == 1 && core.link == WIFI_IDLE);
	want(0);
	handle_all();
	MUST(fake.mode == RADIO_OFF);
}

/* Events of the previous network are pending when another is requested. */
static void move(void)
{
	begin();
	go_online(1);
	MUST(want(2));
	fake_step();
	fake_lose_address();
	handle_all();
	MUST(fake.joins == 1);
	fake_end(RADIO_REASON_LEFT);
	/* lwIP's thread may have reported the address before the end. */
	happened(&(radio_event){ .kind = RADIO_ADDRESSED, .address = { .ip = 1 } });
	handle_all();
	MUST(fake.joins == 2 && core.link == WIFI_JOINING && connected == 0);
	/* The attempt has failed, but the report is pending when the next one is requested. */
	fake_end(fake_reason(2));
	MUST(want(3));
	handle_all();
	MUST(disconnected == 0 && core.link == WIFI_JOINING && fake.joins == 3);
	MUST(want(0));
	fake_end(RADIO_REASON_LEFT);
	handle_all();
	MUST(disconnected == 0 && fake.mode == RADIO_OFF);
}

/* The radio does not report the end of an abandoned attempt. */
static void wait_in_vain(void)
{
	begin();
	go_online(1);
	fake.keeps_ends = true;
	MUST(want(2));
	handle_all();
	wifi_core_leave_overdue(&core);
	MUST(core.link == WIFI_JOINING && fake.joins == 2);
	fake_end_late();
	handle_all();
	MUST(core.link == WIFI_JOINING && disconnected == 0);
	fake_end(fake_reason(2));
	handle_all();
	MUST(disconnected == 1);
	/* The first attempt's end is reported after the next attempt is abandoned too. */
	go_online(3);
	MUST(want(0));
	wifi_core_leave_overdue(&core);
	MUST(fake.mode == RADIO_OFF);
	fake_end_late();
	handle_all();
	MUST(core.link == WIFI_IDLE && disconnected == 0);
	/* The network of an abandoned attempt connects. */
	go_online(4);
	fake_end(fake_reason(4));
	handle_all();
	fake.station = FAKE_THERE;
	happened(&(radio_event){ .kind = RADIO_ASSOCIATED });
	handle_all();
	MUST(core.link == WIFI_LEAVING && fake.late_end);
	fake_end_late();
	handle_all();
	MUST(core.link == WIFI_IDLE && disconnected == 1);
	wifi_core_leave_overdue(&core);
	MUST(core.link == WIFI_IDLE);
}

static void refuse(void)
{
	radio_credentials home = credentials_of(9);
	begin();
	fake.fails_join = true;
	MUST(!want(1) && disconnected == 0 && wifi_core_has_notice(&core));
	handle_all();
	MUST(disconnected == 1 && reason == RADIO_REASON_UNSPECIFIED);
	want(0);
	MUST(fake.mode == RADIO_OFF);
	fake.fails_join = false;
	fake.fails_mode = true;
	want(2);
	handle_all();
	MUST(disconnected == 1 && fake.joins == 0);
	MUST(!wifi_core_scan(&core) && !wifi_core_start_access_point(&core, &home));
	want(3);
	/* A disconnect drops pending reports. */
	want(0);
	handle_all();
	fake.fails_mode = false;
	fake.fails_scan = fake.fails_access_point = true;
	MUST(!wifi_core_scan(&core) && fake.mode == RADIO_OFF && scans == 0);
	MUST(!wifi_core_start_access_point(&core, &home) && fake.mode == RADIO_OFF);
}

static void open_access_point(void)
{
	radio_credentials home = credentials_of(8), other = credentials_of(9);
	begin();
	MUST(wifi_core_start_access_point(&core, &home) && fake.mode == RADIO_BOTH && fake.access_point_settings == 1);
	MUST(wifi_core_start_access_point(&core, &home) && fake.access_point_settings == 1);
	MUST(wifi_core_start_access_point(&core, &other) && fake.access_point_settings == 2);
	MUST(memcmp(&fake.access_point, &other, sizeof(other)) == 0);
	fake_set_clients(1);
	fake_set_clients(2);
	handle_all();
	MUST(client_notices == 1 && clients == 2);
	go_online(1);
	MUST(fake.mode == RADIO_BOTH);
	wifi_core_stop_access_point(&core);
	MUST(fake.mode == RADIO_STATION && core.link == WIFI_ONLINE);
	fake_set_clients(0);
	handle_all();
	MUST(client_notices == 1);
	MUST(wifi_core_start_access_point(&core, &other) && fake.access_point_settings == 3);
	fake_set_clients(3);
	catch_up();
	wifi_core_stop_access_point(&core);
	handle_all();
	MUST(client_notices == 1 && wifi_core_start_access_point(&core, &other));
	want(0);
	fake_end(RADIO_REASON_LEFT);
	handle_all();
	MUST(fake.mode == RADIO_BOTH);
	wifi_core_stop_access_point(&core);
	MUST(fake.mode == RADIO_OFF);
}

static int weaker(const void *a, const void *b)
{
	return ((const radio_network *)b)->rssi - ((const radio_network *)a)->rssi;
}

static void find_networks(unsigned count)
{
	fake.found = count;
	fake.taken = 0;
	for (unsigned i = 0; i < count; i++)
		fake.networks[i] = (radio_network){ .rssi = (int8_t)(-1 - rand() % 100), .channel = (uint8_t)(i + 1) };
}

/* The core keeps the strongest networks of the scan. */
static void expect_networks(void)
{
	unsigned kept = fake.found < RADIO_SCAN_LIMIT ? fake.found : RADIO_SCAN_LIMIT;
	MUST(core.network_count == kept && fake.taken == fake.found);
	qsort(fake.networks, fake.found, sizeof(fake.networks[0]), weaker);
	for (unsigned i = 0; i < kept; i++) MUST(core.networks[i].rssi == fake.networks[i].rssi && core.networks[i].channel);
}

static void scan(void)
{
	begin();
	for (unsigned count = 0; count < FAKE_NETWORKS; count++) {
		MUST(wifi_core_scan(&core) && fake.mode == RADIO_STATION);
		find_networks(count);
		fake_end_scan(true);
		handle_all();
		MUST(scans == count + 1 && scan_found == 1 && fake.mode == RADIO_OFF);
		expect_networks();
	}
	scans = 0;
	/* No scan starts while joining; one requested after an abort starts as soon as the radio can scan. */
	want(1);
	MUST(!wifi_core_scan(&core));
	MUST(want(0) && wifi_core_scan(&core) && !fake.scanning);
	fake_end(RADIO_REASON_LEFT);
	handle_all();
	MUST(fake.scanning && fake.mode == RADIO_STATION && scans == 0);
	/* Joining ends a scan. That end is reported after the next scan has begun. */
	want(2);
	fake_step();
	MUST(core.link == WIFI_JOINING && !fake.scanning);
	hear_all();
	MUST(scans == 1 && scan_found == 0);
	fake_step();
	happened(&(radio_event){ .kind = RADIO_NUDGE });
	handle_all();
	MUST(core.link == WIFI_ONLINE && scans == 1);
	MUST(wifi_core_scan(&core) && wifi_core_scan(&core));
	handle_all();
	MUST(fake.scanning && scans == 1);
	find_networks(3);
	fake_end_scan(true);
	handle_all();
	MUST(scans == 2 && scan_found == 1 && core.link == WIFI_ONLINE);
	MUST(wifi_core_scan(&core));
	fake_end_scan(false);
	handle_all();
	MUST(scans == 3 && scan_found == 0);
	expect_networks();
}

/* A random request or event. */
static void act(void)
{
	static uint8_t number;
	radio_credentials home = credentials_of((uint8_t)(1 + rand() % 2));
	switch (rand() % 20) {
	case 0:
		/* Often, but not always, handles pending events. */
		if (rand() % 2) catch_up();
		number = (uint8_t)(number % FAKE_ATTEMPTS + 1);
		want(number);
		break;
	case 1:
		want(0);
		break;
	case 2:
		catch_up();
		wifi_core_scan(&core);
		break;
	case 3:
		wifi_core_start_access_point(&core, &home);
		break;
	case 4:
		wifi_core_stop_access_point(&core);
		break;
	case 5:
		if (fake.mode == RADIO_BOTH) fake_set_clients((unsigned)rand() % 5);
		break;
	case 6:
		/* An abandoned attempt ends by the radio's disconnect; any other one has failed. */
		if (core.link != WIFI_LEAVING) fake_end(fake_reason(fake.attempt));
		break;
	case 7:
		fake_lose_address();
		break;
	case 8:
		find_networks((unsigned)rand() % FAKE_NETWORKS);
		fake_end_scan(rand() % 4 != 0);
		break;
	case 9:
	case 10:
		if (core.link == WIFI_LEAVING) fake_end(RADIO_REASON_LEFT);
		break;
	case 11:
	case 12:
		fake_step();
		break;
	case 13:
		fake.keeps_ends = rand() % 4 == 0;
		break;
	case 14:
		catch_up();
		if (fake.late_end) wifi_core_leave_overdue(&core);
		break;
	case 15:
		if (!core.overdue || fake.station >= FAKE_THERE || events.count > 0) break;
		fake_end_late();
		handle();
		break;
	case 16:
		fake.fails_join = rand() % 4 == 0;
		fake.fails_scan = rand() % 4 == 0;
		fake.fails_access_point = rand() % 4 == 0;
		break;
	default:
		handle();
	}
}

/* Completes everything that is pending. */
static void settle(void)
{
	for (int i = 0; i < 8; i++) {
		handle_all();
		if (core.link == WIFI_LEAVING && fake.station == FAKE_AWAY) wifi_core_leave_overdue(&core);
		else if (core.link == WIFI_LEAVING) fake_end(RADIO_REASON_LEFT);
		else fake_step();
		find_networks(5);
		fake_end_scan(true);
	}
	handle_all();
}

static void expect_settled(void)
{
	MUST(!core.scanning && !core.scan_waits && !core.join_waits && core.link != WIFI_LEAVING);
	MUST((core.link == WIFI_ONLINE) == (fake.station == FAKE_REACHABLE));
	MUST((core.link == WIFI_IDLE) == (fake.station == FAKE_AWAY));
	MUST(fake.mode == (core.access_point_on ? RADIO_BOTH : attempt ? RADIO_STATION : RADIO_OFF));
	if (attempt && core.link == WIFI_ONLINE) MUST(connected > 0 && core.address.ip == attempt && fake.attempt == attempt);
	else if (attempt) MUST(disconnected == 1);
	else MUST(core.link == WIFI_IDLE && connected == 0 && disconnected == 0);
	if (core.access_point_on) MUST(core.clients == fake.clients);
}

static void wander(unsigned seed)
{
	srand(seed);
	begin();
	for (int round = 0; round < 3000; round++) {
		for (int i = rand() % 60; i > 0; i--) act();
		settle();
		expect_settled();
	}
}

int main(int count, char **arguments)
{
	static const test_case cases[] = {
		{ "join", join },     { "move", move }, { "overdue", wait_in_vain },
		{ "refuse", refuse }, { "scan", scan }, { "access-point", open_access_point },
		{ NULL, NULL },
	};
	if (count == 3 && strcmp(arguments[1], "random") == 0) {
		wander((unsigned)strtoul(arguments[2], NULL, 10));
		return 0;
	}
	MUST(count == 2);
	run_case(arguments[1], cases);
	return 0;
}

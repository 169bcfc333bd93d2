/*
 * Tests of the radio's event queue and of names (hosts/esp32/wifi-events.c, wifi-name.c, wifi-origin-addresses.c), for
 * wifi.test.ts. The first argument names the part; `name` prints the SSID given as hex.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hosts/esp32/wifi-events.h"
#include "../../../hosts/esp32/wifi-name.h"
#include "../../../hosts/esp32/wifi-origin.h"
#include "../must.h"

enum { EVENTS = 20000 };

static wifi_events events;

static bool push(radio_event_kind kind, uint8_t reason)
{
	return wifi_events_push(&events, &(radio_event){ .kind = kind, .reason = reason });
}

static void expect(radio_event_kind kind, uint8_t reason)
{
	radio_event event;
	MUST(wifi_events_pop(&events, &event) && event.kind == kind && event.reason == reason);
}

static void queue(void)
{
	radio_event event;
	wifi_events_open(&events);
	MUST(push(RADIO_CLIENTS, 1) && !push(RADIO_NUDGE, 0) && !push(RADIO_ASSOCIATED, 0));
	/* The later event replaces the earlier one. */
	MUST(!push(RADIO_CLIENTS, 2) && !push(RADIO_NUDGE, 3) && !wifi_events_rest(&events));
	MUST(!push(RADIO_ADDRESSED, 4) && !push(RADIO_ADDRESS_LOST, 5) && !push(RADIO_ADDRESSED, 6));
	expect(RADIO_CLIENTS, 2);
	expect(RADIO_NUDGE, 3);
	expect(RADIO_ASSOCIATED, 0);
	expect(RADIO_ADDRESSED, 6);
	MUST(!wifi_events_pop(&events, &event) && wifi_events_rest(&events));
	MUST(push(RADIO_SCANNED, 0));
	for (uint8_t i = 1; i < WIFI_EVENTS_LIMIT; i++) push(RADIO_SCANNED, i);
	/* In a full queue the end of an attempt is always kept, and others are lost. */
	push(RADIO_ASSOCIATED, 0);
	push(RADIO_ENDED, 200);
	push(RADIO_CLIENTS, 0);
	for (uint8_t i = 0; i < WIFI_EVENTS_LIMIT - 1; i++) expect(RADIO_SCANNED, i);
	expect(RADIO_ENDED, 200);
	MUST(wifi_events_rest(&events));
	wifi_events_close(&events);
}

/* Stand-in for machine_post; `posted`: a delivery is pending. */
static pthread_mutex_t post_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t post_bell = PTHREAD_COND_INITIALIZER;
static unsigned posts;

static void *happen(void *context)
{
	for (unsigned i = 1; i <= EVENTS; i++) {
		radio_event event = { .kind = RADIO_ENDED, .address = { .ip = i } };
		if (!wifi_events_push(&events, &event)) continue;
		pthread_mutex_lock(&post_lock);
		MUST(++posts == 1);
		pthread_cond_signal(&post_bell);
		pthread_mutex_unlock(&post_lock);
	}
	return context;
}

/* Each event requests a delivery, or is included in the pending one. At most one is pending. */
static void deliver_from_another_thread(void)
{
	pthread_t thread;
	radio_event event = { .kind = RADIO_NUDGE };
	wifi_events_open(&events);
	MUST(pthread_create(&thread, NULL, happen, NULL) == 0);
	while (event.address.ip != EVENTS) {
		pthread_mutex_lock(&post_lock);
		while (posts == 0) pthread_cond_wait(&post_bell, &post_lock);
		posts--;
		pthread_mutex_unlock(&post_lock);
		do {
			while (wifi_events_pop(&events, &event)) continue;
		} while (!wifi_events_rest(&events));
	}
	pthread_join(thread, NULL);
	wifi_events_close(&events);
}

static void addresses(void)
{
	uint8_t mac[RADIO_MAC_SIZE];
	char text[WIFI_MAC_TEXT_SIZE];
	MUST(wifi_mac_parse("00a1fFB2c300", mac) && mac[0] == 0 && mac[1] == 0xA1 && mac[2] == 0xFF && mac[5] == 0);
	wifi_mac_write(mac, text);
	MUST(strcmp(text, "00a1ffb2c300") == 0);
	MUST(wifi_mac_parse("", mac) && mac[1] == 0 && mac[2] == 0);
	MUST(!wifi_mac_parse("00a1ffb2c30", mac) && !wifi_mac_parse("00a1ffb2c3000", mac));
	MUST(!wifi_mac_parse("00a1ffb2c30g", mac));
	static const struct {
		uint8_t ours[4], peer[4];
		bool is;
	} pairs[] = {
		{ { 192, 168, 4, 1 }, { 192, 168, 4, 2 }, true },    { { 192, 168, 4, 1 }, { 192, 168, 4, 254 }, true },
		{ { 192, 168, 4, 1 }, { 192, 168, 4, 255 }, false }, { { 192, 168, 4, 1 }, { 192, 168, 4, 1 }, false },
		{ { 192, 168, 4, 1 }, { 192, 168, 4, 0 }, false },   { { 192, 168, 4, 1 }, { 192, 168, 5, 2 }, false },
		{ { 192, 168, 4, 2 }, { 192, 168, 4, 3 }, false },   { { 10, 0, 0, 5 }, { 192, 168, 4, 2 }, false },
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint32_t ours, peer;
		memcpy(&ours, pairs[i].ours, 4);
		memcpy(&peer, pairs[i].peer, 4);
		MUST(wifi_is_access_point_pair(ours, peer) == pairs[i].is);
	}
}

static void print_name(const char *hex)
{
	size_t length = strlen(hex) / 2;
	uint8_t *ssid = malloc(length + 1);
	char name[WIFI_NAME_SIZE];
	for (size_t i = 0; i < length; i++) {
		unsigned byte;
		MUST(sscanf(hex + 2 * i, "%2x", &byte) == 1);
		ssid[i] = (uint8_t)byte;
	}
	wifi_name_write(ssid, (unsigned)length, name);
	fputs(name, stdout);
	free(ssid);
}

int main(int count, char **arguments)
{
	if (count == 3 && strcmp(arguments[1], "name") == 0) print_name(arguments[2]);
	else if (count == 2 && strcmp(arguments[1], "queue") == 0) queue();
	else if (count == 2 && strcmp(arguments[1], "thread") == 0) deliver_from_another_thread();
	else if (count == 2 && strcmp(arguments[1], "addresses") == 0) addresses();
	else return 2;
	return 0;
}

/*
 * A fake of the radio (hosts/esp32/wifi-driver.h) for wifi-peer.c, which says when something happens in it. It ends the
 * program when it is used as ESP-IDF's must not be used. Attempts to join are numbered: the number of one is the last byte
 * of the SSID, and stands in its address and in the reason of its end, which the real ones don't tell.
 */
#ifndef WIFI_FAKE_H
#define WIFI_FAKE_H

#include "../../../../hosts/esp32/wifi-driver.h"

#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s, line %d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

enum { FAKE_NETWORKS = 64, FAKE_FIRST_REASON = 20, FAKE_ATTEMPTS = 200 };

typedef enum { FAKE_AWAY, FAKE_SEARCHING, FAKE_THERE, FAKE_REACHABLE } fake_station;

typedef struct {
	void (*happened)(const radio_event *event);
	radio_mode mode;
	bool power_save;
	/* Present state, whatever was reported of it, and its attempt. */
	fake_station station;
	uint8_t attempt;
	unsigned joins, leaves;
	/* The end of an attempt that was left is told by fake_end_late, or never. */
	bool keeps_ends, late_end;
	bool scanning;
	/* A scan that is stopped says nothing of it. */
	bool stops_silently;
	unsigned found, taken;
	radio_network networks[FAKE_NETWORKS];
	unsigned clients;
	radio_credentials access_point;
	unsigned access_point_settings;
	/* Operations that fail. */
	bool fails_mode, fails_join, fails_access_point, fails_scan;
} fake_radio;

extern fake_radio fake;

/* Advances the attempt by one step; nothing without an attempt, or after its end. */
void fake_step(void);
void fake_end(uint8_t reason);
void fake_end_late(void);
void fake_lose_address(void);
void fake_end_scan(bool well);
void fake_set_clients(unsigned clients);

/* The reason of an attempt that fails by itself. */
uint8_t fake_reason(uint8_t attempt);

#endif

/*
 * A fake of the radio (hosts/esp32/wifi-driver.h) for wifi-peer.c, which triggers its events. A use that ESP-IDF
 * forbids ends the program. Attempts to join are numbered, in the last byte of the SSID. Unlike the real radio, the
 * fake also puts this number into the address and into the reason of the end.
 */
#ifndef WIFI_FAKE_H
#define WIFI_FAKE_H

#include "../../../../hosts/esp32/wifi-driver.h"
#include "../../must.h"

enum { FAKE_NETWORKS = 64, FAKE_FIRST_REASON = 20, FAKE_ATTEMPTS = 200 };

typedef enum { FAKE_AWAY, FAKE_SEARCHING, FAKE_THERE, FAKE_REACHABLE } fake_station;

typedef struct {
	void (*happened)(const radio_event *event);
	radio_mode mode;
	int8_t transmit_power;
	/* The present state, reported or not, and the attempt that it belongs to. */
	fake_station station;
	uint8_t attempt;
	unsigned joins, leaves;
	/* The end of an abandoned attempt is reported by fake_end_late, or never. */
	bool keeps_ends, late_end;
	bool scanning;
	/* A stopped scan is not reported. */
	bool stops_silently;
	unsigned found, taken;
	radio_network networks[FAKE_NETWORKS];
	unsigned clients;
	radio_credentials access_point;
	unsigned access_point_settings;
	bool fails_mode, fails_join, fails_access_point, fails_scan;
} fake_radio;

extern fake_radio fake;

/* Advances the attempt by one step; no effect without an attempt, or after its end. */
void fake_step(void);
void fake_end(uint8_t reason);
void fake_end_late(void);
void fake_lose_address(void);
void fake_end_scan(bool well);
void fake_set_clients(unsigned clients);

/* The reason reported for an attempt that fails by itself. */
uint8_t fake_reason(uint8_t attempt);

#endif

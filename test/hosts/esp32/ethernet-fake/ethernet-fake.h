/*
 * A fake of the port (hosts/esp32/ethernet/ethernet-driver.h) for ethernet-peer.c and ethernet-xs-peer.c. It ends the
 * program when it is used as ESP-IDF's must not be used.
 */
#ifndef ETHERNET_FAKE_H
#define ETHERNET_FAKE_H

#include "../../../../hosts/esp32/ethernet/ethernet-driver.h"

typedef struct {
	bool open, on, fails_open, fails_start;
	unsigned starts;
	ethernet_pins pins;
	ethernet_settings settings;
	/* A static address is told at once, while `start` is called: the link is there. */
	bool tells_at_once;
	void (*notify)(void *context, const ethernet_event *event);
	void *context;
} fake_port;

extern fake_port fake;

/* As if ESP-IDF had said so; nothing when the port is not open. */
void fake_happens(ethernet_event event);

#endif

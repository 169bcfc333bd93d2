/*
 * A fake of the port (hosts/esp32/ethernet/ethernet-driver.h) for ethernet-peer.c and ethernet-xs-peer.c. It ends the
 * program on a use that ESP-IDF forbids.
 */
#ifndef ETHERNET_FAKE_H
#define ETHERNET_FAKE_H

#include "../../../../hosts/esp32/ethernet/ethernet-driver.h"

typedef struct {
	bool open, on, fails_open, fails_start;
	unsigned starts;
	ethernet_pins pins;
	ethernet_settings settings;
	/* `start` itself reports the static address, as if the link were up. */
	bool reports_at_once;
	void (*notify)(void *context, const ethernet_event *event);
	void *context;
} fake_port;

extern fake_port fake;

/* Reports an ESP-IDF event; no effect while the port is closed. */
void fake_happens(ethernet_event event);

#endif

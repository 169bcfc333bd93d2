/*
 * Fake of ESP-IDF's Wi-Fi for wifi-driver-peer.c. Each call is a line of the output; calls named in idf_refused fail.
 */
#ifndef IDF_FAKE_H
#define IDF_FAKE_H

#include "esp_event.h"
#include "esp_netif.h"
#include "esp_wifi.h"

enum { IDF_NETWORKS = 3 };

extern const char *idf_refused;
extern unsigned idf_networks;

/* Calls the registered handlers. */
void idf_post(esp_event_base_t base, int32_t id, void *data);
unsigned idf_handlers(void);

#endif

/*
 * Queue of radio events from ESP-IDF's task to the machine's thread, under a lock. Limit: WIFI_EVENTS_LIMIT events. An
 * attempt to join has at most three (associated, address, ended), and the next attempt begins only after the machine's
 * thread has taken the end. Further events are lost, except the end of an attempt: without it, no other attempt could
 * begin.
 */
#ifndef WIFI_EVENTS_H
#define WIFI_EVENTS_H

#include <pthread.h>

#include "wifi-driver.h"

enum { WIFI_EVENTS_LIMIT = 8 };

typedef struct {
	pthread_mutex_t lock;
	/* A delivery to the machine's thread is under way. The lock guards this and all following members. */
	bool posted;
	unsigned first, count;
	radio_event ring[WIFI_EVENTS_LIMIT];
} wifi_events;

void wifi_events_open(wifi_events *events);
void wifi_events_close(wifi_events *events);

/* Any thread may call. True if the caller must post a delivery. */
bool wifi_events_push(wifi_events *events, const radio_event *event);

bool wifi_events_pop(wifi_events *events, radio_event *event);

/* Ends the delivery: the next event posts a new one. False, without effect, if there are still events to take. */
bool wifi_events_rest(wifi_events *events);

#endif

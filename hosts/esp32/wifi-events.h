/*
 * Queue of radio events from ESP-IDF's task to the machine's thread, under a lock; a later event replaces an earlier
 * one that it makes obsolete. For wifi-xs.c; plain C on pthreads. Limit: WIFI_EVENTS_LIMIT events. An attempt to join
 * has at most three (associated, address, ended), and the next one begins only after the machine's thread has seen the
 * end; a scan has one, and so have the clients. Further events are lost, except the end of an attempt, without which
 * nothing could begin any more.
 */
#ifndef WIFI_EVENTS_H
#define WIFI_EVENTS_H

#include <pthread.h>

#include "wifi-driver.h"

enum { WIFI_EVENTS_LIMIT = 8 };

typedef struct {
	pthread_mutex_t lock;
	/*
	 * This and all following members are guarded by the lock. True while a delivery to the machine's thread is under
	 * way.
	 */
	bool posted;
	unsigned first, count;
	radio_event ring[WIFI_EVENTS_LIMIT];
} wifi_events;

void wifi_events_open(wifi_events *events);
void wifi_events_close(wifi_events *events);

/* Any thread. Returns true if the caller must post a delivery. */
bool wifi_events_push(wifi_events *events, const radio_event *event);

/* Takes the oldest event; false without one. */
bool wifi_events_pop(wifi_events *events, radio_event *event);

/* Ends the delivery, so that the next event posts a new one. Returns false if there are events left. */
bool wifi_events_rest(wifi_events *events);

#endif

/*
 * Queue of radio events from ESP-IDF's task to the machine's thread, guarded by a lock. It has room for
 * WIFI_EVENTS_LIMIT events. An attempt to join causes at most three events (associated, address, ended), and the next
 * attempt begins only after the machine's thread has read the end. If the queue is full, further events are lost,
 * except the end of an attempt, because without this event no other attempt could begin.
 */
#ifndef WIFI_EVENTS_H
#define WIFI_EVENTS_H

#include <pthread.h>

#include "wifi-driver.h"

enum { WIFI_EVENTS_LIMIT = 8 };

typedef struct {
	pthread_mutex_t lock;
	/* True while a delivery to the machine's thread is under way. The lock guards this member and all that follow. */
	bool posted;
	unsigned first, count;
	radio_event ring[WIFI_EVENTS_LIMIT];
} wifi_events;

void wifi_events_open(wifi_events *events);
void wifi_events_close(wifi_events *events);

/* May be called in any thread. Returns true if the caller must post a delivery. */
bool wifi_events_push(wifi_events *events, const radio_event *event);

bool wifi_events_pop(wifi_events *events, radio_event *event);

/*
 * Ends the delivery, so that the next event posts a new one. Has no effect and returns false if there are unread
 * events.
 */
bool wifi_events_rest(wifi_events *events);

#endif

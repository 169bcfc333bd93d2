/*
 * The way of the radio's events from ESP-IDF's task into the machine's thread: a short queue under a lock, in which later
 * events take the place of earlier ones that they outdate. For wifi-xs.c; plain C on pthreads.
 * Limits: WIFI_EVENTS_LIMIT. An attempt to join has three at most (associated, address, ended), and the next one begins
 * only when the machine's thread has seen the end; a scan has one, and what the clients do is one. When there are more,
 * the last are lost, but never the end of an attempt: nothing would begin after it any more.
 */
#ifndef WIFI_EVENTS_H
#define WIFI_EVENTS_H

#include <pthread.h>

#include "wifi-driver.h"

enum { WIFI_EVENTS_LIMIT = 8 };

typedef struct {
	pthread_mutex_t lock;
	/* This and all following members need the lock. True while a delivery to the machine's thread is under way. */
	bool posted;
	unsigned first, count;
	radio_event ring[WIFI_EVENTS_LIMIT];
} wifi_events;

void wifi_events_open(wifi_events *events);
void wifi_events_close(wifi_events *events);

/* In any thread. True: the caller is to send a delivery on its way. */
bool wifi_events_push(wifi_events *events, const radio_event *event);

/* Takes the oldest event; false without one. */
bool wifi_events_pop(wifi_events *events, radio_event *event);

/* The delivery ends, and the next event asks for one. False: it can't, there are events. */
bool wifi_events_rest(wifi_events *events);

#endif

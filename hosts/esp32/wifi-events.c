#include "wifi-events.h"

#include <string.h>

void wifi_events_open(wifi_events *events)
{
	memset(events, 0, sizeof(*events));
	pthread_mutex_init(&events->lock, NULL);
}

void wifi_events_close(wifi_events *events)
{
	pthread_mutex_destroy(&events->lock);
}

static radio_event *at(wifi_events *events, unsigned index)
{
	return &events->ring[(events->first + index) % WIFI_EVENTS_LIMIT];
}

static bool is_address(radio_event_kind kind)
{
	return kind == RADIO_ADDRESSED || kind == RADIO_ADDRESS_LOST;
}

static radio_event *outdated(wifi_events *events, radio_event_kind kind)
{
	for (unsigned i = 0; i < events->count; i++) {
		radio_event *each = at(events, i);
		if (each->kind == kind && (kind == RADIO_NUDGE || kind == RADIO_CLIENTS)) return each;
	}
	radio_event *last = events->count > 0 ? at(events, events->count - 1) : NULL;
	return last && is_address(kind) && is_address(last->kind) ? last : NULL;
}

static radio_event *place(wifi_events *events, radio_event_kind kind)
{
	radio_event *old = outdated(events, kind);
	if (old) return old;
	if (events->count < WIFI_EVENTS_LIMIT) return at(events, events->count++);
	return kind == RADIO_ENDED ? at(events, events->count - 1) : NULL;
}

bool wifi_events_push(wifi_events *events, const radio_event *event)
{
	pthread_mutex_lock(&events->lock);
	radio_event *slot = place(events, event->kind);
	if (slot) *slot = *event;
	bool post = !events->posted;
	events->posted = true;
	pthread_mutex_unlock(&events->lock);
	return post;
}

bool wifi_events_pop(wifi_events *events, radio_event *event)
{
	pthread_mutex_lock(&events->lock);
	bool found = events->count > 0;
	if (found) {
		*event = *at(events, 0);
		events->first = (events->first + 1) % WIFI_EVENTS_LIMIT;
		events->count--;
	}
	pthread_mutex_unlock(&events->lock);
	return found;
}

bool wifi_events_rest(wifi_events *events)
{
	pthread_mutex_lock(&events->lock);
	bool empty = events->count == 0;
	if (empty) events->posted = false;
	pthread_mutex_unlock(&events->lock);
	return empty;
}

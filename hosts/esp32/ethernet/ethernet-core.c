#include "ethernet-core.h"

#include <string.h>

static const ethernet_state NOTHING;
static const ethernet_address NOWHERE;

static bool is_same(const ethernet_state *one, const ethernet_state *other)
{
	const ethernet_address *a = &one->address, *b = &other->address;
	return one->linked == other->linked && a->ip == b->ip && a->netmask == b->netmask && a->gateway == b->gateway;
}

void ethernet_core_open(ethernet_core *core)
{
	memset(core, 0, sizeof(*core));
	pthread_mutex_init(&core->lock, NULL);
}

void ethernet_core_close(ethernet_core *core)
{
	pthread_mutex_destroy(&core->lock);
}

/* Resets the state before the driver is called, because the driver may report the new address immediately. */
static void prepare(ethernet_core *core)
{
	pthread_mutex_lock(&core->lock);
	core->on = true;
	core->now.address = NOWHERE;
	pthread_mutex_unlock(&core->lock);
}

static void turn_off(ethernet_core *core)
{
	pthread_mutex_lock(&core->lock);
	core->on = false;
	core->now = NOTHING;
	pthread_mutex_unlock(&core->lock);
}

bool ethernet_core_start(ethernet_core *core, const ethernet_settings *settings)
{
	prepare(core);
	if (ethernet_driver_start(settings)) return true;
	turn_off(core);
	return false;
}

void ethernet_core_stop(ethernet_core *core)
{
	turn_off(core);
	ethernet_driver_stop();
}

static void apply(ethernet_state *state, const ethernet_event *event)
{
	switch (event->kind) {
	case ETHERNET_LINK_UP:
		*state = (ethernet_state){ .linked = true, .speed = event->speed };
		break;
	case ETHERNET_LINK_LOST:
		*state = NOTHING;
		break;
	case ETHERNET_ADDRESSED:
		if (state->linked) state->address = event->address;
		break;
	case ETHERNET_ADDRESS_LOST:
		state->address = NOWHERE;
		break;
	}
}

void ethernet_core_event(ethernet_core *core, const ethernet_event *event)
{
	pthread_mutex_lock(&core->lock);
	if (core->on) apply(&core->now, event);
	pthread_mutex_unlock(&core->lock);
}

bool ethernet_core_must_post(ethernet_core *core)
{
	pthread_mutex_lock(&core->lock);
	bool must_post = !core->posted && !is_same(&core->now, &core->reported);
	core->posted = core->posted || must_post;
	pthread_mutex_unlock(&core->lock);
	return must_post;
}

bool ethernet_core_must_report(ethernet_core *core)
{
	pthread_mutex_lock(&core->lock);
	bool must_report = !is_same(&core->now, &core->reported);
	core->reported = core->now;
	core->posted = must_report;
	pthread_mutex_unlock(&core->lock);
	return must_report;
}

ethernet_state ethernet_core_now(ethernet_core *core)
{
	pthread_mutex_lock(&core->lock);
	ethernet_state now = core->now;
	pthread_mutex_unlock(&core->lock);
	return now;
}
